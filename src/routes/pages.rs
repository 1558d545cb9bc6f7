//! Responses other than JSON: the web page, its files, images and texts.

use actix_web::http::header::HeaderValue;
use actix_web::http::{Method, StatusCode, header};
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};

use crate::app::App;
use crate::config::Settings;
use crate::error::AppError;
use crate::features;
use crate::http::embedded::{self, TextSource};
use crate::http::etag::{self, ConditionalResponse};
use crate::http::page_shell;
use crate::http::params::Params;
use crate::http::response::{self, Answer, Fails};
use crate::views::cards::Embed;

const ROBOTS: header::HeaderName = header::HeaderName::from_static("x-robots-tag");

pub async fn asset(settings: Data<Settings>, request: HttpRequest, path: Path<String>) -> Answer {
    embedded::asset(&request, &settings.static_dir(), &format!("static/{path}")).await
}

/// A text whose address lacks `/pages`.
pub async fn root_text(settings: Data<Settings>, request: HttpRequest) -> Answer {
    markdown(&settings, &request, &format!("pages{}", request.match_info().as_str()))
}

pub async fn text(settings: Data<Settings>, request: HttpRequest, path: Path<String>) -> Answer {
    let path = format!("pages/{path}");
    if path.ends_with(".md") {
        return markdown(&settings, &request, &path);
    }
    embedded::asset(&request, &settings.static_dir(), &path).await
}

fn markdown(settings: &Settings, request: &HttpRequest, path: &str) -> Answer {
    embedded::text(request, &settings.static_dir(), path, |text, source| match source {
        TextSource::BuiltIn => features::pages::built_in_text(settings, text),
        TextSource::StaticDir => features::pages::fill_placeholders(settings, text),
    })
}

/// Describes a player or guild page for embedding in other sites (oEmbed).
#[utoipa::path(get, path = "/api/oembed",
    params(("url" = String, Query, description = "address of a player or a guild on this site"),
        ("format" = Option<String>, Query, description = "json"),
        ("maxwidth" = Option<i64>, Query), ("maxheight" = Option<i64>, Query)),
    responses((status = 200, body = Embed), Fails<400>, Fails<404>))]
pub async fn oembed(app: Data<App>, request: HttpRequest, params: Params) -> Answer {
    params.one_of("format", (), &[("json", ())])?;
    let most = i64::from(i32::MAX);
    let size = (params.int("maxwidth", most, 1..=most)?, params.int("maxheight", most, 1..=most)?);
    let url =
        params.text("url").ok_or_else(|| AppError::invalid_parameter("url", "the address of a player or a guild"))?;
    response::cacheable(&request, &features::pages::embed(&app, url, size).await?)
}

pub async fn favicon(settings: Data<Settings>, request: HttpRequest) -> Answer {
    embedded::asset(&request, &settings.static_dir(), "static/icons/favicon.ico").await
}

pub async fn robots(app: Data<App>) -> HttpResponse {
    let body = format!("User-agent: *\nDisallow: /api/\nDisallow: /admin\nSitemap: {}/sitemap.xml\n", app.public_url);
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(body)
}

/// Returns the sitemap for search engines.
pub async fn sitemap(app: Data<App>, request: HttpRequest) -> Answer {
    let xml = features::pages::sitemap(&app).await?;
    let response = ConditionalResponse::new(&request, etag::weak(&xml), "no-cache");
    Ok(response.finish(HeaderValue::from_static("application/xml; charset=utf-8"), xml))
}

pub async fn manifest(settings: Data<Settings>) -> HttpResponse {
    let name = &settings.site.name;
    let manifest = serde_json::json!({
        "name": name,
        "short_name": name,
        "start_url": "/",
        "display": "standalone",
        "background_color": "#0a0d12",
        "theme_color": "#0a0d12",
        "icons": [
            { "src": "/static/icons/icon-192.png", "sizes": "192x192", "type": "image/png" },
            { "src": "/static/icons/icon-512.png", "sizes": "512x512", "type": "image/png" },
            { "src": "/static/icons/maskable-512.png", "sizes": "512x512", "type": "image/png", "purpose": "maskable" },
        ],
    });
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "application/manifest+json"))
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .body(manifest.to_string())
}

/// Returns a script or style of the web page by its hashed name.
pub async fn built(request: HttpRequest, path: Path<String>) -> Answer {
    let file = embedded::page_file(&request, &format!("assets/{path}"));
    file.ok_or_else(|| AppError::NotFound("File not found.".into()))
}

/// The fallback route: a file of the web page, or its HTML.
pub async fn any(app: Data<App>, request: HttpRequest) -> Answer {
    // Decoded, as the router compares it.
    let path = request.match_info().as_str().to_owned();
    if request.method() != Method::GET && request.method() != Method::HEAD {
        return Ok(super::method_not_allowed("GET, HEAD"));
    }
    let name = path.trim_start_matches('/');
    if let Some(file) = embedded::page_file(&request, name).filter(|_| name != "index.html") {
        return Ok(file);
    }
    let (status, shown) = features::pages::page_meta(&app, &path).await?;
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let mut response = page_shell::shell(&request, &app.public_url, &app.settings.site.name, status, &shown);
    if path.starts_with("/overlay/") {
        // Overlays are for streaming software, not for search results.
        response.headers_mut().insert(ROBOTS, header::HeaderValue::from_static("noindex"));
    }
    Ok(response)
}

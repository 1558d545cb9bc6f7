//! Everything that is not JSON: the page, its files, pictures, texts.

use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, ResponseError, web};

use crate::app::App;
use crate::error::AppError;
use crate::features;
use crate::http::embedded;
use crate::http::page_shell::{self, Shown};

const ROBOTS: header::HeaderName = header::HeaderName::from_static("x-robots-tag");

pub async fn asset(
    app: web::Data<App>,
    request: HttpRequest,
    path: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    embedded::asset(&request, &app.settings.static_dir(), &format!("static/{path}")).await
}

pub async fn help(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, AppError> {
    embedded::asset(&request, &app.settings.static_dir(), "pages/help_en.md").await
}

pub async fn app_readme(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, AppError> {
    embedded::asset(&request, &app.settings.static_dir(), "pages/app_readme.md").await
}

pub async fn text(
    app: web::Data<App>,
    request: HttpRequest,
    path: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    embedded::asset(&request, &app.settings.static_dir(), &format!("pages/{path}")).await
}

pub async fn favicon(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, AppError> {
    embedded::asset(&request, &app.settings.static_dir(), "static/icons/favicon.ico").await
}

pub async fn robots(app: web::Data<App>) -> HttpResponse {
    let body = format!("User-agent: *\nDisallow: /api/\nDisallow: /admin\nSitemap: {}/sitemap.xml\n", app.public_url);
    HttpResponse::Ok().content_type("text/plain; charset=utf-8").body(body)
}

/// The addresses a search engine should know.
pub async fn sitemap(app: web::Data<App>) -> Result<HttpResponse, AppError> {
    let paths = features::pages::mapped(&app).await?;
    let origin = &app.public_url;
    // Handles, tags and our own paths hold nothing that XML would read as markup.
    let entries: String = paths.iter().map(|path| format!("<url><loc>{origin}{path}</loc></url>\n")).collect();
    let body = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{entries}</urlset>\n"
    );
    Ok(HttpResponse::Ok().content_type("application/xml; charset=utf-8").body(body))
}

pub async fn manifest(app: web::Data<App>) -> HttpResponse {
    let name = &app.settings.site.name;
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

/// Whatever no other route took: a file of the page, the page itself, or a JSON failure below `/api/`.
pub async fn any(app: web::Data<App>, request: HttpRequest) -> Result<HttpResponse, AppError> {
    let path = request.path().to_owned();
    if path.starts_with("/api/") {
        return Ok(super::unknown_path());
    }
    if request.method() != Method::GET && request.method() != Method::HEAD {
        let mut response = AppError::MethodNotAllowed.error_response();
        response.headers_mut().insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
        return Ok(response);
    }
    let name = path.trim_start_matches('/');
    if let Some(file) = embedded::page_file(&request, name).filter(|_| name != "index.html") {
        return Ok(file);
    }
    // A missing file of an older build is a 404, never the page's HTML.
    if name.starts_with("assets/") || name.starts_with("uploads/") || name.starts_with("og/") {
        return Err(AppError::NotFound("There is no such file.".into()));
    }
    let (status, shown) = features::pages::shown(&app, &path).await?;
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
    let shown = Shown { title: shown.title, description: shown.description, path: shown.path, image: shown.image };
    let mut response = page_shell::shell(&request, &app.public_url, status, &shown);
    if path.starts_with("/overlay/") {
        // A picture for streaming software, not a page for people who search.
        response.headers_mut().insert(ROBOTS, header::HeaderValue::from_static("noindex"));
    }
    Ok(response)
}

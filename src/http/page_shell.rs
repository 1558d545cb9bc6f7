//! The HTML of the web page, with the title, description, canonical link, Open Graph tags and preloads of the requested path.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use reqwest::Url;

use super::embedded::Page;
use super::etag::{self, ConditionalResponse};
use crate::domain::html::escape;
use crate::features::pages::{FirstPaint, PageMeta};

/// Width and height of preview images, in pixels.
const PREVIEW_SIZE: (u32, u32) = (1200, 630);

/// Background images of the home page.
const HOME_PICTURES: u8 = 7;
/// Media query of the page's style sheets for phones in portrait orientation, which use a crop of the background image.
const TALL_SCREEN: &str = "(max-width: 768px) and (orientation: portrait)";

/// The element of the page, which is empty in the build.
const ROOT: &str = "<div id=\"root\"></div>";

const NO_PAGE: &str = "<!doctype html><html lang=\"en\"><title>Apogee</title>\
    <p>This binary was built without the web page. The API works.</p>";

/// Scripts and styles of each page module, from the build of the web page.
static PRELOADS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let listed = Page::get("preloads.json").map(|file| serde_json::from_slice(&file.data));
    listed.and_then(Result::ok).unwrap_or_default()
});

/// Responds with the HTML of a page, and with the status of what the path names.
pub fn shell(request: &HttpRequest, origin: &str, site: &str, status: StatusCode, shown: &PageMeta) -> HttpResponse {
    let html = Page::get("index.html").map(|file| String::from_utf8_lossy(&file.data).into_owned());
    let body = html.map_or_else(|| NO_PAGE.to_owned(), |html| fill(&html, origin, site, shown, request.uri().path()));
    // The tag excludes the random background image.
    let tag = etag::weak(body.as_bytes());
    let body = if shown.path == "/" { with_home_picture(&body, &escape(site)) } else { body };
    let html = HeaderValue::from_static("text/html; charset=utf-8");
    if status == StatusCode::OK {
        return ConditionalResponse::new(request, tag, "no-cache").finish(html, body);
    }
    HttpResponse::build(status)
        .insert_header((header::CONTENT_TYPE, html))
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::ETAG, tag))
        .body(body)
}

/// `path` is the requested one: tabs have the canonical path of their page and preload less.
fn fill(html: &str, origin: &str, site: &str, shown: &PageMeta, path: &str) -> String {
    let title = escape(&shown.title);
    let description = escape(&shown.description);
    let url = escape(&format!("{origin}{}", shown.path));
    let image = escape(&format!("{origin}{}", shown.image));
    let site = escape(site);
    let mut tags = format!(
        "<title>{title}</title><meta name=\"description\" content=\"{description}\"><link rel=\"canonical\" href=\"{url}\">\
         <meta property=\"og:type\" content=\"website\"><meta property=\"og:site_name\" content=\"{site}\">\
         <meta property=\"og:title\" content=\"{title}\"><meta property=\"og:description\" content=\"{description}\">\
         <meta property=\"og:url\" content=\"{url}\"><meta property=\"og:image\" content=\"{image}\">\
         <meta property=\"og:image:width\" content=\"{}\"><meta property=\"og:image:height\" content=\"{}\">\
         <meta property=\"og:image:alt\" content=\"{title}\"><meta name=\"twitter:card\" content=\"summary_large_image\">",
        PREVIEW_SIZE.0, PREVIEW_SIZE.1,
    );
    if shown.has_card {
        let page = [("url", format!("{origin}{}", shown.path))];
        let link =
            Url::parse_with_params(&format!("{origin}/api/oembed"), page).map_or_else(|_| String::new(), String::from);
        tags.push_str(&format!(
            "<link rel=\"alternate\" type=\"application/json+oembed\" title=\"{title}\" href=\"{}\">",
            escape(&link)
        ));
    }
    let files =
        pages_of(path, shown.opens_on_career).filter_map(|page| PRELOADS.get(page)).flatten().collect::<BTreeSet<_>>();
    for file in files {
        let file = escape(file);
        tags.push_str(&match file.ends_with(".css") {
            true => format!("<link rel=\"preload\" as=\"style\" crossorigin href=\"{file}\">"),
            false => format!("<link rel=\"modulepreload\" crossorigin href=\"{file}\">"),
        });
    }
    if let Some(why) = &shown.why_career {
        tags.push_str(&format!("<meta name=\"rankings-open-on-career\" content=\"{}\">", escape(why)));
    }
    if !shown.is_listed {
        tags.push_str("<meta name=\"robots\" content=\"noindex\">");
    }
    let untitled = match (html.find("<title>"), html.find("</title>")) {
        (Some(from), Some(to)) if from < to => format!("{}{}", &html[..from], &html[to + "</title>".len()..]),
        _ => html.to_owned(),
    };
    let first = match &shown.first {
        FirstPaint::Nothing => String::new(),
        FirstPaint::Heading(title) => format!("<div class=\"page\"><h1>{}</h1></div>", escape(title)),
        FirstPaint::Banner(image) => format!(
            "<div class=\"page\"><div class=\"first-banner\"><img alt=\"\" fetchpriority=\"high\" src=\"{}\"></div></div>",
            escape(image)
        ),
    };
    let filled = untitled.replacen("</head>", &format!("{tags}</head>"), 1);
    if first.is_empty() { filled } else { with_first_paint(&filled, &site, &first) }
}

/// Adds what is visible before the script has run, which then replaces it: the name of the site at the place of the header, and the
/// beginning of the page.
fn with_first_paint(html: &str, site: &str, first: &str) -> String {
    let shown = format!("<div class=\"first-paint\"><div class=\"first-header\">{site}</div>{first}</div>");
    html.replacen(ROOT, &format!("{}{shown}</div>", ROOT.trim_end_matches("</div>")), 1)
}

/// Shows a random background image from the beginning; the page reads the choice from the preload.
fn with_home_picture(html: &str, site: &str) -> String {
    let name = format!("/static/images/home-{}", 1 + rand::random::<u8>() % HOME_PICTURES);
    let link = |file: &str, media: &str| {
        format!("<link rel=\"preload\" as=\"image\" fetchpriority=\"high\" href=\"{name}{file}\" media=\"{media}\">")
    };
    let links = link("-tall.webp", TALL_SCREEN) + &link(".webp", &format!("not all and {TALL_SCREEN}"));
    let picture = format!(
        "<div class=\"first-hero\"><picture><source media=\"{TALL_SCREEN}\" srcset=\"{name}-tall.webp\">\
         <img alt=\"\" src=\"{name}.webp\"></picture></div>"
    );
    with_first_paint(&html.replacen("</head>", &format!("{links}</head>"), 1), site, &picture)
}

/// The modules of `frontend/src/pages` that a path loads first, by name. A name without a module has no preloads.
fn pages_of(path: &str, opens_on_career: bool) -> impl Iterator<Item = &str> {
    let mut segments = path.trim_start_matches('/').split('/');
    let (first, rest) = (segments.next().unwrap_or_default(), segments.next());
    let page = match path {
        "/" => "home",
        "/player/claim" => "claim",
        "/profile/data" => "my-data",
        "/auth" => "link",
        _ => first,
    };
    let is_first_tab = page == "player" && rest.is_some() && segments.next().is_none();
    let first_tab = if opens_on_career { "player-career" } else { "player-overview" };
    [page].into_iter().chain(is_first_tab.then_some(first_tab))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_names_is_escaped() {
        let shown = PageMeta {
            title: "</title><script>alert(1)</script>".into(),
            description: "\" onload=\"x".into(),
            path: "/player/x".into(),
            image: "/og/player/x.png".into(),
            has_card: true,
            is_listed: false,
            first: FirstPaint::Banner("/x\"><script>".into()),
            why_career: Some("<script>".into()),
            opens_on_career: false,
        };
        let html = fill(
            "<html><head><title>A</title></head><div id=\"root\"></div></html>",
            "https://a.example",
            "<b>",
            &shown,
            "/player/x",
        );
        assert!(!html.contains("<script>") && !html.contains("\" onload"), "{html}");
        assert!(
            html.contains("<div id=\"root\"><div class=\"first-paint\">") && html.contains("src=\"/x&quot;"),
            "{html}"
        );
        assert_eq!(html.matches("<title>").count(), 1);
        assert!(html.contains("href=\"https://a.example/player/x\"") && !html.contains("<b>"));
        assert!(html.contains("content=\"https://a.example/og/player/x.png\"") && html.contains("noindex"));
        assert!(html.contains("/api/oembed?url=https%3A%2F%2Fa.example%2Fplayer%2Fx"));
    }

    #[test]
    fn a_path_names_the_modules_that_its_page_loads() {
        for (path, pages) in [
            ("/", &["home"][..]),
            ("/player/Ann-1", &["player", "player-overview"]),
            ("/player/Ann-1/weapons", &["player"]),
            ("/player/claim", &["claim"]),
            ("/guild/NOVA", &["guild"]),
            ("/activity", &["activity"]),
            ("/event/12", &["event"]),
            ("/profile/data", &["my-data"]),
        ] {
            assert_eq!(pages_of(path, false).collect::<Vec<_>>(), pages, "{path}");
        }
        assert_eq!(pages_of("/player/Ann-1", true).collect::<Vec<_>>(), ["player", "player-career"]);
    }
}

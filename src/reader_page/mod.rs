//! The reader's page on 127.0.0.1: the site's bundle and a small API. It rejects other machines, other origins, and
//! requests without the token.

pub mod service;

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, REFERRER_POLICY};
use actix_web::middleware::{Next, from_fn};
use actix_web::{App, HttpMessage, HttpRequest, HttpResponse, HttpServer, web};
use apogee_reader::error::ReaderError;
use apogee_reader::filter::EventType;
use gamelog::Grammar;
use i18n::Language;
use serde::Deserialize;
use serde_json::json;

use crate::domain::html::escape;
use crate::error::AppError;
use crate::http::body::JsonBody;
use crate::http::guard::deadline;
use crate::http::params::Params;
use crate::http::{embedded, headers, response, sse, viewer};
use crate::live::Topic;

use self::service::{ChangeError, ReaderService, SettingsPatch, TOPIC};

const NO_PAGE: &str = "<!doctype html><title>Apogee</title><p>This program was built without its page.</p>";
/// Longest time that the body of a request may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval of the comments that keep the stream open.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);

/// The host and token that a request must present.
#[derive(Clone)]
struct PageAccess {
    /// `127.0.0.1:PORT`. Browsers treat another name of this machine as another origin.
    host: String,
    token: String,
}

/// The running page.
pub struct Page {
    /// The address including the token.
    pub url: String,
    handle: actix_web::dev::ServerHandle,
}

impl Page {
    /// Stops the server.
    pub async fn stop(&self) {
        self.handle.stop(false).await;
    }
}

/// Serves the page on a free port of this machine.
pub fn serve(service: Arc<ReaderService>) -> Result<Page, ReaderError> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(ReaderError::Page)?;
    let host = listener.local_addr().map_err(ReaderError::Page)?.to_string();
    let token = new_token().map_err(ReaderError::Page)?;
    let access = PageAccess { host: host.clone(), token: token.clone() };
    let heartbeat = service.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
            heartbeat.hub.send_heartbeat();
        }
    });
    let server = HttpServer::new(move || {
        App::new()
            .app_data(web::Data::new(access.clone()))
            .app_data(web::Data::from(service.clone()))
            .wrap(from_fn(require_same_origin))
            .wrap(from_fn(headers::add_security_headers))
            // The check wraps the scope, so that no spelling of a path bypasses it.
            .service(
                web::scope("/api")
                    .wrap(from_fn(require_token))
                    .route("/live", web::get().to(stream))
                    .route("/reader/page", web::get().to(bootstrap))
                    .route("/reader/page", web::post().to(change))
                    .route("/reader/page/login", web::post().to(log_in))
                    .route("/reader/page/login", web::delete().to(cancel_login)),
            )
            .route("/static/{path:.*}", web::get().to(asset))
            .default_service(web::to(page))
    })
    .workers(1)
    .disable_signals()
    .listen(listener)
    .map_err(ReaderError::Page)?
    .run();
    let handle = server.handle();
    tokio::spawn(server);
    Ok(Page { url: format!("http://{host}/#{token}"), handle })
}

fn new_token() -> std::io::Result<String> {
    use rand::TryRngCore;
    let mut bytes = [0u8; 24];
    rand::rngs::OsRng.try_fill_bytes(&mut bytes).map_err(std::io::Error::other)?;
    Ok(crate::domain::hex::encode(bytes))
}

fn header<'a>(request: &'a ServiceRequest, name: &str) -> Option<&'a str> {
    request.headers().get(name).map(|value| value.to_str().unwrap_or("?"))
}

fn forbidden() -> AppError {
    AppError::Forbidden("Requests from other sites are rejected.".into())
}

/// Requires the page's own host name, because another site's name may resolve to this address, and rejects other
/// origins.
async fn require_same_origin(
    access: web::Data<PageAccess>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let is_host = header(&request, "host").is_some_and(|host| host == access.host);
    let is_own = header(&request, "origin").is_none_or(|origin| origin.strip_prefix("http://") == Some(&access.host));
    if !is_host || !is_own {
        return Err(forbidden().into());
    }
    next.call(request).await
}

/// Requires the token, a request that comes from this page or from no page, and a body that arrives in time.
async fn require_token(
    access: web::Data<PageAccess>,
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    if !matches!(header(&request, "sec-fetch-site").unwrap_or("none"), "same-origin" | "none") {
        return Err(forbidden().into());
    }
    if !has_token(request.request(), &access.token) {
        return Err(AppError::Unauthorized(
            "This address belongs to an earlier run of the reader. Open the address that the reader prints now.".into(),
        )
        .into());
    }
    let payload = request.take_payload();
    request.set_payload(deadline::with_timeout(payload, BODY_TIMEOUT));
    next.call(request).await
}

/// Reads the token from the Bearer header, or from the query where a browser cannot set headers.
fn has_token(request: &HttpRequest, token: &str) -> bool {
    #[derive(Deserialize)]
    struct Query {
        token: Option<String>,
    }
    let in_query = || web::Query::<Query>::from_query(request.query_string()).ok()?.into_inner().token;
    let given = viewer::bearer(request).map(ToOwned::to_owned).or_else(in_query).unwrap_or_default();
    // Constant-time comparison.
    given.len() == token.len() && given.bytes().zip(token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// The complete state for a page that loads.
async fn bootstrap(service: web::Data<ReaderService>) -> Result<HttpResponse, AppError> {
    let languages =
        Language::ALL.map(Language::code_and_name).map(|(code, name)| json!({ "code": code, "name": name }));
    response::ok(&json!({
        "rows": service.rows(),
        "state": service.state(),
        "languages": languages,
        "words": service.texts().sources(),
        "kinds": EventType::ALL.map(|(_, name)| name),
        "version": env!("CARGO_PKG_VERSION"),
        "grammar": Grammar::built_in().map_err(AppError::internal)?.version(),
    }))
}

fn changed(service: &ReaderService) -> Result<HttpResponse, AppError> {
    response::ok(&json!({ "state": service.state() }))
}

async fn change(service: web::Data<ReaderService>, body: JsonBody<SettingsPatch>) -> Result<HttpResponse, AppError> {
    service.change(body.0).map_err(|error| failure(&service, &error))?;
    changed(&service)
}

#[derive(Deserialize)]
struct LoginRequest {
    #[serde(default)]
    server: String,
}

async fn log_in(service: web::Data<ReaderService>, body: JsonBody<LoginRequest>) -> Result<HttpResponse, AppError> {
    service.clone().into_inner().log_in(&body.0.server).await.map_err(|error| failure(&service, &error))?;
    changed(&service)
}

async fn cancel_login(service: web::Data<ReaderService>) -> Result<HttpResponse, AppError> {
    service.cancel_login();
    changed(&service)
}

fn failure(service: &ReaderService, error: &ChangeError) -> AppError {
    AppError::Validation(service.error_text(error))
}

async fn stream(
    service: web::Data<ReaderService>,
    request: HttpRequest,
    params: Params,
) -> Result<HttpResponse, AppError> {
    let frames = service.hub.subscribe(vec![Topic::new(TOPIC)], sse::resume(&request, &params));
    // State changes without an open page are not buffered, so the current state is published now.
    service.publish_state();
    Ok(sse::stream(&request, sse::with_heartbeat(frames, &params)?, ()))
}

async fn asset(
    service: web::Data<ReaderService>,
    request: HttpRequest,
    path: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    embedded::asset(&request, &service.home.join("static"), &format!("static/{path}")).await
}

/// The tags that select the reader's interface in the bundle and hold its texts for when the reader does not respond.
fn reader_meta(service: &ReaderService) -> String {
    let texts = service.texts();
    format!(
        "<meta name=\"apogee-reader\" content=\"{}\"><meta name=\"apogee-reader-lost\" content=\"{}\"></head>",
        escape(texts.text("p_foreign")),
        escape(texts.text("p_lost"))
    )
}

async fn page(service: web::Data<ReaderService>, request: HttpRequest) -> HttpResponse {
    let name = request.match_info().as_str().trim_start_matches('/');
    if let Some(file) =
        Some(name).filter(|name| *name != "index.html").and_then(|name| embedded::page_file(&request, name))
    {
        return file;
    }
    if !name.is_empty() {
        return HttpResponse::NotFound().finish();
    }
    let html = embedded::Page::get("index.html").map(|file| String::from_utf8_lossy(&file.data).into_owned());
    let html = html.map_or_else(|| NO_PAGE.to_owned(), |html| html.replacen("</head>", &reader_meta(&service), 1));
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, "text/html; charset=utf-8"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .insert_header((REFERRER_POLICY, "no-referrer"))
        .body(html)
}

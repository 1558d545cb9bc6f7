//! Middleware of every route: rate limits, body deadlines, panic isolation, request metrics and failure pages.

pub mod deadline;
mod limits;
mod metrics;
mod route_class;

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::http::{Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{HttpMessage, HttpRequest, ResponseError, web};
use futures_util::FutureExt;
use tracing_actix_web::RequestId;

use super::client;
use super::viewer::credential;
use crate::app::{Accounts, App};
use crate::domain::addresses::network;
use crate::domain::clock;
use crate::domain::quota::Permit;
use crate::error::AppError;
pub use limits::{Limiter, RateLimitKey};
pub use metrics::{RequestMetrics, metrics_response};
pub use route_class::RouteClass;

/// The response header with the request id that the log shows.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Passes a request to its handler, or rejects it.
///
/// Wraps each route of the URL table separately, so the class is that of the matched route. `pattern` is the route's pattern,
/// empty for the fallback route.
pub async fn guard_request(
    pattern: Rc<str>,
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, actix_web::Error> {
    let began = Instant::now();
    let class = RouteClass::of(request.method(), &pattern);
    tracing::Span::current().record("route", if pattern.is_empty() { "(none)" } else { &*pattern });
    let id = request.extensions().get::<RequestId>().map(ToString::to_string);
    let wants_html = class == RouteClass::Page && accepts_html(&request);
    let (Some(app), Some(limiter)) =
        (request.app_data::<web::Data<App>>().cloned(), request.app_data::<web::Data<Limiter>>().cloned())
    else {
        return Err(AppError::Overloaded.into());
    };
    let limiter = limiter.into_inner();
    let address = client::address(request.request(), &app.settings.trusted_proxies).map(network);
    match admit(&app.accounts, &limiter, class, address, &request) {
        Ok(Some(permit)) => drop(request.extensions_mut().insert(permit)),
        Ok(None) => {}
        Err(rejection) => {
            let status = rejection.status_code().as_u16();
            limiter.metrics.record_rejection(class, status);
            limiter.metrics.record_response(class, status, began.elapsed());
            let mut response = request.into_response(rejection.error_response());
            finish(&mut response, id.as_deref(), wants_html, &rejection.to_string());
            return Ok(response);
        }
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let payload = request.take_payload();
        request.set_payload(deadline::with_timeout(payload, class.body_time()));
    }
    // A panic becomes a response with status 500 instead of a closed connection.
    let outcome = AssertUnwindSafe(next.call(request)).catch_unwind().await.unwrap_or_else(|_| {
        app.diagnostics.record_panic();
        tracing::error!(request_id = id, "a handler panicked");
        Err(AppError::internal(std::io::Error::other("a handler panicked")).into())
    });
    let status = match &outcome {
        Ok(response) => response.status(),
        Err(error) => error.as_response_error().status_code(),
    };
    limiter.metrics.record_response(class, status.as_u16(), began.elapsed());
    let mut response = outcome?.map_into_boxed_body();
    limiter.record_response(class, address, status.as_u16());
    let sentence = sentence_of(status);
    finish(&mut response, id.as_deref(), wants_html, &sentence);
    Ok(response)
}

/// Runs a step of a live stream. Returns `None` after a panic, which ends only that stream.
pub fn catch_panic<T>(app: Option<&web::Data<App>>, step: impl FnOnce() -> T) -> Option<T> {
    let result = std::panic::catch_unwind(AssertUnwindSafe(step));
    if result.is_err() {
        tracing::error!("a live stream panicked");
        app.inspect(|app| app.diagnostics.record_panic());
    }
    result.ok()
}

/// Takes the permit that [`guard_request`] acquired for a live stream. The stream holds it while it is open.
pub fn take_stream_permit(request: &HttpRequest) -> Option<Permit<IpAddr>> {
    request.extensions_mut().remove()
}

/// Applies the limits. A request for a live stream also gets a permit.
fn admit(
    accounts: &Accounts,
    limiter: &Arc<Limiter>,
    class: RouteClass,
    address: Option<IpAddr>,
    request: &ServiceRequest,
) -> Result<Option<Permit<IpAddr>>, AppError> {
    if let Some(address) = address {
        limiter.admit(class, address)?;
        if let Some(account) = account(accounts, class, request) {
            limiter.admit_account(class, address, account)?;
        }
    }
    if class == RouteClass::Stream { limiter.acquire_stream(address).map(Some) } else { Ok(None) }
}

/// Returns the account that a request counts toward: the user of a valid token, or an ingest key, whether or not it is known.
fn account(accounts: &Accounts, class: RouteClass, request: &ServiceRequest) -> Option<RateLimitKey> {
    let token = credential(request.request())?;
    match accounts.tokens.verify(token, clock::now()) {
        Ok(claims) => Some(RateLimitKey::of(&claims.sub)),
        Err(_) => (class == RouteClass::Ingest).then(|| RateLimitKey::of(token)),
    }
}

fn accepts_html(request: &ServiceRequest) -> bool {
    let accepted = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|types| types.contains("text/html"))
}

/// Adds the request id, and replaces the JSON of a failed page request by an HTML page.
fn finish(response: &mut ServiceResponse<BoxBody>, id: Option<&str>, wants_html: bool, sentence: &str) {
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if wants_html && is_json && (response.status().is_client_error() || response.status().is_server_error()) {
        let status = response.status();
        let page = failure_page(status, sentence, id);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        headers.remove(header::CONTENT_LENGTH);
        *response.response_mut() = std::mem::replace(response.response_mut(), actix_web::HttpResponse::new(status))
            .set_body(BoxBody::new(page));
    }
    if let Some(value) = id.and_then(|id| HeaderValue::from_str(id).ok()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
}

fn sentence_of(status: StatusCode) -> String {
    match status.as_u16() {
        404 => "File not found.".into(),
        405 => AppError::MethodNotAllowed.to_string(),
        503 => AppError::Overloaded.to_string(),
        500.. => "Something went wrong on our side.".into(),
        _ => "This page cannot be shown.".into(),
    }
}

/// Renders a failure page without scripts or images, so it works when nothing else can be loaded.
fn failure_page(status: StatusCode, sentence: &str, id: Option<&str>) -> String {
    let code = status.as_u16();
    // Sentence and id come from this program and contain no HTML markup.
    let id = id.map(|id| format!("<p><small>Request {id}</small></p>")).unwrap_or_default();
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{code}</title><style>body{{background:#0a0d12;color:#e8ecf1;font:16px/1.5 system-ui;margin:15vh auto;max-width:32rem;\
         padding:0 1rem}}a{{color:#7cc4ff}}</style><h1>{code}</h1><p>{sentence}</p><p><a href=\"/\">To the front page</a></p>{id}</html>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::middleware::from_fn;
    use actix_web::test::{TestRequest, call_service, init_service, try_call_service};
    use actix_web::{App as ActixApp, HttpResponse};

    fn app() -> (web::Data<App>, web::Data<Limiter>, tempfile::TempDir) {
        let dir = tempfile::tempdir().unwrap();
        let flags = crate::config::Flags::default().with("data-dir", dir.path().display().to_string());
        let settings = crate::config::Settings::load(&flags).unwrap();
        let app = crate::features::bootstrap::open(settings, String::new()).unwrap();
        let limiter = Limiter::new(app.settings.limits.clone(), 1_000);
        (web::Data::new(app), web::Data::new(limiter), dir)
    }

    async fn panicking() -> HttpResponse {
        panic!("on purpose")
    }

    #[actix_web::test]
    async fn t19_a_panic_in_a_handler_fails_one_response() {
        let (app, limiter, _dir) = app();
        let site = ActixApp::new()
            .app_data(app.clone())
            .app_data(limiter)
            .wrap(from_fn(|request: ServiceRequest, next: Next<BoxBody>| {
                guard_request("/api/patch".into(), request, next)
            }))
            .route("/api/panics", web::get().to(panicking))
            .route("/api/works", web::get().to(HttpResponse::Ok));
        let site = init_service(site).await;
        let failed = try_call_service(&site, TestRequest::get().uri("/api/panics").to_request()).await.unwrap_err();
        assert_eq!(failed.error_response().status(), StatusCode::INTERNAL_SERVER_ERROR);
        let works = call_service(&site, TestRequest::get().uri("/api/works").to_request()).await;
        assert_eq!(works.status(), StatusCode::OK);
        assert_eq!(app.diagnostics.panics(), 1);
    }

    #[actix_web::test]
    async fn t19_a_panic_in_a_stream_ends_only_that_stream() {
        let (app, _limiter, _dir) = app();
        for n in 1..=2 {
            assert_eq!(catch_panic(Some(&app), || -> u8 { panic!("on purpose") }), None);
            assert_eq!(app.diagnostics.panics(), n);
            assert_eq!(catch_panic(Some(&app), || 7), Some(7));
        }
    }
}

//! Answers: success and failure in the one envelope.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use serde::Serialize;
use utoipa::ToSchema;

use super::etag;
use crate::error::{AppError, Code};

/// How every failure is told.
#[derive(Debug, Serialize, ToSchema)]
pub struct Failure {
    /// Always false.
    pub success: bool,
    /// A sentence for people.
    pub error: String,
    pub code: Code,
}

impl ResponseError for AppError {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse {
        if let Self::Internal(source) = self {
            tracing::error!(error = %ErrorChain(source.as_ref()), "a request failed");
        }
        let mut response = HttpResponse::build(self.status_code());
        if let Some(secs) = self.retry_after_secs() {
            response.insert_header((header::RETRY_AFTER, secs));
        }
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        response.json(Failure { success: false, error: self.to_string(), code: self.code() })
    }
}

/// Shows an error with all that caused it.
pub struct ErrorChain<'a>(pub &'a (dyn std::error::Error + 'static));

impl std::fmt::Display for ErrorChain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)?;
        let mut cause = self.0.source();
        while let Some(error) = cause {
            write!(f, ": {error}")?;
            cause = error.source();
        }
        Ok(())
    }
}

/// `{"success": true, …}` with the fields of `body`, which serializes to an object.
pub fn success_json(body: &impl Serialize) -> Result<Vec<u8>, AppError> {
    let mut bytes = Vec::with_capacity(1024);
    bytes.extend_from_slice(b"{\"success\":true");
    let start = bytes.len();
    serde_json::to_writer(&mut bytes, body).map_err(AppError::internal)?;
    match bytes.get(start..) {
        Some(b"{}") => {
            bytes.truncate(start);
            bytes.push(b'}');
        }
        _ => {
            if let Some(brace) = bytes.get_mut(start) {
                *brace = b',';
            }
        }
    }
    Ok(bytes)
}

/// A successful answer that nobody keeps.
pub fn ok(body: &impl Serialize) -> Result<HttpResponse, AppError> {
    let body = success_json(body)?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::CONTENT_TYPE, JSON_TYPE))
        .body(body))
}

pub const JSON_TYPE: HeaderValue = HeaderValue::from_static("application/json");

/// A public answer with an entity tag: the same again is a 304.
pub fn cacheable(request: &HttpRequest, body: &impl Serialize) -> Result<HttpResponse, AppError> {
    Ok(with_etag(request, success_json(body)?))
}

/// JSON text that is whole already, with an entity tag.
pub fn with_etag(request: &HttpRequest, body: Vec<u8>) -> HttpResponse {
    let tag = etag::weak(&body);
    if etag::matches(request, &tag) {
        return HttpResponse::NotModified()
            .insert_header((header::ETAG, tag))
            .insert_header((header::CACHE_CONTROL, "no-cache"))
            .finish();
    }
    HttpResponse::Ok()
        .insert_header((header::ETAG, tag))
        .insert_header((header::CACHE_CONTROL, "no-cache"))
        .insert_header((header::CONTENT_TYPE, JSON_TYPE))
        .body(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_joins_any_object() {
        #[derive(Serialize)]
        struct Empty {}
        #[derive(Serialize)]
        struct One {
            a: i32,
        }
        assert_eq!(success_json(&Empty {}).unwrap(), b"{\"success\":true}");
        assert_eq!(success_json(&One { a: 1 }).unwrap(), b"{\"success\":true,\"a\":1}");
    }
}

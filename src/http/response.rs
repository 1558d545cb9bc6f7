//! JSON responses in the envelope of the API: `success` and the fields of the body, or an error.

use std::collections::BTreeMap;
use std::error::Error;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};

use super::etag::{self, ConditionalResponse};
use crate::error::{AppError, ClaimedBy, Code};
use crate::views::sessions::Done;

/// The body of every failed request.
#[derive(Debug, Serialize, ToSchema)]
pub struct Failure {
    /// Always false.
    pub success: bool,
    /// A sentence for people.
    pub error: String,
    pub code: Code,
    /// With the code `CLAIM_REQUIRED`: who has claimed the player of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<ClaimedBy>,
}

/// A status of a failed request, in the description of a handler.
pub struct Fails<const STATUS: u16>;

impl<const STATUS: u16> utoipa::IntoResponses for Fails<STATUS> {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        BTreeMap::from([(STATUS.to_string(), failure())])
    }
}

/// The description of a failed request.
pub fn failure() -> RefOr<Response> {
    let content = Content::new(Some(Ref::from_schema_name("Failure")));
    RefOr::T(ResponseBuilder::new().content("application/json", content).build())
}

impl ResponseError for AppError {
    fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.code().status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    fn error_response(&self) -> HttpResponse {
        if let Self::Internal(source) = self {
            tracing::error!(error = error_chain(source.as_ref()), "a request failed");
        }
        let mut response = HttpResponse::build(self.status_code());
        if let Some(secs) = self.retry_after_secs() {
            response.insert_header((header::RETRY_AFTER, secs));
        }
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        let claimed_by = match self {
            Self::ClaimRequired { claimed_by, .. } => Some(*claimed_by),
            _ => None,
        };
        response.json(Failure { success: false, error: self.to_string(), code: self.code(), claimed_by })
    }
}

/// The text of an error with its chain of sources.
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |&cause| cause.source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Serializes `{"success": true, …}` with the fields of `body`, which has to serialize to an object.
pub fn success_json(body: &impl Serialize) -> Result<Vec<u8>, AppError> {
    let mut bytes = Vec::with_capacity(1024);
    bytes.extend_from_slice(b"{\"success\":true");
    let start = bytes.len();
    serde_json::to_writer(&mut bytes, body).map_err(AppError::internal)?;
    if bytes[start..] == *b"{}" {
        bytes.remove(start);
    } else {
        bytes[start] = b',';
    }
    Ok(bytes)
}

/// What a handler returns.
pub type Answer = Result<HttpResponse, AppError>;

/// A successful response that must not be cached.
pub fn ok(body: &impl Serialize) -> Answer {
    let body = success_json(body)?;
    Ok(HttpResponse::Ok()
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .insert_header((header::CONTENT_TYPE, JSON_TYPE))
        .body(body))
}

/// The response to an act without a result.
pub fn done(act: Result<(), AppError>) -> Answer {
    act.and_then(|()| ok(&Done {}))
}

pub const JSON_TYPE: HeaderValue = HeaderValue::from_static("application/json");

/// A successful public response with an entity tag.
pub fn cacheable(request: &HttpRequest, body: &impl Serialize) -> Answer {
    Ok(with_etag(request, success_json(body)?))
}

/// Complete JSON text with an entity tag; 304 if the client has it.
pub fn with_etag(request: &HttpRequest, body: Vec<u8>) -> HttpResponse {
    ConditionalResponse::new(request, etag::weak(&body), "no-cache").finish(JSON_TYPE, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_merges_any_object() {
        #[derive(Serialize)]
        struct One {
            a: i32,
        }
        assert_eq!(success_json(&Done {}).unwrap(), b"{\"success\":true}");
        assert_eq!(success_json(&One { a: 1 }).unwrap(), b"{\"success\":true,\"a\":1}");
    }
}

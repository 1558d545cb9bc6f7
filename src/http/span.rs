//! What the log says of a request: method, route, id, status; no address, no query, no headers.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use tracing::Span;
use tracing_actix_web::{RequestId, RootSpanBuilder};

pub struct RequestSpan;

impl RootSpanBuilder for RequestSpan {
    fn on_request_start(request: &ServiceRequest) -> Span {
        use actix_web::HttpMessage;
        let id = request.extensions().get::<RequestId>().copied();
        let route = request.match_pattern().unwrap_or_else(|| "(none)".into());
        tracing::info_span!(
            "request",
            method = %request.method(),
            route,
            request_id = id.map(|id| id.to_string()),
            status = tracing::field::Empty,
        )
    }

    fn on_request_end<B: MessageBody>(span: Span, outcome: &Result<ServiceResponse<B>, actix_web::Error>) {
        let status = match outcome {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        span.record("status", status.as_u16());
        tracing::debug!(parent: &span, "answered");
    }
}

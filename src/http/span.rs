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
        tracing::info_span!(
            "request",
            method = %request.method(),
            // The guard of the route that matches fills it: nothing has been matched yet.
            route = tracing::field::Empty,
            request_id = id.map(|id| id.to_string()),
            status = tracing::field::Empty,
        )
    }

    fn on_request_end<B: MessageBody>(span: Span, outcome: &Result<ServiceResponse<B>, actix_web::Error>) {
        let (status, error) = match outcome {
            Ok(response) => (response.status(), response.response().error()),
            Err(error) => (error.as_response_error().status_code(), Some(error)),
        };
        span.record("status", status.as_u16());
        // A client's own mistake is no news. Our sentences on failures of ours hold nothing that a caller wrote.
        match error.filter(|_| status.is_server_error()) {
            Some(error) => tracing::warn!(parent: &span, %error, "answered"),
            None => tracing::debug!(parent: &span, "answered"),
        }
    }
}

//! The tracing span of a request: method, route, id and status, but no address, query or headers.

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
            // Recorded by the guard of the matched route.
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
        // Client errors are logged only at debug level. Messages of server errors contain no input of the client.
        match error.filter(|_| status.is_server_error()) {
            Some(error) => tracing::warn!(parent: &span, %error, "answered"),
            None => tracing::debug!(parent: &span, "answered"),
        }
    }
}

//! Records responses with status 500 or above for the admin page: code, message, cause, route and request id.

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::{HttpMessage, web};
use tracing_actix_web::RequestId;

use super::response::error_chain;
use crate::app::App;
use crate::diagnostics::ErrorEntry;
use crate::domain::clock;
use crate::error::AppError;

/// Messages are cut to this length.
const CHARS: usize = 400;

/// Middleware that records responses with status 500 or above.
pub async fn record_server_errors(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, actix_web::Error> {
    let response = next.call(request).await?;
    if response.status().is_server_error() {
        let request = response.request();
        let error = response.response().error().and_then(|error| error.as_error::<AppError>());
        let (code, message) = match error {
            Some(AppError::Internal(source)) => ("INTERNAL".to_owned(), error_chain(source.as_ref())),
            Some(error) => (name(error), error.to_string()),
            None => (response.status().as_str().to_owned(), "The response has no message.".to_owned()),
        };
        if let Some(app) = request.app_data::<web::Data<App>>() {
            app.diagnostics.errors.add(ErrorEntry {
                at: clock::now(),
                code,
                message: message.chars().take(CHARS).collect(),
                request_id: request.extensions().get::<RequestId>().map(ToString::to_string),
                path: request.match_pattern(),
            });
        }
    }
    Ok(response)
}

fn name(error: &AppError) -> String {
    let code = serde_json::to_value(error.code()).unwrap_or_default();
    code.as_str().unwrap_or_default().to_owned()
}

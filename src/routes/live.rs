//! The live stream.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::error::AppError;
use crate::http::params::Params;
use crate::http::{answer, sse};

/// Events, changed figures and commits as they happen, as `text/event-stream`.
#[utoipa::path(get, path = "/api/live",
    params(("topics" = String, Query, description = "up to 20 of: activity, commits, counts, patch, player:{handle}, guild:{TAG}")),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 400, body = answer::Failure)))]
pub async fn stream(app: web::Data<App>, request: HttpRequest, params: Params) -> Result<HttpResponse, AppError> {
    let topics = sse::topics(params.text("topics"))?;
    let resume = sse::resume(&request, params.text("lastEventId"))?;
    Ok(sse::stream(&app.live, topics, resume))
}

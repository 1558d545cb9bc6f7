//! The live stream.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::App;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::live;
use crate::http::params::Params;
use crate::http::{answer, guard, sse};

/// Events, changed figures and commits as they happen, as `text/event-stream`.
#[utoipa::path(get, path = "/api/live",
    params(("topics" = String, Query, description = "up to 20 of: activity, commits, counts, patch, player:{handle}, guild:{TAG}"),
        ("lastEventId" = Option<String>, Query, description = "goes on after this id, for those who cannot send Last-Event-ID")),
    responses((status = 200, content_type = "text/event-stream", body = String), (status = 400, body = answer::Failure),
        (status = 429, description = "too many streams from this address or of this account", body = answer::Failure)))]
pub async fn stream(
    app: web::Data<App>,
    viewer: Viewer,
    request: HttpRequest,
    params: Params,
) -> Result<HttpResponse, AppError> {
    let topics = sse::topics(params.text("topics"))?;
    let resume = sse::resume(&request, params.text("lastEventId"))?;
    let seat = live::seat(&app, &viewer)?;
    let frames = live::subscribe(&app, topics, resume).await?;
    Ok(sse::stream(&request, frames, (seat, guard::place(&request))))
}

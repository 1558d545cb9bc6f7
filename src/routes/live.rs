//! The live stream.

use actix_web::HttpRequest;
use actix_web::web::Data;

use crate::app::App;
use crate::domain::viewer::Viewer;
use crate::features::live;
use crate::http::params::Params;
use crate::http::response::{Answer, Fails, Failure};
use crate::http::{guard, sse};

/// Streams events, changed statistics and commits as `text/event-stream`.
#[utoipa::path(get, path = "/api/live", security((), ("session" = [])),
    params(("topics" = String, Query, description = "up to 20 of: activity, commits, counts, patch, player:{handle}, guild:{TAG}, \
        board:players:{metric}, board:guilds:{metric}. Boards cover all time, or a window: board:players:{metric}:{window}. \
        A board begins with an event `board` with the top 100 (`is_snapshot`); later events have the changed rows, the keys of rows that left \
        (`removed`), and the total."),
        ("lastEventId" = Option<String>, Query, description = "continues after this id, for clients that cannot send Last-Event-ID; \
        an unknown id begins with `reset`"),
        ("heartbeat" = Option<String>, Query, description = "comment (default): a comment every 15 s; event: an event `heartbeat` \
        as well, which scripts in a page can see")),
    responses((status = 200, content_type = "text/event-stream", body = String), Fails<400>,
        (status = 429, description = "too many streams from this address or of this account", body = Failure)))]
pub async fn stream(app: Data<App>, viewer: Viewer, request: HttpRequest, params: Params) -> Answer {
    let topics = sse::topics(params.text("topics"))?;
    let permit = live::acquire_permit(&app.live_quota, &viewer)?;
    let frames = live::subscribe(&app, topics, sse::resume(&request, &params)).await?;
    Ok(sse::stream(&request, sse::with_heartbeat(frames, &params)?, (permit, guard::take_stream_permit(&request))))
}

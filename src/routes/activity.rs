//! The global feed.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Store;
use crate::error::AppError;
use crate::features;
use crate::features::activity::{EventPage, ShownEvent};
use crate::http::params::Params;
use crate::http::response;
use crate::views::activity::{ActivityRow, RemovedEvent};
use crate::views::secs;

#[derive(Serialize, ToSchema)]
pub struct ActivityList {
    pub data: Vec<ActivityRow>,
}

/// Lists the newest events of all players.
#[utoipa::path(get, path = "/api/activity",
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 50"), ("before" = Option<String>, Query, description = "id of the last row seen"),
        ("filter" = Option<String>, Query, description = "pve, pvp, vehicles or missions")),
    responses((status = 200, body = ActivityList), (status = 400, body = response::Failure)))]
pub async fn newest(store: web::Data<Store>, request: HttpRequest, params: Params) -> Result<HttpResponse, AppError> {
    let data = features::activity::newest(&store, params.feed(50)?).await?;
    response::cacheable(&request, &ActivityList { data })
}

#[derive(Serialize, ToSchema)]
pub struct EventAnswer {
    /// Null for a removed event.
    pub event: Option<ActivityRow>,
    /// The build of the game that wrote the log.
    pub build: Option<String>,
    pub branch: Option<String>,
    /// Epoch seconds; null if unknown.
    pub received_at: Option<i64>,
    /// Why an admin removed the event; null for others.
    pub removed: Option<RemovedEvent>,
}

/// Returns one event.
#[utoipa::path(get, path = "/api/activity/{id}", params(("id" = String, Path)),
    responses((status = 200, body = EventAnswer), (status = 404, body = response::Failure)))]
pub async fn event(
    store: web::Data<Store>,
    request: HttpRequest,
    id: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    // An id that is not a number matches no event.
    let id = id.parse().unwrap_or(0);
    let answer = match features::activity::event(&store, id).await? {
        EventPage::Removed(removed) => {
            EventAnswer { event: None, build: None, branch: None, received_at: None, removed: Some(removed) }
        }
        EventPage::Shown(shown) => {
            let ShownEvent { event, build, received_at } = *shown;
            let received_at = received_at.map(secs);
            EventAnswer { event: Some(event), build: build.build, branch: build.branch, received_at, removed: None }
        }
    };
    response::cacheable(&request, &answer)
}

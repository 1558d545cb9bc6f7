//! The global feed.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Store;
use crate::error::AppError;
use crate::features;
use crate::http::params::Params;
use crate::http::response;
use crate::views::activity::{ActivityRow, EventReport};

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
    pub event: ActivityRow,
    /// First the report that gives the event's fields, then the others in the order of their arrival.
    pub reports: Vec<EventReport>,
}

/// Returns one event with its reports.
#[utoipa::path(get, path = "/api/activity/{id}", params(("id" = String, Path)),
    responses((status = 200, body = EventAnswer), (status = 404, body = response::Failure)))]
pub async fn event(
    store: web::Data<Store>,
    request: HttpRequest,
    id: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    // An id that is not a number matches no event.
    let id = id.parse().unwrap_or(0);
    let (event, reports) = features::activity::event(&store, id).await?;
    response::cacheable(&request, &EventAnswer { event, reports })
}

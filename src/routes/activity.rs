//! The global feed.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Store;
use crate::error::AppError;
use crate::features;
use crate::http::params::Params;
use crate::http::response;
use crate::http::viewer::SignedIn;
use crate::views::activity::ActivityRow;
use crate::views::evidence::{EventEvidence, HeldPage};

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
    let event = features::activity::event(&store, id).await?;
    response::cacheable(&request, &EventAnswer { event })
}

/// Returns what the reports of an event are worth, and each report.
#[utoipa::path(get, path = "/api/activity/{id}/evidence", params(("id" = String, Path)),
    responses((status = 200, body = EventEvidence), (status = 404, body = response::Failure)))]
pub async fn evidence(
    store: web::Data<Store>,
    request: HttpRequest,
    id: web::Path<String>,
) -> Result<HttpResponse, AppError> {
    // An id that is not a number matches no event.
    let id = id.parse().unwrap_or(0);
    response::cacheable(&request, &features::evidence::of_event(&store, id).await?)
}

/// Lists the events that the signed-in user reported and that do not count, with the reasons.
#[utoipa::path(get, path = "/api/me/held",
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("before" = Option<i64>, Query, description = "`next` of the previous page")),
    responses((status = 200, body = HeldPage), (status = 400, body = response::Failure), (status = 401, body = response::Failure)))]
pub async fn held(store: web::Data<Store>, viewer: SignedIn, params: Params) -> Result<HttpResponse, AppError> {
    let (before, limit) = (params.optional_id("before")?, params.int("limit", 50, 1..=100)?);
    response::ok(&features::evidence::held(&store, &viewer.0, before, limit).await?)
}

//! The global feed.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::Store;
use crate::features;
use crate::http::params::Params;
use crate::http::response::{self, Answer, Fails};
use crate::views::activity::{ActivityRow, EventAnswer};

#[derive(Serialize, ToSchema)]
pub struct ActivityList {
    pub data: Vec<ActivityRow>,
}

/// Lists the newest events of all players.
#[utoipa::path(get, path = "/api/activity",
    params(("limit" = Option<i64>, Query, description = "1 to 100, default 50"), ("before" = Option<String>, Query, description = "id of the last row seen"),
        ("filter" = Option<String>, Query, description = "pve, pvp, vehicles or missions")),
    responses((status = 200, body = ActivityList), Fails<400>))]
pub async fn newest(store: Data<Store>, request: HttpRequest, params: Params) -> Answer {
    let data = features::activity::newest(&store, params.feed(50)?).await?;
    response::cacheable(&request, &ActivityList { data })
}

/// Returns one event.
#[utoipa::path(get, path = "/api/activity/{id}", responses((status = 200, body = EventAnswer), Fails<404>))]
pub async fn event(store: Data<Store>, request: HttpRequest, id: Path<String>) -> Answer {
    // An id that is not a number matches no event.
    let id = id.parse().unwrap_or(0);
    response::cacheable(&request, &features::activity::event(&store, id).await?)
}

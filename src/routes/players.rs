//! Player pages and their parts.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::{App, Store};
use crate::domain::scores::Metric;
use crate::domain::viewer::Viewer;
use crate::features;
use crate::http::client;
use crate::http::params::Params;
use crate::http::response::{self, Answer, Fails};
use crate::http::viewer::SignedIn;
use crate::views::OffsetPagination;
use crate::views::activity::ActivityRow;
use crate::views::career::CareerView;
use crate::views::players::{DayValue, MissionRow, PlayerPage, VehicleRow, WeaponRow};
use crate::views::sessions::Done;

#[derive(Serialize, ToSchema)]
pub struct PlayerAnswer {
    pub player: PlayerPage,
}

/// Returns a player's page. Of a hidden player, other users see only the handle.
#[utoipa::path(get, path = "/api/player/{handle}", security((), ("session" = [])),
    responses((status = 200, body = PlayerAnswer), Fails<404>))]
pub async fn profile(app: Data<App>, request: HttpRequest, viewer: Viewer, handle: Path<String>) -> Answer {
    let player = features::players::profile(&app, &viewer, &handle).await?;
    response::cacheable(&request, &PlayerAnswer { player })
}

/// What all parts of a player's page take.
type Part = (HttpRequest, Viewer, Path<String>, Params);

#[derive(Serialize, ToSchema)]
pub struct WeaponList {
    pub data: Vec<WeaponRow>,
}

/// Lists kills by weapon, most first.
#[utoipa::path(get, path = "/api/player/{handle}/weapons", security((), ("session" = [])),
    params(("handle" = String, Path), ("limit" = Option<i64>, Query, description = "1 to 100, default 50"), ("gameMode" = Option<String>, Query, description = "PU or AC")),
    responses((status = 200, body = WeaponList), Fails<400>, Fails<404>))]
pub async fn weapons(store: Data<Store>, (request, viewer, handle, params): Part) -> Answer {
    let limit = params.int("limit", 50, 1..=100)? as usize;
    let data = features::players::weapons(&store, &viewer, &handle, params.game_mode()?, limit).await?;
    response::cacheable(&request, &WeaponList { data })
}

#[derive(Serialize, ToSchema)]
pub struct VehicleList {
    pub data: Vec<VehicleRow>,
}

/// Lists uses by vehicle, most first.
#[utoipa::path(get, path = "/api/player/{handle}/vehicles", security((), ("session" = [])),
    params(("handle" = String, Path), ("limit" = Option<i64>, Query, description = "1 to 100, default 50"), ("gameMode" = Option<String>, Query, description = "PU or AC")),
    responses((status = 200, body = VehicleList), Fails<400>, Fails<404>))]
pub async fn vehicles(store: Data<Store>, (request, viewer, handle, params): Part) -> Answer {
    let limit = params.int("limit", 50, 1..=100)? as usize;
    let data = features::players::vehicles(&store, &viewer, &handle, params.game_mode()?, limit).await?;
    response::cacheable(&request, &VehicleList { data })
}

#[derive(Serialize, ToSchema)]
pub struct MissionList {
    pub data: Vec<MissionRow>,
}

/// Lists contracts, most accepted first.
#[utoipa::path(get, path = "/api/player/{handle}/missions", security((), ("session" = [])),
    params(("handle" = String, Path), ("limit" = Option<i64>, Query, description = "1 to 100, default 100")),
    responses((status = 200, body = MissionList), Fails<400>, Fails<404>))]
pub async fn missions(store: Data<Store>, (request, viewer, handle, params): Part) -> Answer {
    let limit = params.int("limit", 100, 1..=100)? as usize;
    let data = features::players::missions(&store, &viewer, &handle, limit).await?;
    response::cacheable(&request, &MissionList { data })
}

#[derive(Serialize, ToSchema)]
pub struct PlayerActivity {
    pub data: Vec<ActivityRow>,
    pub pagination: OffsetPagination,
}

/// Lists the newest events of a player.
#[utoipa::path(get, path = "/api/player/{handle}/activity", security((), ("session" = [])),
    params(("handle" = String, Path), ("limit" = Option<i64>, Query, description = "1 to 100, default 50"), ("offset" = Option<i64>, Query),
        ("before" = Option<String>, Query, description = "id of the last row seen"), ("filter" = Option<String>, Query, description = "pve, pvp, vehicles or missions")),
    responses((status = 200, body = PlayerActivity), Fails<400>, Fails<404>))]
pub async fn activity(store: Data<Store>, (request, viewer, handle, params): Part) -> Answer {
    let (data, pagination) = features::activity::of_player(&store, &viewer, &handle, params.feed(50)?).await?;
    response::cacheable(&request, &PlayerActivity { data, pagination })
}

#[derive(Serialize, ToSchema)]
pub struct History {
    pub data: Vec<DayValue>,
}

/// Returns a daily series of one metric, oldest first.
#[utoipa::path(get, path = "/api/player/{handle}/history", security((), ("session" = [])),
    params(("handle" = String, Path), ("metric" = Option<Metric>, Query, description = "default overall"), ("days" = Option<i64>, Query, description = "1 to 365, default 30")),
    responses((status = 200, body = History), Fails<400>, Fails<404>))]
pub async fn history(store: Data<Store>, (request, viewer, handle, params): Part) -> Answer {
    let days = params.int("days", 30, 1..=365)? as i32;
    let data = features::players::history(&store, &viewer, &handle, params.metric("metric")?, days).await?;
    response::cacheable(&request, &History { data })
}

#[derive(Serialize, ToSchema)]
pub struct Career {
    pub data: CareerView,
}

/// Returns what a player does in the Persistent Universe: time, contracts, ships, lives and records.
#[utoipa::path(get, path = "/api/player/{handle}/career", security((), ("session" = [])),
    params(("handle" = String, Path), ("days" = Option<i64>, Query, description = "1 to 365, default 30")),
    responses((status = 200, body = Career), Fails<400>, Fails<404>))]
pub async fn career(app: Data<App>, (request, viewer, handle, params): Part) -> Answer {
    let days = params.int("days", 30, 1..=365)? as i32;
    let data = features::players::career(&app, &viewer, &handle, days).await?;
    response::cacheable(&request, &Career { data })
}

#[derive(Serialize, ToSchema)]
pub struct Views {
    pub views: i64,
}

/// Counts a view once per visitor and day.
#[utoipa::path(post, path = "/api/player/{handle}/view", security((), ("session" = [])),
    responses((status = 200, body = Views), Fails<404>))]
pub async fn view(app: Data<App>, request: HttpRequest, viewer: Viewer, handle: Path<String>) -> Answer {
    let address = client::address(&request, &app.settings.trusted_proxies);
    let views = features::players::view(&app, &viewer, &handle, address).await?;
    response::ok(&Views { views })
}

/// Reads a player from the game's site again, for the owner or an admin. At most once in 300 s.
#[utoipa::path(post, path = "/api/player/update-profile/{handle}",
    responses((status = 200, body = Done), Fails<401>, Fails<404>, Fails<409>, Fails<502>))]
pub async fn update(app: Data<App>, viewer: SignedIn, handle: Path<String>) -> Answer {
    response::done(features::refresh::update(&app, &viewer.0, &handle).await)
}

//! Guild pages and their parts.

use actix_web::HttpRequest;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::{App, Store};
use crate::domain::scores::Metric;
use crate::features;
use crate::http::client;
use crate::http::params::Params;
use crate::http::response::{self, Answer, Fails};
use crate::views::OffsetPagination;
use crate::views::activity::GuildActivityRow;
use crate::views::guilds::{GuildCareer, GuildMember, GuildSettings, GuildStats, GuildView};

use super::players::Views;

#[derive(Serialize, ToSchema)]
pub struct GuildAnswer {
    pub guild: GuildView,
}

/// Returns a guild's page.
#[utoipa::path(get, path = "/api/guild/{tag}", responses((status = 200, body = GuildAnswer), Fails<404>))]
pub async fn profile(app: Data<App>, request: HttpRequest, tag: Path<String>) -> Answer {
    response::cacheable(&request, &GuildAnswer { guild: features::guilds::profile(&app, &tag).await? })
}

#[derive(Serialize, ToSchema)]
pub struct GuildStatsAnswer {
    pub data: GuildStats,
}

/// Returns the sums of a guild over its current members.
#[utoipa::path(get, path = "/api/guild/stats/{tag}", responses((status = 200, body = GuildStatsAnswer), Fails<404>))]
pub async fn stats(store: Data<Store>, request: HttpRequest, tag: Path<String>) -> Answer {
    response::cacheable(&request, &GuildStatsAnswer { data: features::guilds::stats(&store, &tag).await? })
}

#[derive(Serialize, ToSchema)]
pub struct GuildCareerAnswer {
    pub data: GuildCareer,
}

/// Returns what the members of a guild do in the Persistent Universe: career, contracts and givers.
#[utoipa::path(get, path = "/api/guild/{tag}/career", responses((status = 200, body = GuildCareerAnswer), Fails<404>))]
pub async fn career(app: Data<App>, request: HttpRequest, tag: Path<String>) -> Answer {
    response::cacheable(&request, &GuildCareerAnswer { data: features::guilds::career(&app, &tag).await? })
}

#[derive(Serialize, ToSchema)]
pub struct GuildSettingsAnswer {
    pub settings: GuildSettings,
}

/// Returns the settings that the owner of a guild chose.
#[utoipa::path(get, path = "/api/guild/settings/{tag}",
    responses((status = 200, body = GuildSettingsAnswer), Fails<404>))]
pub async fn settings(store: Data<Store>, request: HttpRequest, tag: Path<String>) -> Answer {
    response::cacheable(&request, &GuildSettingsAnswer { settings: features::guilds::settings(&store, &tag).await? })
}

#[derive(Serialize, ToSchema)]
pub struct GuildMembers {
    pub members: Vec<GuildMember>,
    pub pagination: OffsetPagination,
}

/// Lists the visible members of a guild, best first.
#[utoipa::path(get, path = "/api/guild/{tag}/members",
    params(("tag" = String, Path), ("limit" = Option<i64>, Query, description = "1 to 100, default 100"), ("offset" = Option<i64>, Query),
        ("sortBy" = Option<Metric>, Query, description = "default overall")),
    responses((status = 200, body = GuildMembers), Fails<400>, Fails<404>))]
pub async fn members(store: Data<Store>, request: HttpRequest, tag: Path<String>, params: Params) -> Answer {
    let limit = params.int("limit", 100, 1..=100)?;
    let offset = params.int("offset", 0, 0..=i64::from(i32::MAX))?;
    let metric = params.metric("sortBy")?;
    let (members, pagination) = features::guilds::members(&store, &tag, metric, limit, offset).await?;
    response::cacheable(&request, &GuildMembers { members, pagination })
}

#[derive(Serialize, ToSchema)]
pub struct GuildActivity {
    pub data: Vec<GuildActivityRow>,
    pub pagination: OffsetPagination,
}

/// Lists the newest events of a guild's visible members.
#[utoipa::path(get, path = "/api/guild/{tag}/activity",
    params(("tag" = String, Path), ("limit" = Option<i64>, Query, description = "1 to 100, default 50"), ("offset" = Option<i64>, Query),
        ("before" = Option<String>, Query, description = "id of the last row seen"), ("filter" = Option<String>, Query, description = "pve, pvp, vehicles or missions")),
    responses((status = 200, body = GuildActivity), Fails<400>, Fails<404>))]
pub async fn activity(store: Data<Store>, request: HttpRequest, tag: Path<String>, params: Params) -> Answer {
    let (data, pagination) = features::activity::of_guild(&store, &tag, params.feed(50)?).await?;
    response::cacheable(&request, &GuildActivity { data, pagination })
}

/// Counts a view once per visitor and day.
#[utoipa::path(post, path = "/api/guild/{tag}/view", responses((status = 200, body = Views), Fails<404>))]
pub async fn view(app: Data<App>, request: HttpRequest, tag: Path<String>) -> Answer {
    let address = client::address(&request, &app.settings.trusted_proxies);
    response::ok(&Views { views: features::guilds::view(&app, &tag, address).await? })
}

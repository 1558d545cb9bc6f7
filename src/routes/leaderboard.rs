//! Leaderboards.

use actix_web::HttpRequest;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::domain::scores::Metric;
use crate::domain::windows::Window;
use crate::features::leaderboard::{self, BoardQuery};
use crate::http::params::Params;
use crate::http::response::{self, Answer, Fails};
use crate::http::response_cache::ResponseCache;
use crate::views::guilds::GuildRow;
use crate::views::players::PlayerRow;
use crate::views::{OffsetPagination, PagePagination};

/// The last page of a leaderboard that can be requested.
const MAX_PAGE: i64 = 1_000_000;

/// The cache key of a leaderboard response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Board {
    Top(BoardQuery),
    Players(BoardQuery),
    Guilds(BoardQuery),
}

type BoardResponses = Data<ResponseCache<Board>>;

#[derive(Serialize, ToSchema)]
pub struct TopPlayers {
    pub players: Vec<PlayerRow>,
}

/// Lists the best players of all time.
#[utoipa::path(get, path = "/api/players/top",
    params(("sortBy" = Option<Metric>, Query, description = "default overall"), ("limit" = Option<i64>, Query, description = "1 to 100, default 5")),
    responses((status = 200, body = TopPlayers), Fails<400>))]
pub async fn top(app: Data<App>, cache: BoardResponses, request: HttpRequest, params: Params) -> Answer {
    let query = BoardQuery::top(params.metric("sortBy")?, Window::All, params.int("limit", 5, 1..=100)?);
    let make = async || response::success_json(&TopPlayers { players: leaderboard::players(&app, query).await?.0 });
    cache.respond(&app.projections, &request, Board::Top(query), make).await
}

#[derive(Serialize, ToSchema)]
pub struct PlayersBoard {
    pub players: Vec<PlayerRow>,
    pub pagination: PagePagination,
}

/// Returns a page of the player leaderboard.
#[utoipa::path(get, path = "/api/players/leaderboard",
    params(("sortBy" = Option<Metric>, Query, description = "default overall"), ("order" = Option<String>, Query, description = "desc (default) or asc"),
        ("page" = Option<i64>, Query, description = "from 1"), ("limit" = Option<i64>, Query, description = "1 to 100, default 30"),
        ("window" = Option<String>, Query, description = "all (default), 24h, 7d, 30d, patch")
        ),
    responses((status = 200, body = PlayersBoard), Fails<400>))]
pub async fn players(app: Data<App>, cache: BoardResponses, request: HttpRequest, params: Params) -> Answer {
    let page = params.int("page", 1, 1..=MAX_PAGE)?;
    let limit = params.int("limit", 30, 1..=100)?;
    let query = BoardQuery {
        metric: params.metric("sortBy")?,
        is_desc: params.is_desc("order")?,
        window: params.window()?,
        limit,
        offset: (page - 1) * limit,
    };
    let make = async || {
        let (players, total) = leaderboard::players(&app, query).await?;
        let pagination = PagePagination { page, limit, total, has_next_page: page * limit < total };
        response::success_json(&PlayersBoard { players, pagination })
    };
    cache.respond(&app.projections, &request, Board::Players(query), make).await
}

#[derive(Serialize, ToSchema)]
pub struct GuildsBoard {
    pub data: Vec<GuildRow>,
    pub pagination: OffsetPagination,
}

/// Returns a part of the guild leaderboard.
#[utoipa::path(get, path = "/api/guilds/leaderboard",
    params(("sortBy" = Option<Metric>, Query, description = "default overall"), ("sortOrder" = Option<String>, Query, description = "desc (default) or asc"),
        ("limit" = Option<i64>, Query, description = "1 to 100, default 30"), ("offset" = Option<i64>, Query, description = "from 0"),
        ("window" = Option<String>, Query, description = "all (default), 24h, 7d, 30d, patch")
        ),
    responses((status = 200, body = GuildsBoard), Fails<400>))]
pub async fn guilds(app: Data<App>, cache: BoardResponses, request: HttpRequest, params: Params) -> Answer {
    let query = BoardQuery {
        metric: params.metric("sortBy")?,
        is_desc: params.is_desc("sortOrder")?,
        window: params.window()?,
        limit: params.int("limit", 30, 1..=100)?,
        offset: params.int("offset", 0, 0..=MAX_PAGE * 100)?,
    };
    let make = async || {
        let (data, pagination) = leaderboard::guilds(&app, query).await?;
        response::success_json(&GuildsBoard { data, pagination })
    };
    cache.respond(&app.projections, &request, Board::Guilds(query), make).await
}

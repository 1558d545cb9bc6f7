//! Search suggestions.

use actix_web::HttpRequest;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::domain::viewer::Viewer;
use crate::features;
use crate::http::params::Params;
use crate::http::response::{self, Answer, Fails};
use crate::search::Kind;
use crate::views::search::SearchResult;

#[derive(Serialize, ToSchema)]
pub struct SearchAnswer {
    pub results: Vec<SearchResult>,
}

async fn answer_for(
    app: &App,
    request: &HttpRequest,
    viewer: &Viewer,
    params: &Params,
    kind: Kind,
    default: i64,
) -> Answer {
    let limit = params.int("limit", default, 1..=20)?;
    let (text, limit) = (params.text("q").unwrap_or_default(), limit as usize);
    if let Some(results) = features::search::suggest_hidden(app, viewer, kind, text, limit).await? {
        return response::ok(&SearchAnswer { results });
    }
    let results = features::search::suggest(&app.projections, kind, text, limit)?;
    response::cacheable(request, &SearchAnswer { results })
}

/// Finds players or guilds whose handle, name or tag begins with a text. Only owners and admins find hidden profiles.
#[utoipa::path(get, path = "/api/search/fast", security((), ("session" = [])),
    params(("q" = Option<String>, Query, description = "at least 2 characters"), ("type" = Option<String>, Query, description = "player (default) or guild"),
        ("limit" = Option<i64>, Query, description = "1 to 20, default 8")),
    responses((status = 200, body = SearchAnswer), Fails<400>))]
pub async fn fast(app: Data<App>, request: HttpRequest, viewer: Viewer, params: Params) -> Answer {
    let kind = params.one_of("type", Kind::Player, &[("player", Kind::Player), ("guild", Kind::Guild)])?;
    answer_for(&app, &request, &viewer, &params, kind, 8).await
}

/// Finds players whose handle or name begins with a text. Only owners and admins find hidden profiles.
#[utoipa::path(get, path = "/api/search/players", security((), ("session" = [])),
    params(("q" = Option<String>, Query), ("limit" = Option<i64>, Query, description = "1 to 20, default 8")),
    responses((status = 200, body = SearchAnswer), Fails<400>))]
pub async fn players(app: Data<App>, request: HttpRequest, viewer: Viewer, params: Params) -> Answer {
    answer_for(&app, &request, &viewer, &params, Kind::Player, 8).await
}

/// Finds guilds whose tag or name begins with a text.
#[utoipa::path(get, path = "/api/search/guilds",
    params(("q" = Option<String>, Query), ("limit" = Option<i64>, Query, description = "1 to 20, default 8")),
    responses((status = 200, body = SearchAnswer), Fails<400>))]
pub async fn guilds(app: Data<App>, request: HttpRequest, params: Params) -> Answer {
    // Guilds cannot be hidden, so the answer is the same for everybody.
    answer_for(&app, &request, &Viewer::Guest, &params, Kind::Guild, 8).await
}

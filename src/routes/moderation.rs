//! Moderation by admins, and the history of it.

use actix_web::{HttpResponse, web};

use crate::app::{App, Store};
use crate::domain::trust::State;
use crate::error::AppError;
use crate::features::moderation::{self, EventFilter, Selection};
use crate::http::body::JsonBody;
use crate::http::params::Params;
use crate::http::response;
use crate::http::viewer::SignedIn;
use crate::views::moderation::{
    AdminEventPage, ModerationPage, ModerationPreview, ModerationRequest, ModerationSelect, StartedEntry, UndoRequest,
};

/// Computes the effect of an action on events and figures, without applying it. For admins.
#[utoipa::path(post, path = "/api/admin/moderation/preview", request_body = ModerationRequest,
    responses((status = 200, body = ModerationPreview), (status = 400, body = response::Failure),
        (status = 401, body = response::Failure), (status = 403, body = response::Failure), (status = 404, body = response::Failure)))]
pub async fn preview(
    store: web::Data<Store>,
    viewer: SignedIn,
    body: JsonBody<ModerationRequest>,
) -> Result<HttpResponse, AppError> {
    moderation::require_admin(&viewer.0)?;
    let ModerationRequest { action, select, .. } = body.0;
    response::ok(&moderation::preview(&store, action.into(), Selection::new(select)?).await?)
}

/// Voids, holds or releases events. The response names the entry of the history, which a job applies. For admins.
#[utoipa::path(post, path = "/api/admin/moderation", request_body = ModerationRequest,
    responses((status = 200, body = StartedEntry), (status = 400, body = response::Failure),
        (status = 401, body = response::Failure), (status = 403, body = response::Failure), (status = 404, body = response::Failure)))]
pub async fn start(
    app: web::Data<App>,
    viewer: SignedIn,
    body: JsonBody<ModerationRequest>,
) -> Result<HttpResponse, AppError> {
    moderation::require_admin(&viewer.0)?;
    let ModerationRequest { action, select, reason } = body.0;
    let selection = Selection::new(select)?;
    let entry = moderation::start(&app.into_inner(), &viewer.0, action.into(), selection, &reason).await?;
    response::ok(&StartedEntry { entry })
}

/// Reverts an entry of the history. For admins.
#[utoipa::path(post, path = "/api/admin/moderation/{id}/undo", params(("id" = i64, Path)), request_body = UndoRequest,
    responses((status = 200, body = StartedEntry), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 404, body = response::Failure), (status = 409, body = response::Failure)))]
pub async fn undo(
    app: web::Data<App>,
    viewer: SignedIn,
    id: web::Path<String>,
    body: JsonBody<UndoRequest>,
) -> Result<HttpResponse, AppError> {
    moderation::require_admin(&viewer.0)?;
    let id = id.parse().map_err(|_| AppError::invalid_value("id", &id, "a whole number"))?;
    let entry = moderation::start_undo(&app.into_inner(), &viewer.0, id, &body.0.reason).await?;
    response::ok(&StartedEntry { entry })
}

/// Lists events of all states, newest first. For admins.
#[utoipa::path(get, path = "/api/admin/events",
    params(("key" = Option<i64>, Query, description = "events that this ingest key reported"),
        ("account" = Option<String>, Query, description = "events that the account with this Discord id reported"),
        ("player" = Option<String>, Query, description = "events of the player with this handle"),
        ("state" = Option<String>, Query, description = "stands, held or void"),
        ("before" = Option<i64>, Query, description = "next of the previous page"),
        ("limit" = Option<i64>, Query, description = "1 to 100, default 50")),
    responses((status = 200, body = AdminEventPage), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 404, body = response::Failure)))]
pub async fn events(store: web::Data<Store>, viewer: SignedIn, params: Params) -> Result<HttpResponse, AppError> {
    let text = |name: &str| params.text(name).filter(|text| !text.is_empty()).map(ToOwned::to_owned);
    let select = ModerationSelect {
        key: params.optional_id("key")?,
        account: text("account"),
        player: text("player"),
        ..ModerationSelect::default()
    };
    let selection = if select == ModerationSelect::default() { None } else { Some(Selection::new(select)?) };
    let state = match params.text("state").filter(|text| !text.is_empty()) {
        None => None,
        Some(text) => {
            Some(State::parse(text).ok_or_else(|| AppError::invalid_value("state", text, "stands, held or void"))?)
        }
    };
    let filter = EventFilter {
        selection,
        state,
        before: params.optional_id("before")?,
        limit: params.int("limit", 50, 1..=100)?,
    };
    response::ok(&moderation::list_events(&store, &viewer.0, filter).await?)
}

/// Lists what admins did to events, newest first. For admins.
#[utoipa::path(get, path = "/api/admin/moderation",
    params(("before" = Option<i64>, Query, description = "next of the previous page"),
        ("limit" = Option<i64>, Query, description = "1 to 100, default 50")),
    responses((status = 200, body = ModerationPage), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure)))]
pub async fn list(store: web::Data<Store>, viewer: SignedIn, params: Params) -> Result<HttpResponse, AppError> {
    moderation::require_admin(&viewer.0)?;
    let (before, limit) = (params.optional_id("before")?, params.int("limit", 50, 1..=100)?);
    response::ok(&moderation::list(&store, before, limit).await?)
}

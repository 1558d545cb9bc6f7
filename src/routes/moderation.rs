//! Moderation by admins, and the history of it.

use actix_web::web::{Data, Path};

use crate::app::{App, Store};
use crate::error::AppError;
use crate::features::moderation;
use crate::http::body::JsonBody;
use crate::http::params::Params;
use crate::http::response::{self, Answer, Fails};
use crate::http::viewer::SignedIn;
use crate::views::moderation::{AdminReportPage, ModerationPage, ModerationRequest, ModerationTarget, StartedEntry};

/// Blocks, removes, pins, renames or merges. The response names the entry of the history; a job applies it to stored reports. For admins.
#[utoipa::path(post, path = "/api/admin/moderation", request_body = ModerationRequest,
    responses((status = 200, body = StartedEntry), Fails<400>, Fails<401>, Fails<404>, Fails<409>))]
pub async fn start(app: Data<App>, viewer: SignedIn, body: JsonBody<ModerationRequest>) -> Answer {
    let entry = moderation::start(&app.into_inner(), &viewer.0, body.0).await?;
    response::ok(&StartedEntry { entry })
}

/// Undoes an entry of the history. For admins.
#[utoipa::path(post, path = "/api/admin/moderation/{id}/undo", params(("id" = i64, Path)),
    responses((status = 200, body = StartedEntry), Fails<400>, Fails<401>, Fails<404>, Fails<409>))]
pub async fn undo(app: Data<App>, viewer: SignedIn, id: Path<String>) -> Answer {
    let id = id.parse().map_err(|_| AppError::invalid_value("id", &id, "a whole number"))?;
    let entry = moderation::start_undo(&app.into_inner(), &viewer.0, id).await?;
    response::ok(&StartedEntry { entry })
}

/// Lists the reports that an action would concern, in the order of their arrival. For admins.
#[utoipa::path(get, path = "/api/admin/reports",
    params(("key" = Option<i64>, Query, description = "reports of this ingest key"),
        ("account" = Option<String>, Query, description = "reports of the account with this Discord id"),
        ("player" = Option<String>, Query, description = "reports from the own log of the player with this handle"),
        ("event" = Option<i64>, Query, description = "reports of this event"),
        ("from" = Option<i64>, Query, description = "epoch seconds: only events at or after this time"),
        ("until" = Option<i64>, Query, description = "epoch seconds: only events before this time"),
        ("after" = Option<i64>, Query, description = "next of the previous page"),
        ("limit" = Option<i64>, Query, description = "1 to 100, default 50")),
    responses((status = 200, body = AdminReportPage), Fails<400>, Fails<401>, Fails<404>))]
pub async fn reports(store: Data<Store>, viewer: SignedIn, params: Params) -> Answer {
    let text = |name: &str| params.text(name).filter(|text| !text.is_empty()).map(ToOwned::to_owned);
    let target = ModerationTarget {
        key: params.optional_id("key")?,
        account: text("account"),
        player: text("player"),
        event: params.optional_id("event")?,
        patch: None,
        from: params.optional_id("from")?,
        until: params.optional_id("until")?,
    };
    let (after, limit) = (params.optional_id("after")?.unwrap_or(0), params.int("limit", 50, 1..=100)?);
    response::ok(&moderation::list_reports(&store, &viewer.0, target, after, limit).await?)
}

/// Lists what admins did, newest first. For admins.
#[utoipa::path(get, path = "/api/admin/moderation",
    params(("before" = Option<i64>, Query, description = "next of the previous page"),
        ("limit" = Option<i64>, Query, description = "1 to 100, default 50")),
    responses((status = 200, body = ModerationPage), Fails<400>, Fails<401>))]
pub async fn list(store: Data<Store>, viewer: SignedIn, params: Params) -> Answer {
    moderation::require_admin(&viewer.0)?;
    let (before, limit) = (params.optional_id("before")?, params.int("limit", 50, 1..=100)?);
    response::ok(&moderation::list(&store, before, limit).await?)
}

//! Disputes of events by players, and decisions of admins about them.

use actix_web::{HttpResponse, web};

use crate::app::{App, Store};
use crate::error::AppError;
use crate::features::{disputes, moderation};
use crate::http::body::JsonBody;
use crate::http::params::Params;
use crate::http::response;
use crate::http::viewer::SignedIn;
use crate::views::disputes::{AdminDisputes, DecisionRequest, DisputeAnswer, DisputePage, DisputeRequest};
use crate::views::moderation::StartedEntry;

/// Disputes an event that names the player of the signed-in user. Five events a day (UTC).
#[utoipa::path(post, path = "/api/activity/{id}/dispute", params(("id" = String, Path)), request_body = DisputeRequest,
    responses((status = 200, body = DisputeAnswer), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 404, body = response::Failure), (status = 409, body = response::Failure),
        (status = 429, body = response::Failure)))]
pub async fn dispute(
    app: web::Data<App>,
    viewer: SignedIn,
    id: web::Path<String>,
    body: JsonBody<DisputeRequest>,
) -> Result<HttpResponse, AppError> {
    // An id that is not a number matches no event.
    let id = id.parse().unwrap_or(0);
    response::ok(&disputes::dispute(&app.into_inner(), &viewer.0, id, &body.0.reason).await?)
}

/// Takes back the dispute of the signed-in user. The event cannot be disputed again by the same account.
#[utoipa::path(delete, path = "/api/activity/{id}/dispute", params(("id" = String, Path)),
    responses((status = 200, body = DisputeAnswer), (status = 401, body = response::Failure),
        (status = 404, body = response::Failure), (status = 409, body = response::Failure)))]
pub async fn withdraw(app: web::Data<App>, viewer: SignedIn, id: web::Path<String>) -> Result<HttpResponse, AppError> {
    let id = id.parse().unwrap_or(0);
    response::ok(&disputes::withdraw(&app.into_inner(), &viewer.0, id).await?)
}

/// Lists the disputes of the signed-in user with their outcomes, newest first.
#[utoipa::path(get, path = "/api/me/disputes",
    params(("event" = Option<i64>, Query, description = "only the dispute of this event"),
        ("limit" = Option<i64>, Query, description = "1 to 100, default 50"),
        ("before" = Option<i64>, Query, description = "`next` of the previous page")),
    responses((status = 200, body = DisputePage), (status = 400, body = response::Failure), (status = 401, body = response::Failure)))]
pub async fn own(store: web::Data<Store>, viewer: SignedIn, params: Params) -> Result<HttpResponse, AppError> {
    let (event, before) = (params.optional_id("event")?, params.optional_id("before")?);
    let limit = params.int("limit", 50, 1..=100)?;
    response::ok(&disputes::list_own(&store, &viewer.0, event, before, limit).await?)
}

/// Lists open disputes, those with the largest effect on scores first, then decided ones. For admins.
#[utoipa::path(get, path = "/api/admin/disputes",
    responses((status = 200, body = AdminDisputes), (status = 401, body = response::Failure), (status = 403, body = response::Failure)))]
pub async fn all(store: web::Data<Store>, viewer: SignedIn) -> Result<HttpResponse, AppError> {
    response::ok(&moderation::list_disputes(&store, &viewer.0).await?)
}

/// Decides all open disputes of a disputed event: it never counts, or it counts again. The response names the entry of the ledger. For
/// admins.
#[utoipa::path(post, path = "/api/admin/disputes/{id}/decision", params(("id" = i64, Path)), request_body = DecisionRequest,
    responses((status = 200, body = StartedEntry), (status = 400, body = response::Failure), (status = 401, body = response::Failure),
        (status = 403, body = response::Failure), (status = 404, body = response::Failure), (status = 409, body = response::Failure)))]
pub async fn decide(
    app: web::Data<App>,
    viewer: SignedIn,
    id: web::Path<String>,
    body: JsonBody<DecisionRequest>,
) -> Result<HttpResponse, AppError> {
    moderation::require_admin(&viewer.0)?;
    let id = id.parse().map_err(|_| AppError::invalid_value("id", &id, "a whole number"))?;
    let DecisionRequest { decision, reason } = body.0;
    let entry = moderation::decide_dispute(&app.into_inner(), &viewer.0, id, decision, &reason).await?;
    response::ok(&StartedEntry { entry })
}

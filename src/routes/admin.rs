//! The admin page: state of the server and actions.

use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::{App, Store};
use crate::error::AppError;
use crate::features;
use crate::http::response::{self, Answer, Fails};
use crate::http::viewer::SignedIn;
use crate::views::admin::AdminState;
use crate::views::sessions::Done;

#[derive(Serialize, ToSchema)]
pub struct AdminStateAnswer {
    pub state: AdminState,
}

/// Returns the state of the server, without secrets, so it can be copied into a report.
#[utoipa::path(get, path = "/api/admin/state", responses((status = 200, body = AdminStateAnswer), Fails<401>))]
pub async fn state(app: Data<App>, viewer: SignedIn) -> Answer {
    response::ok(&AdminStateAnswer { state: features::admin::state(&app, &viewer.0).await? })
}

/// Triggers a run of a job.
#[utoipa::path(post, path = "/api/admin/jobs/{name}/run",
    responses((status = 200, body = Done), Fails<401>, Fails<404>))]
pub async fn run_job(app: Data<App>, viewer: SignedIn, name: Path<String>) -> Answer {
    response::done(features::admin::run_job(&app.diagnostics, &viewer.0, &name).await)
}

/// Switches a feed `on` or `off`.
#[utoipa::path(post, path = "/api/admin/statsfeed/{id}/{switch}", params(("id" = i64, Path), ("switch" = String, Path)),
    responses((status = 200, body = Done), Fails<400>, Fails<401>, Fails<404>))]
pub async fn switch_feed(store: Data<Store>, viewer: SignedIn, path: Path<(String, String)>) -> Answer {
    let (id, switch) = path.into_inner();
    response::done(features::admin::switch_feed(&store, &viewer.0, number(&id)?, &switch).await)
}

/// Sends a `test` to a configured webhook, or switches it `on` or `off`.
#[utoipa::path(post, path = "/api/admin/webhooks/{name}/{act}",
    responses((status = 200, body = Done), Fails<401>, Fails<404>))]
pub async fn webhook(app: Data<App>, viewer: SignedIn, path: Path<(String, String)>) -> Answer {
    let (name, act) = path.into_inner();
    response::done(features::admin::webhook(&app, &viewer.0, &name, &act).await)
}

/// Sends a delivery to its webhook again.
#[utoipa::path(post, path = "/api/admin/deliveries/{id}/again", params(("id" = i64, Path)),
    responses((status = 200, body = Done), Fails<400>, Fails<401>, Fails<404>))]
pub async fn deliver_again(app: Data<App>, viewer: SignedIn, id: Path<String>) -> Answer {
    response::done(features::admin::retry_delivery(&app, &viewer.0, number(&id)?).await)
}

/// Ends all sessions of a user.
#[utoipa::path(post, path = "/api/admin/users/{id}/sign-out", params(("id" = i64, Path)),
    responses((status = 200, body = Done), Fails<400>, Fails<401>, Fails<404>))]
pub async fn sign_out(store: Data<Store>, viewer: SignedIn, id: Path<String>) -> Answer {
    response::done(features::admin::sign_out(&store, &viewer.0, number(&id)?).await)
}

fn number(text: &str) -> Result<i64, AppError> {
    text.parse().map_err(|_| AppError::invalid_value("id", text, "a whole number"))
}

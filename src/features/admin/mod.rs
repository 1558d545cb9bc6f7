//! State of the server and actions of admins. Every function requires an admin.

mod rosters;
mod secrets;
mod sections;
mod visits;

use crate::app::App;
use crate::diagnostics::Diagnostics;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::webhooks;
use crate::store::{Store, sessions, statsfeed};
use crate::views::admin::{AdminError, AdminState};

/// Fails unless the viewer is an admin. `act` is what only admins can do.
pub fn require(viewer: &Member, act: &str) -> Result<(), AppError> {
    if viewer.is_admin { Ok(()) } else { Err(AppError::Forbidden(format!("Only admins of this site can {act}."))) }
}

fn require_admin(viewer: &Member) -> Result<(), AppError> {
    require(viewer, "see this page")
}

/// The state of the server. A section that cannot be read contains its error.
pub async fn state(app: &App, viewer: &Member) -> Result<AdminState, AppError> {
    require_admin(viewer)?;
    let errors = app.diagnostics.errors.newest().into_iter().map(|note| AdminError {
        at: note.at.secs(),
        code: note.code,
        message: secrets::redact(&app.settings, &note.message),
        request_id: note.request_id,
        path: note.path,
    });
    Ok(AdminState {
        version: env!("CARGO_PKG_VERSION"),
        started_at: app.process.started_at.secs(),
        at: app.store.now().secs(),
        sections: sections::all(app).await,
        errors: errors.collect(),
        visits: visits::totals(&app.store).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "page visits could not be read");
            Default::default()
        }),
    })
}

/// Runs a job of this process now.
pub async fn run_job(diagnostics: &Diagnostics, viewer: &Member, name: &str) -> Result<(), AppError> {
    require_admin(viewer)?;
    if !diagnostics.jobs.trigger(name) {
        return Err(AppError::NotFound("Unknown job.".into()));
    }
    tracing::info!(user = viewer.user_id, job = name, "an admin runs a job");
    Ok(())
}

/// Parses `on` or `off`.
fn parse_switch(switch: &str) -> Result<bool, AppError> {
    match switch {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(AppError::NotFound("Path not found. All paths are listed at /api.".into())),
    }
}

/// Enables or disables a feed. An enabled feed continues where it stopped.
pub async fn switch_feed(store: &Store, viewer: &Member, id: i64, switch: &str) -> Result<(), AppError> {
    require_admin(viewer)?;
    let is_on = parse_switch(switch)?;
    let changed = store
        .write(move |tx| {
            let changed =
                if is_on { statsfeed::enable(tx, id) } else { statsfeed::disable(tx, id, "Switched off by an admin.") };
            changed.map_err(AppError::from)
        })
        .await?;
    if changed == 0 {
        return Err(AppError::NotFound("Unknown feed.".into()));
    }
    tracing::info!(user = viewer.user_id, feed = id, switch, "an admin switched a feed");
    Ok(())
}

/// Tests, enables or disables a webhook.
pub async fn webhook(app: &App, viewer: &Member, name: &str, act: &str) -> Result<(), AppError> {
    require_admin(viewer)?;
    tracing::info!(user = viewer.user_id, webhook = name, act, "an admin acts on a webhook");
    if act == "test" {
        return webhooks::test(app, name).await;
    }
    webhooks::set_enabled(&app.store, name, parse_switch(act)?).await
}

/// Sends a webhook delivery again.
pub async fn retry_delivery(app: &App, viewer: &Member, id: i64) -> Result<(), AppError> {
    require_admin(viewer)?;
    webhooks::retry_delivery(app, id).await
}

/// Ends every session of a user.
pub async fn sign_out(store: &Store, viewer: &Member, user_id: i64) -> Result<(), AppError> {
    require_admin(viewer)?;
    let now = store.now().0;
    let ended = store.write(move |tx| sessions::end_all(tx, user_id, now).map_err(AppError::from)).await?;
    if ended == 0 {
        return Err(AppError::NotFound("This user is not signed in.".into()));
    }
    tracing::info!(user = viewer.user_id, of = user_id, ended, "an admin ended sessions");
    Ok(())
}

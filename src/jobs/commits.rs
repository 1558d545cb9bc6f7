//! Poller the configured repositories, since a push that got lost is never sent again.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::features;
use crate::features::leases::Lease;

/// A missed push shows after this time at the latest.
const EVERY: Duration = Duration::from_secs(5 * 60);

pub async fn poll(app: Arc<App>) {
    if let Err(error) = features::commits::seed_own_history(&app).await {
        tracing::warn!(%error, "the program's own history could not be stored");
    }
    let mut polls = match features::commits::Poller::of(&app) {
        Ok(polls) if !polls.is_empty() => polls,
        Ok(_) => return,
        Err(error) => return tracing::error!(%error, "no repository can be polled"),
    };
    let mut lease = Lease::of(&app, "commits", EVERY);
    loop {
        if lease.is_held().await {
            run(&app, "commits", polls.run(&app)).await;
        }
        app.diagnostics.jobs.wait_for_trigger("commits", EVERY).await;
    }
}

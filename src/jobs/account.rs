//! Forgets sessions, claims and tries that nobody can use any more.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::features;

const EVERY: Duration = Duration::from_secs(3600);

pub async fn forget(app: Arc<App>) {
    loop {
        run(&app, "account", features::account::delete_expired(&app)).await;
        app.diagnostics.jobs.wait_for_trigger("account", EVERY).await;
    }
}

//! Makes boards ready and counts those of windows again, so that no request waits for it.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;

const EVERY: Duration = Duration::from_secs(1);

pub async fn keep(app: Arc<App>) {
    app.projections.request_large_leaderboards();
    loop {
        run(&app, "windows", async { Ok(app.projections.refresh_leaderboards().await?) }).await;
        app.diagnostics.jobs.wait_for_trigger("windows", EVERY).await;
    }
}

//! Makes boards ready and counts those of windows again, so that no request waits for it.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::features;

const EVERY: Duration = Duration::from_secs(1);

pub async fn keep(app: Arc<App>) {
    features::leaderboard::want_all_of_a_large_site(&app);
    loop {
        run(&app, "windows", features::leaderboard::keep(&app)).await;
        app.diagnostics.jobs.wait_for_trigger("windows", EVERY).await;
    }
}

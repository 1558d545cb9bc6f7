//! Forgets old page visits.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::features;

const EVERY: Duration = Duration::from_secs(3600);

pub async fn forget(app: Arc<App>) {
    loop {
        run(&app, "visits", features::visits::forget(&app)).await;
        app.journal.jobs.pause("visits", EVERY).await;
    }
}

//! Forgets old page visits.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::features;
use crate::features::leases::Lease;

const EVERY: Duration = Duration::from_secs(3600);

pub async fn forget(app: Arc<App>) {
    let mut lease = Lease::of(&app, "visits", EVERY);
    loop {
        if lease.is_held().await {
            run(&app, "visits", features::visits::forget(&app)).await;
        }
        app.journal.jobs.pause("visits", EVERY).await;
    }
}

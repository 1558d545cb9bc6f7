//! Lets the feeds follow profiles that were hidden or shown.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::features;
use crate::features::leases::Lease;

const EVERY: Duration = Duration::from_secs(1);

pub async fn follow_hidden(app: Arc<App>) {
    let mut lease = Lease::of(&app, "feeds", EVERY);
    loop {
        if lease.is_held().await {
            run(&app, "feeds", features::activity::update_hidden_events(&app)).await;
        }
        app.diagnostics.jobs.wait_for_trigger("feeds", EVERY).await;
    }
}

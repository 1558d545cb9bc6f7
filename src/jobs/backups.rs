//! Makes backups when they are due.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::features;

const EVERY: Duration = Duration::from_secs(300);

pub async fn make(app: Arc<App>) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = features::backup::when_due(&app).await {
            tracing::error!(%error, "the backup that was due could not be made");
        }
    }
}

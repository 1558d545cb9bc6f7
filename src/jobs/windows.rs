//! Makes boards ready and counts those of windows anew, so that nobody waits for it.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::features;

const EVERY: Duration = Duration::from_secs(1);

pub async fn keep(app: Arc<App>) {
    features::leaderboard::want_all_of_a_large_site(&app);
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if let Err(error) = features::leaderboard::keep(&app).await {
            tracing::warn!(%error, "a board could not be made ready");
        }
    }
}

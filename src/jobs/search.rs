//! Keeps the search index with what changes by anything but events, here and in other processes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::features::index::Follower;

const EVERY: Duration = Duration::from_secs(1);
const TIDY_EVERY: Duration = Duration::from_secs(3_600);

pub async fn follow(app: Arc<App>) {
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut follower = None;
    let mut tidied = Instant::now();
    loop {
        ticks.tick().await;
        if follower.is_none() {
            follower =
                Follower::new(&app).await.inspect_err(|error| tracing::warn!(%error, "changes cannot be read")).ok();
        }
        let Some(follower) = &mut follower else { continue };
        if let Err(error) = follower.step(&app).await {
            tracing::warn!(%error, "the search index could not follow a change");
        }
        if tidied.elapsed() > TIDY_EVERY {
            tidied = Instant::now();
            if let Err(error) = follower.tidy(&app).await {
                tracing::warn!(%error, "old notes of changes could not be forgotten");
            }
        }
    }
}

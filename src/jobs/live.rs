//! The heartbeat of live streams, and the site's figures as they change.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::features;

const BEAT: Duration = Duration::from_secs(15);
/// Figures of the whole site change with nearly every event: they go out a few times a second at most.
const FIGURES: Duration = Duration::from_millis(300);

pub async fn beat(app: Arc<App>) {
    let mut ticks = interval(BEAT);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        app.live.beat();
    }
}

pub async fn figures(app: Arc<App>) {
    let mut ticks = interval(FIGURES);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        features::live::publish_figures(&app).await;
    }
}

//! The heartbeat of live streams, and the site's figures as they change.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::features;
use crate::features::live::BoardFeed;

const BEAT: Duration = Duration::from_secs(15);
/// Figures of the whole site change with nearly every event: they go out a few times a second at most.
const FIGURES: Duration = Duration::from_millis(300);
/// A board with a hundred rows is some 15 KB for everybody who watches it, so that it goes out twice a second at most.
const BOARDS: Duration = Duration::from_millis(450);

pub async fn beat(app: Arc<App>) {
    let mut ticks = interval(BEAT);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        app.projections.live().send_heartbeat();
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

pub async fn boards(app: Arc<App>) {
    publish_boards(app, BoardFeed::of_all_time()).await;
}

pub async fn window_boards(app: Arc<App>) {
    publish_boards(app, BoardFeed::of_windows()).await;
}

async fn publish_boards(app: Arc<App>, mut feed: BoardFeed) {
    let mut ticks = interval(BOARDS);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        ticks.tick().await;
        feed.publish(&app).await;
    }
}

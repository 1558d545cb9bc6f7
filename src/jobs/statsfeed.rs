//! Posts events to the channels that asked for them.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::features;
use crate::features::leases::Lease;

const EVERY: Duration = Duration::from_secs(1);

pub async fn post(app: Arc<App>) {
    let discord = match features::discord::bot(&app) {
        Ok(Some(discord)) => discord,
        Ok(None) => return,
        Err(error) => return tracing::error!(%error, "the bot cannot post"),
    };
    let mut lease = match Lease::of(&app, "statsfeed") {
        Ok(lease) => lease,
        Err(error) => return tracing::error!(%error, "the bot cannot post"),
    };
    let mut ticks = interval(EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if !lease.is_held().await {
            continue;
        }
        if let Err(error) = features::statsfeed::post(&app, &discord).await {
            tracing::warn!(%error, "feeds could not be read");
        }
    }
}

//! Forgets old page visits.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::interval;

use crate::app::App;
use crate::features;
use crate::features::leases::Lease;

const EVERY: Duration = Duration::from_secs(3600);

pub async fn forget(app: Arc<App>) {
    let mut lease = match Lease::of(&app, "visits") {
        Ok(lease) => lease,
        Err(error) => return tracing::error!(%error, "old visits cannot be forgotten"),
    };
    let mut ticks = interval(EVERY);
    loop {
        ticks.tick().await;
        if !lease.is_held().await {
            continue;
        }
        if let Err(error) = features::visits::forget(&app).await {
            tracing::warn!(%error, "old visits could not be forgotten");
        }
    }
}

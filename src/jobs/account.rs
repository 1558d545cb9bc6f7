//! Forgets sessions, claims and tries that nobody can use any more.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::interval;

use crate::app::App;
use crate::features;

const EVERY: Duration = Duration::from_secs(3600);

pub async fn forget(app: Arc<App>) {
    let mut ticks = interval(EVERY);
    loop {
        ticks.tick().await;
        if let Err(error) = features::account::forget_old(&app).await {
            tracing::warn!(%error, "old sessions and claims could not be forgotten");
        }
    }
}

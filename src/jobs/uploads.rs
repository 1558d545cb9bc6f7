//! Sweeps pictures that nothing names.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::interval;

use crate::app::App;
use crate::features;
use crate::features::leases::Lease;

const EVERY: Duration = Duration::from_secs(3600);

pub async fn sweep(app: Arc<App>) {
    let mut lease = match Lease::of(&app, "uploads") {
        Ok(lease) => lease,
        Err(error) => return tracing::error!(%error, "unused pictures cannot be swept"),
    };
    let mut ticks = interval(EVERY);
    loop {
        ticks.tick().await;
        if !lease.is_held().await {
            continue;
        }
        match features::uploads::sweep(&app).await {
            Ok(0) => {}
            Ok(files) => tracing::info!(files, "pictures that nothing names were removed"),
            Err(error) => tracing::warn!(%error, "unused pictures could not be swept"),
        }
    }
}

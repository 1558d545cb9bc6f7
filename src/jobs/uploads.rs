//! Sweeps pictures that nothing names.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::error::AppError;
use crate::features;
use crate::features::leases::Lease;

const EVERY: Duration = Duration::from_secs(3600);

pub async fn sweep(app: Arc<App>) {
    let mut lease = Lease::of(&app, "uploads", EVERY);
    loop {
        let sweep = async {
            let files = features::uploads::delete_unused(&app).await? + features::avatars::remove_unused(&app).await?;
            if files > 0 {
                tracing::info!(files, "pictures that nothing names were removed");
            }
            Ok::<_, AppError>(())
        };
        if lease.is_held().await {
            run(&app, "uploads", sweep).await;
        }
        app.diagnostics.jobs.wait_for_trigger("uploads", EVERY).await;
    }
}

//! Sweeps pictures that nothing names.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::error::AppError;
use crate::features;

const EVERY: Duration = Duration::from_secs(3600);

pub async fn sweep(app: Arc<App>) {
    loop {
        let sweep = async {
            let files = features::uploads::sweep(&app).await?;
            if files > 0 {
                tracing::info!(files, "pictures that nothing names were removed");
            }
            Ok::<_, AppError>(())
        };
        run(&app, "uploads", sweep).await;
        app.journal.jobs.pause("uploads", EVERY).await;
    }
}

//! Makes backups when they are due.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::error::AppError;
use crate::features;

const EVERY: Duration = Duration::from_secs(300);

pub async fn make(app: Arc<App>) {
    loop {
        let made = async { features::backup::run_if_due(&app).await.map_err(AppError::internal) };
        run(&app, "backups", made).await;
        app.diagnostics.jobs.wait_for_trigger("backups", EVERY).await;
    }
}

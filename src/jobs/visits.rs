//! Deletes old page visits, and at midnight (UTC) who has viewed which profile.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::domain::times::EpochMillis;
use crate::features;
use crate::features::leases::Lease;

const EVERY: Duration = Duration::from_secs(3600);

pub async fn forget(app: Arc<App>) {
    let mut lease = Lease::of(&app, "visits", EVERY);
    loop {
        if lease.is_held().await {
            let forget = async {
                let viewers = features::viewers::delete_old(&app).await?;
                Ok(viewers + features::visits::delete_old(&app).await?)
            };
            run(&app, "visits", forget).await;
        }
        let midnight = Duration::from_millis(EpochMillis::now().until_next_day().unsigned_abs());
        app.diagnostics.jobs.wait_for_trigger("visits", EVERY.min(midnight)).await;
    }
}

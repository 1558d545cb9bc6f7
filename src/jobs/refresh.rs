//! Reads claimed players and their guilds anew from the game's site, slowly and for ever.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::error::AppError;
use crate::features::leases::Lease;
use crate::features::refresh::{BackgroundRefresh, Outcome};

/// Between two pages, whatever the site would allow.
const PACE: Duration = Duration::from_secs(15);
/// After the site did not answer.
const LEAVE_ALONE: Duration = Duration::from_secs(300);
/// While nobody is stale.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

pub async fn refresh(app: Arc<App>) {
    let mut lease = Lease::of(&app, "refresh", LEAVE_ALONE);
    let mut refresh = BackgroundRefresh::default();
    loop {
        let mut rest = LOOK_AGAIN;
        let step = async {
            rest = match refresh.step(&app).await? {
                Outcome::Read => PACE,
                Outcome::Idle => LOOK_AGAIN,
                Outcome::Unavailable => LEAVE_ALONE,
            };
            Ok::<_, AppError>(())
        };
        // One process keeps the pace that the game's site is promised.
        if lease.is_held().await {
            run(&app, "refresh", step).await;
        } else {
            drop(step);
        }
        app.diagnostics.jobs.wait_for_trigger("refresh", rest).await;
    }
}

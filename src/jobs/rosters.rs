//! Reads the rosters of guilds from the game's site, at the pace of the settings.

use std::sync::Arc;
use std::time::Duration;

use super::run;
use crate::app::App;
use crate::error::AppError;
use crate::features::leases::Lease;
use crate::features::rosters::{JOB, Outcome, RosterReader};

/// Between a start and the first page: whoever waits for an answer comes first.
const START_AFTER: Duration = Duration::from_secs(60);
/// While no roster is due. The lease lasts longer.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

pub async fn read(app: Arc<App>) {
    let settings = &app.settings.rosters;
    if !settings.enabled {
        return;
    }
    let pace = Duration::from_secs(60) / settings.pages_per_minute.max(1);
    let mut lease = Lease::of(&app, JOB, LOOK_AGAIN);
    let mut rosters = RosterReader::default();
    app.diagnostics.jobs.wait_for_trigger(JOB, START_AFTER).await;
    loop {
        let mut rest = LOOK_AGAIN;
        if lease.is_held().await {
            let step = async {
                if rosters.step(&app).await? == Outcome::Read {
                    rest = pace;
                }
                Ok::<_, AppError>(())
            };
            run(&app, JOB, step).await;
        } else {
            rosters.stop();
        }
        app.diagnostics.jobs.wait_for_trigger(JOB, rest).await;
    }
}

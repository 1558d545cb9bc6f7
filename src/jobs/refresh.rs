//! Reads claimed players and their guilds anew from the game's site, slowly and for ever.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::app::App;
use crate::features::leases::Lease;
use crate::features::refresh::{Rounds, Step};

/// Between two pages, whatever the site would allow.
const PACE: Duration = Duration::from_secs(15);
/// After the site did not answer.
const LEAVE_ALONE: Duration = Duration::from_secs(300);
/// While nobody is stale.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

pub async fn rounds(app: Arc<App>) {
    let mut lease = match Lease::of(&app, "refresh") {
        Ok(lease) => lease,
        Err(error) => return tracing::error!(%error, "the stalest players and guilds cannot be read"),
    };
    let mut rounds = Rounds::default();
    loop {
        // One process keeps the pace that the game's site is promised.
        if !lease.is_held().await {
            sleep(LOOK_AGAIN).await;
            continue;
        }
        let rest = match rounds.step(&app).await {
            Ok(Step::Done) => PACE,
            Ok(Step::Idle) => LOOK_AGAIN,
            Ok(Step::Closed) => LEAVE_ALONE,
            Err(error) => {
                tracing::warn!(%error, "the stalest players and guilds could not be read");
                LOOK_AGAIN
            }
        };
        sleep(rest).await;
    }
}

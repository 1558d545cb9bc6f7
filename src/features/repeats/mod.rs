//! Repeated kills: a nightly job finds the kills of a pair beyond the first two in 90 days, and withholds or releases them by the
//! rule of `domain::trust`.
//!
//! Nothing is written when new events arrive: the job follows their gapless ids. Changes of stored events add the players of a kill
//! to the table `repeat_changes`. Each step is one short transaction, which takes its work from that table, so a
//! stopped job continues where it was.

mod changes;
mod circles;
mod decisions;
mod list;
mod pairs;

use std::time::{Duration, Instant};

pub use list::list_withheld;

use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::replication::RecordedChange;
use crate::store::{Store, repeats};

/// The job that applies the rule.
pub const JOB: &str = "repeats";

/// The longest time that [`run`] works; the lease of the job lasts longer.
const MAX_RUN: Duration = Duration::from_secs(20);

/// Whether the job has not completed a run on this UTC day. Its first run is in the first night.
pub async fn is_due(store: &Store, now: EpochMillis) -> Result<bool, AppError> {
    let today = now.day().0;
    match store.read(repeats::state).await?.ran_on {
        Some(day) => Ok(day < today),
        None => {
            store.write(move |tx| Ok::<_, AppError>(repeats::set_ran_on(tx, today)?)).await?;
            Ok(false)
        }
    }
}

/// Withholds and releases kills, with this share in percent. `publish` receives every committed change. Returns whether everything
/// is decided; if not, it is called again.
pub async fn run(
    store: &Store,
    share: u32,
    now: EpochMillis,
    publish: impl Fn(&RecordedChange) + Clone + Send + 'static,
) -> Result<bool, AppError> {
    let began = Instant::now();
    let is_over = || began.elapsed() > MAX_RUN;
    while changes::read_next_events(store).await? {
        if is_over() {
            return Ok(false);
        }
    }
    changes::follow_claims(store).await?;
    changes::follow_share(store, share).await?;
    while pairs::update_next(store).await? {
        if is_over() {
            return Ok(false);
        }
    }
    circles::update(store).await?;
    let rules = decisions::Rules::read(store, share).await?;
    while decisions::decide_next(store, &rules, publish.clone()).await? {
        if is_over() {
            return Ok(false);
        }
    }
    store.write(move |tx| Ok::<_, AppError>(repeats::set_ran_on(tx, now.day().0)?)).await?;
    Ok(true)
}

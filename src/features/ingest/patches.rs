//! Adopts patches that enough accounts report.

use std::collections::BTreeSet;

use crate::domain::events::EventKind;
use crate::domain::patches::Patch;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::domain::trust::{LIVE_WINDOW_MS, REPORT_WINDOW_MS, independent, is_possible_successor, required_reports};
use crate::store::ingest::PatchState;
use crate::store::{Tx, patch, users};

use super::classify::Submission;

/// An account is active if it was seen within this time.
const ACTIVE_MS: i64 = 7 * DAY_MS;
/// The number of active accounts from which three of them have to report a patch.
const ENOUGH_ACTIVE: i64 = 3;

/// Records the live logins of accounts on patches that are not adopted, and adopts those that enough accounts report.
pub(super) fn adopt_reported(
    tx: &mut Tx,
    new: &[Submission],
    states: &[PatchState],
    first_patch: Option<i64>,
    now: EpochMillis,
) -> diesel::QueryResult<()> {
    let waiting: BTreeSet<i64> =
        states.iter().filter(|state| state.adopted_at.is_none()).map(|state| state.version).collect();
    let live_login = |submission: &Submission| {
        let event = submission.event;
        let version = event.patch.as_ref().map(Patch::version).filter(|version| waiting.contains(version))?;
        let is_live = event.event_time.0 >= now.0 - LIVE_WINDOW_MS;
        let user_id = submission.reporter.scope.user_id()?;
        let is_login = event.identifier.kind() == EventKind::Login && submission.sender.is_live_channel;
        (is_live && is_login).then_some((version, user_id))
    };
    let logins: BTreeSet<(i64, i64)> = new.iter().filter_map(live_login).collect();
    if logins.is_empty() {
        return Ok(());
    }
    patch::add_reports(tx, &logins.iter().copied().collect::<Vec<_>>(), now.0)?;
    let versions: BTreeSet<i64> = logins.into_iter().map(|(version, _)| version).collect();
    for version in versions {
        let newest = patch::newest_version(tx)?.or(first_patch);
        if newest.is_some_and(|newest| !is_possible_successor(newest, version)) {
            continue;
        }
        let reporters = patch::reporters_since(tx, version, now.0 - REPORT_WINDOW_MS)?;
        let reports = independent(&users::ages(tx, &reporters)?, now);
        if reports >= required_reports(active(tx, now)?) {
            patch::adopt(tx, version, now.0)?;
        }
    }
    Ok(())
}

/// The number of accounts that were seen recently, up to `ENOUGH_ACTIVE`.
fn active(tx: &mut Tx, now: EpochMillis) -> diesel::QueryResult<usize> {
    let since = EpochMillis(now.0 - ACTIVE_MS).day();
    Ok(users::seen_since(tx, since, ENOUGH_ACTIVE)?.len())
}

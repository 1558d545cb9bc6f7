//! Adopts patches: those that operators report, and those that enough accounts report.

use std::collections::BTreeSet;

use crate::app::App;
use crate::domain::events::EventKind;
use crate::domain::patches::Patch;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{ACTIVE_DAYS, REPORT_WINDOW_MS, is_possible_successor, required_reports};
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::store::{Store, Tx, key_days, patch};

use super::batch::Batch;
use super::reports::NewReport;
use super::restate::restate_found;

/// The job that counts the events of adopted patches.
pub const JOB: &str = "adopted-patches";
/// The number of active accounts from which three of them have to report a patch.
const ENOUGH_ACTIVE: i64 = 3;

/// The newest patch that is adopted or pinned. `first_patch` is the one that is current before any is.
pub fn newest_patch(conn: &mut AnyConn, first_patch: Option<i64>) -> diesel::QueryResult<Option<i64>> {
    Ok(patch::newest_version(conn)?.or(first_patch))
}

/// The newest patch that a batch adopts: an operator's logs adopt what they tell.
pub(super) fn newest_reported(batch: &Batch, new: &[NewReport]) -> Option<i64> {
    let patches = new.iter().filter_map(|report| report.accepted.event.patch.as_ref());
    patches.map(Patch::version).max().filter(|_| batch.reporter.account.is_operator() && batch.is_live())
}

/// Notes the logins of an account on patches that are not adopted, and adopts those that enough accounts report. Returns whether it
/// adopts one.
pub(super) fn note_logins(
    tx: &mut Tx,
    batch: &Batch,
    new: &[NewReport],
    newest: Option<i64>,
    now: EpochMillis,
) -> diesel::QueryResult<bool> {
    let Some(user_id) = batch.reporter.account.user_id().filter(|_| batch.is_live()) else { return Ok(false) };
    let logins =
        new.iter().map(|report| &report.accepted.event).filter(|event| event.identifier.kind() == EventKind::Login);
    let versions: BTreeSet<i64> = logins
        .filter_map(|event| event.patch.as_ref().map(Patch::version))
        .filter(|version| Some(*version) > newest)
        .collect();
    let mut is_adopted = false;
    for version in versions {
        patch::add_report(tx, version, user_id, now.0)?;
        if newest.is_some_and(|newest| !is_possible_successor(newest, version)) {
            continue;
        }
        let reports = patch::count_reports(tx, version, now.0 - REPORT_WINDOW_MS)?;
        let active = key_days::active_accounts(tx, now.day().0 - ACTIVE_DAYS, ENOUGH_ACTIVE)?;
        if reports >= required_reports(active) {
            patch::adopt(tx, version, now.0)?;
            is_adopted = true;
        }
    }
    Ok(is_adopted)
}

/// Counts the stored events of patches that were adopted since, in short transactions.
pub async fn adopt_waiting(store: &Store, first_patch: Option<i64>) -> Result<(), AppError> {
    let find = move |conn: &mut AnyConn, limit| {
        let newest = newest_patch(conn, first_patch)?;
        newest.map_or(Ok(Vec::new()), |newest| patch::waiting_events(conn, newest, limit))
    };
    restate_found(store, find, |_, state| state.with_patch(true)).await
}

/// The version of the patch in the settings, which is current before any is adopted.
pub fn first_patch(app: &App) -> Option<i64> {
    Patch::parse(&app.settings.patch).map(|patch| patch.version())
}

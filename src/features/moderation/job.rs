//! The job that applies entries, and their undoing, to stored reports in short transactions. The position of an entry is in the database,
//! so a stopped process loses nothing.

use crate::domain::trust::{Action, ReportState};
use crate::error::AppError;
use crate::features::ingest;
use crate::store::conn::AnyConn;
use crate::store::moderation::{self, ModerationRow, ReportBounds, ReportSelection};
use crate::store::{Store, Tx, ingest as stored, patch};

use super::players;
use super::reports::{removal_under, target_of};

/// The number of reports per transaction.
const CHUNK: i64 = 250;

/// Applies all entries that are not applied.
pub async fn run_pending(store: &Store) -> Result<(), AppError> {
    while let Some(entry) = store.read(moderation::next_pending).await? {
        step(store, entry).await?;
    }
    Ok(())
}

/// Applies an entry to its next reports, or completes it.
async fn step(store: &Store, entry: ModerationRow) -> Result<(), AppError> {
    let (now, of_entry) = (store.now(), entry.clone());
    let next = store.read(move |conn| next_reports(conn, &of_entry)).await?;
    let apply = move |tx: &mut Tx| {
        let Some((position, _)) = next.last().copied() else {
            return Ok::<_, AppError>(moderation::set_applied(tx, entry.id)?);
        };
        if !moderation::advance(tx, entry.id, entry.position, position, next.len() as i64)? {
            return Ok(());
        }
        let event_ids: Vec<i64> = next.iter().map(|(_, event_id)| *event_id).collect();
        match entry.action() {
            Some(Action::Merge) => players::move_reports(tx, &entry, &next, now),
            Some(Action::Pin) => {
                let newest = patch::newest_version(tx)?.unwrap_or(i64::MAX);
                let state = |row: &stored::EventRow, state: ReportState| {
                    let is_newer = row.patch_version.is_some_and(|version| version > newest);
                    state.with_patch(!is_newer)
                };
                ingest::restate(tx, &event_ids, state, now)
            }
            _ => {
                let entries = moderation::in_force(tx)?;
                ingest::restate(tx, &event_ids, |row, state| state.with_removal(removal_under(&entries, row)), now)
            }
        }
    };
    store.write(apply).await
}

/// The next reports of an entry: `(report, event)`, by id.
fn next_reports(conn: &mut AnyConn, entry: &ModerationRow) -> diesel::QueryResult<Vec<(i64, i64)>> {
    if is_undone_merge(entry) {
        let merged = moderation::list_merged(conn, entry.id, entry.position, CHUNK)?;
        return Ok(merged.into_iter().map(|(id, sides)| (id, i64::from(sides))).collect());
    }
    let Some(selection) = selection_of(conn, entry)? else { return Ok(Vec::new()) };
    let found = moderation::select_reports(conn, selection, bounds(entry), CHUNK)?;
    Ok(found.into_iter().map(|report| (report.id, report.event_id)).collect())
}

fn bounds(entry: &ModerationRow) -> ReportBounds {
    // A batch that a blocked account was sending when it was blocked arrives after the entry.
    let is_block = matches!(entry.action(), Some(Action::Block | Action::Unblock));
    let last_id = if is_block { i64::MAX } else { entry.last_id };
    ReportBounds { after_id: entry.position, last_id, from: entry.from_time, until: entry.until_time }
}

/// The reports that an entry concerns; `None` if it concerns none.
fn selection_of(conn: &mut AnyConn, entry: &ModerationRow) -> diesel::QueryResult<Option<ReportSelection>> {
    Ok(match entry.action() {
        Some(Action::Merge) => entry.player_id.map(ReportSelection::NamingPlayer),
        // A pinned patch adopts what waits for it; an undone pin no longer does.
        Some(Action::Pin) => {
            let newest = patch::newest_version(conn)?.filter(|_| entry.undone_at.is_some());
            newest.map(ReportSelection::NewerPatches)
        }
        Some(Action::Rename) | None => None,
        Some(_) => target_of(entry).map(ReportSelection::Target),
    })
}

/// The number of reports that an entry, or its undoing, will process.
pub(super) fn count(conn: &mut AnyConn, entry: &ModerationRow) -> diesel::QueryResult<i64> {
    if is_undone_merge(entry) {
        return moderation::count_merged(conn, entry.id);
    }
    match selection_of(conn, entry)? {
        Some(selection) => moderation::count_reports(conn, selection, bounds(entry)),
        None => Ok(0),
    }
}

/// A merge changes back the reports that it changed.
fn is_undone_merge(entry: &ModerationRow) -> bool {
    entry.action() == Some(Action::Merge) && entry.undone_at.is_some()
}

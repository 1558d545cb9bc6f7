//! Stored reports that begin or cease to count, or whose players change: moderation, adopted patches, and further reports of a fight.

use std::collections::BTreeMap;

use crate::domain::times::EpochMillis;
use crate::domain::trust::{ReportState, share};
use crate::error::AppError;
use crate::store::changes::{self, Change};
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, EventRow};
use crate::store::{Store, Tx, activity, distinct};

use super::derived::Derived;
use super::rows::feed_entries;

/// The number of events per transaction of [`restate_found`].
const CHUNK: i64 = 500;

/// A report before and after a change.
pub type Revision = (EventRow, EventRow);

/// Gives the reports of events new states, and shares the sides of each event anew. `state` returns the state of a report from its row
/// and the state that it has. Figures, feeds and ranks follow.
pub fn restate(
    tx: &mut Tx,
    event_ids: &[i64],
    state: impl Fn(&EventRow, ReportState) -> ReportState,
    now: EpochMillis,
) -> Result<(), AppError> {
    let mut revisions: Vec<Revision> = Vec::new();
    for reports in by_event(ingest::lock_reports(tx, event_ids)?).into_values() {
        let restated: Vec<EventRow> =
            reports.iter().map(|row| EventRow { state: state(row, row.state()).code(), ..row.clone() }).collect();
        let shares = share(&restated.iter().map(EventRow::report).collect::<Vec<_>>());
        let after = restated.into_iter().zip(shares).map(|(row, sides)| EventRow { sides: sides.bits(), ..row });
        revisions.extend(reports.into_iter().zip(after).filter(|(before, after)| before != after));
    }
    revise(tx, &revisions, now)
}

/// Restates the events that `find` returns, in short transactions, until it returns none. Its number is the largest that it may return.
pub(super) async fn restate_found(
    store: &Store,
    find: impl Fn(&mut AnyConn, i64) -> diesel::QueryResult<Vec<i64>> + Copy + Send + 'static,
    state: impl Fn(&EventRow, ReportState) -> ReportState + Copy + Send + 'static,
) -> Result<(), AppError> {
    loop {
        let ids = store.read(move |conn| find(conn, CHUNK)).await?;
        if ids.is_empty() {
            return Ok(());
        }
        let now = store.now();
        store.write(move |tx| restate(tx, &ids, state, now)).await?;
    }
}

/// Reports by the event that they report.
pub(super) fn by_event(rows: Vec<EventRow>) -> BTreeMap<i64, Vec<EventRow>> {
    let mut by_event: BTreeMap<i64, Vec<EventRow>> = BTreeMap::new();
    rows.into_iter().for_each(|row| by_event.entry(row.event_id()).or_default().push(row));
    by_event
}

/// Stores changed reports and what follows from them.
pub fn revise(tx: &mut Tx, revisions: &[Revision], now: EpochMillis) -> Result<(), AppError> {
    if revisions.is_empty() {
        return Ok(());
    }
    let mut derived = Derived::default();
    let rows: Vec<EventRow> = revisions.iter().flat_map(|(before, after)| [before.clone(), after.clone()]).collect();
    derived.read_names(tx, &rows)?;
    derived.players.lock(tx)?;
    store_revisions(tx, revisions, &mut derived)?;
    let mut change = derived.store_players(tx)?;
    derived.store_shared(tx, now, &mut change)?;
    Ok(changes::record(tx, Change::Ingest(change))?)
}

/// Stores changed reports and their feed entries, and counts the difference.
pub(super) fn store_revisions(tx: &mut Tx, revisions: &[Revision], derived: &mut Derived) -> diesel::QueryResult<()> {
    if revisions.is_empty() {
        return Ok(());
    }
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for (before, after) in revisions {
        derived.replace(before, after);
        let (had, has) = (before.players_on(before.sides()), after.players_on(after.sides()));
        let gone = had.iter().filter(|id| !has.contains(id));
        removed.extend(gone.map(|player_id| (*player_id, before.event_time, before.id)));
        let entries = feed_entries(std::slice::from_ref(after), &derived.players);
        added.extend(entries.into_iter().filter(|entry| !had.contains(&entry.player_id)));
    }
    ingest::remove_event_players(tx, &removed)?;
    ingest::insert_event_players(tx, &added)?;
    ingest::update_reports(tx, revisions)?;
    // A report that is shown in place of a removed one is hidden no longer.
    let ids = distinct(revisions.iter().map(|(before, _)| before.event_id()));
    let reports = ingest::reports_of(tx, &ids)?;
    activity::mark_hidden(tx, &reports.iter().map(|row| row.id).collect::<Vec<_>>())
}

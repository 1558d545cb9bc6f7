//! Applies the entries of the history, oldest first, in short transactions.

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::trust::{Action, Reasons, TargetKind};
use crate::error::AppError;
use crate::features::ingest::{self, ChangedEvent, Decision};
use crate::replication::{self, Change, RecordedChange};
use crate::store::conn::AnyConn;
use crate::store::moderation::{self, EventBounds, IdOrder, ModerationEventRow, ModerationRow};
use crate::store::{Store, Tx, ingest as stored};

use super::target::{decision, selection_of};

/// The number of events per transaction.
pub(super) const CHUNK: i64 = 250;

/// Applies all entries that are not complete. `publish` receives every committed change.
pub async fn run_pending(
    store: &Store,
    publish: impl Fn(&RecordedChange) + Clone + Send + 'static,
) -> Result<(), AppError> {
    while let Some(entry) = store.read(moderation::next_running).await? {
        step(store, entry, publish.clone()).await?;
    }
    Ok(())
}

/// Before the first event of a voided reporter: from here on, no process accepts its revoked keys, so no further report arrives. An
/// entry of the command line may have been made beside a server that had the keys in its cache.
async fn begin(
    store: &Store,
    entry: &mut ModerationRow,
    publish: impl Fn(&RecordedChange) + Send + 'static,
) -> Result<(), AppError> {
    let is_reporter = TargetKind::from_code(entry.target).is_some_and(TargetKind::is_reporter);
    if entry.position > 0 || !is_reporter || Action::from_code(entry.action) != Some(Action::Void) {
        return Ok(());
    }
    let clear = |tx: &mut Tx| Ok::<_, AppError>(replication::record(tx, Change::IngestKeys)?);
    store.write_then(clear, move |recorded: &RecordedChange| publish(recorded)).await?;
    let id = entry.id;
    entry.last_id = store
        .write(move |tx| {
            let last_id = stored::last_id(tx)?;
            moderation::set_last_event(tx, id, last_id)?;
            Ok::<_, AppError>(last_id)
        })
        .await?;
    Ok(())
}

/// Applies an entry to its next events, or completes it.
async fn step(
    store: &Store,
    mut entry: ModerationRow,
    publish: impl Fn(&RecordedChange) + Clone + Send + 'static,
) -> Result<(), AppError> {
    begin(store, &mut entry, publish.clone()).await?;
    let of_entry = entry.clone();
    let next = store.read(move |conn| next_events(conn, &of_entry)).await?;
    let Some((ids, decision)) = next else {
        return store.write(move |tx| Ok::<_, AppError>(moderation::set_state(tx, entry.id, moderation::DONE)?)).await;
    };
    let now = store.now();
    let apply = move |tx: &mut Tx| {
        let position = ids.last().copied().unwrap_or(entry.position);
        if !moderation::advance(tx, entry.id, entry.position, position, ids.len() as i64)? {
            return Ok::<_, AppError>(None);
        }
        let (changed, recorded) = ingest::decide(tx, &ids, &decision, now)?;
        if entry.undoes.is_none() {
            moderation::add_events(tx, entry.id, &changed.into_iter().map(to_row).collect::<Vec<_>>())?;
        }
        Ok(recorded)
    };
    store.write_then(apply, move |recorded: &Option<RecordedChange>| recorded.iter().for_each(&publish)).await?;
    Ok(())
}

fn to_row(changed: ChangedEvent) -> ModerationEventRow {
    ModerationEventRow {
        event_id: changed.event_id,
        key_id: changed.key_id.unwrap_or(0),
        reasons: changed.reasons.bits(),
    }
}

/// The next events of an entry, and what is decided about them; `None` at the end.
fn next_events(conn: &mut AnyConn, entry: &ModerationRow) -> diesel::QueryResult<Option<(Vec<i64>, Decision)>> {
    if let Some(undoes) = entry.undoes {
        let changes = moderation::list_events(conn, undoes, entry.position, CHUNK)?;
        let ids: BTreeSet<i64> = changes.iter().map(|change| change.event_id).collect();
        let undone = moderation::find(conn, undoes)?.and_then(|undone| Action::from_code(undone.action));
        let decision = undone.filter(|_| !ids.is_empty()).map(|action| revert(action, &changes));
        return Ok(decision.map(|decision| (ids.into_iter().collect(), decision)));
    }
    let Some(selection) = selection_of(conn, entry)? else { return Ok(None) };
    let Some(decision) = Action::from_code(entry.action).and_then(|action| decision(action, &selection)) else {
        return Ok(None);
    };
    let bounds = EventBounds {
        first_id: entry.position + 1,
        last_id: entry.last_id,
        from: entry.from_time,
        until: entry.until_time,
        state: None,
    };
    let ids = moderation::select_events(conn, Some(&selection), bounds, IdOrder::Ascending, CHUNK)?;
    Ok((!ids.is_empty()).then_some((ids, decision)))
}

/// Reverts what an action changed, and nothing that happened to the events since.
fn revert(action: Action, changes: &[ModerationEventRow]) -> Decision {
    let of_reports: BTreeSet<(i64, i64)> =
        changes.iter().filter(|change| change.key_id != 0).map(|change| (change.event_id, change.key_id)).collect();
    if !of_reports.is_empty() {
        return Decision::RestoreReports(of_reports);
    }
    let reasons: BTreeMap<i64, Reasons> =
        changes.iter().map(|change| (change.event_id, Reasons::from_bits(change.reasons))).collect();
    match action {
        Action::Release => Decision::AddEach(reasons),
        Action::Void | Action::Hold | Action::Undo => Decision::RemoveEach(reasons),
    }
}

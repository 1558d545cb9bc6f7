//! What waits for the job of the log: changed events, entries of the ledger, and erasures.

use diesel::prelude::*;

use super::lines::{event_line, handles_of};
use super::{CHUNK, LeafKind};
use crate::store::activity;
use crate::store::conn::{AnyConn, bulk};
use crate::store::ledger::LedgerRow;
use crate::store::schema::*;
use crate::store::writer::Tx;

/// The line of an event before a change.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = tlog_revisions)]
pub struct RevisionRow {
    pub id: i64,
    pub event_id: i64,
    pub line: String,
}

/// Records that these events are about to change. Call it in the transaction of the change, before their rows or the handles of their
/// players change; each change of an event becomes a leaf.
pub fn add_event_revisions(tx: &mut Tx, event_ids: &[i64]) -> QueryResult<()> {
    for chunk in event_ids.chunks(CHUNK) {
        let events = activity::find_many(tx, chunk)?;
        let handles = handles_of(tx, &events)?;
        if !events.is_empty() {
            bulk!(tlog_revisions, &events, |event| { event_id: event.id, line: event_line(event, &handles) })
                .execute(tx)?;
        }
    }
    Ok(())
}

/// Events up to `last_event_id` that changed since their last leaf, in the order of their oldest change.
pub fn revised_events(conn: &mut AnyConn, last_event_id: i64, limit: i64) -> QueryResult<Vec<i64>> {
    use tlog_revisions as r;
    let oldest = r::table.filter(r::event_id.le(last_event_id)).order(r::id).limit(limit);
    let mut ids: Vec<i64> = oldest.select(r::event_id).load(conn)?;
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// All changes of these events, oldest first.
pub fn revisions_of(conn: &mut AnyConn, event_ids: &[i64]) -> QueryResult<Vec<RevisionRow>> {
    use tlog_revisions as r;
    let mut rows = Vec::new();
    for chunk in event_ids.chunks(CHUNK) {
        let of_events = r::table.filter(r::event_id.eq_any(chunk)).order(r::id);
        rows.extend(of_events.select(RevisionRow::as_select()).load::<RevisionRow>(conn)?);
    }
    Ok(rows)
}

pub fn remove_revisions(tx: &mut Tx, ids: &[i64]) -> QueryResult<()> {
    for chunk in ids.chunks(CHUNK) {
        diesel::delete(tlog_revisions::table.filter(tlog_revisions::id.eq_any(chunk))).execute(&mut **tx)?;
    }
    Ok(())
}

/// Entries of the ledger without a leaf, oldest first. They are found by their missing leaf, because on PostgreSQL an entry with a
/// smaller id may be committed after one with a larger id.
pub fn unlogged_entries(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<LedgerRow>> {
    use tlog_leaves as l;
    let has_leaf = diesel::dsl::exists(
        l::table.filter(l::kind.eq(LeafKind::LedgerEntry.code())).filter(l::subject_id.eq(ledger::id)),
    );
    ledger::table
        .filter(diesel::dsl::not(has_leaf))
        .order(ledger::id)
        .limit(limit)
        .select(LedgerRow::as_select())
        .load(conn)
}

/// Requests the erasure of salts and lines of everything that names a player.
pub fn add_erasure(tx: &mut Tx, player_id: i64) -> QueryResult<()> {
    bulk!(tlog_erasures, [player_id], |player_id| { player_id: player_id }).execute(tx)?;
    Ok(())
}

/// The oldest requested erasure: `(id, player)`.
pub fn next_erasure(conn: &mut AnyConn) -> QueryResult<Option<(i64, i64)>> {
    use tlog_erasures as e;
    e::table.order(e::id).select((e::id, e::player_id)).first(conn).optional()
}

pub fn remove_erasure(tx: &mut Tx, id: i64) -> QueryResult<()> {
    diesel::delete(tlog_erasures::table.find(id)).execute(&mut **tx)?;
    Ok(())
}

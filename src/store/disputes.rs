//! Disputes of events by players.

use std::collections::HashMap;

use diesel::prelude::*;

use super::conn::AnyConn;
use super::schema::*;
use super::writer::Tx;
use crate::domain::trust::{Dispute, DisputeOutcome, Reasons};

/// Maximum number of ids per statement.
const CHUNK: usize = 1_000;

/// A dispute; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = disputes)]
pub struct DisputeRow {
    #[diesel(skip_insertion)]
    pub id: i64,
    pub event_id: i64,
    pub user_id: i64,
    /// The player that the user had claimed.
    pub player_id: i64,
    pub reason: String,
    pub created_at: i64,
    /// The code of a [`DisputeOutcome`]; `None` while the dispute is open.
    pub outcome: Option<i16>,
    pub decided_at: Option<i64>,
    /// The entry of the ledger that decided it.
    pub ledger_id: Option<i64>,
}

impl DisputeRow {
    pub fn outcome(&self) -> Option<DisputeOutcome> {
        self.outcome.and_then(DisputeOutcome::from_code)
    }
}

/// Inserts a dispute; returns its id.
pub fn insert(tx: &mut Tx, row: &DisputeRow) -> QueryResult<i64> {
    diesel::insert_into(disputes::table).values(row).returning(disputes::id).get_result(&mut **tx)
}

pub fn find(conn: &mut AnyConn, id: i64) -> QueryResult<Option<DisputeRow>> {
    disputes::table.find(id).select(DisputeRow::as_select()).first(conn).optional()
}

/// The dispute of an event by a user.
pub fn find_own(conn: &mut AnyConn, event_id: i64, user_id: i64) -> QueryResult<Option<DisputeRow>> {
    let own = disputes::table.filter(disputes::event_id.eq(event_id)).filter(disputes::user_id.eq(user_id));
    own.select(DisputeRow::as_select()).first(conn).optional()
}

/// The number of disputes that a user has made since a time.
pub fn count_since(conn: &mut AnyConn, user_id: i64, since: i64) -> QueryResult<i64> {
    let own = disputes::table.filter(disputes::user_id.eq(user_id)).filter(disputes::created_at.ge(since));
    own.count().get_result(conn)
}

/// The disputes of a user with smaller ids than `before`, newest first.
pub fn list_by_user(conn: &mut AnyConn, user_id: i64, before: i64, limit: i64) -> QueryResult<Vec<DisputeRow>> {
    disputes::table
        .filter(disputes::user_id.eq(user_id))
        .filter(disputes::id.lt(before))
        .order(disputes::id.desc())
        .limit(limit)
        .select(DisputeRow::as_select())
        .load(conn)
}

/// The oldest open disputes.
pub fn list_open(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<DisputeRow>> {
    let open = disputes::table.filter(disputes::outcome.is_null()).order(disputes::id).limit(limit);
    open.select(DisputeRow::as_select()).load(conn)
}

/// The newest disputes that are not open, without withdrawn ones.
pub fn list_decided(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<DisputeRow>> {
    let decided = disputes::table.filter(disputes::outcome.ne(DisputeOutcome::Withdrawn.code()));
    decided.order(disputes::id.desc()).limit(limit).select(DisputeRow::as_select()).load(conn)
}

/// The disputes that suspend these events, by event: those that are neither dismissed nor withdrawn.
pub fn suspending(conn: &mut AnyConn, event_ids: &[i64]) -> QueryResult<HashMap<i64, Vec<Dispute>>> {
    let mut by_event: HashMap<i64, Vec<Dispute>> = HashMap::new();
    for chunk in event_ids.chunks(CHUNK) {
        let is_settled = disputes::outcome.eq_any(DisputeOutcome::SETTLED.map(|outcome| Some(outcome.code())));
        let rows: Vec<(i64, i64, String)> = disputes::table
            .inner_join(players::table)
            .filter(disputes::event_id.eq_any(chunk))
            .filter(disputes::outcome.is_null().or(diesel::dsl::not(is_settled)))
            .order(disputes::id)
            .select((disputes::event_id, disputes::user_id, players::handle_folded))
            .load(conn)?;
        for (event_id, user_id, handle) in rows {
            by_event.entry(event_id).or_default().push(Dispute { user_id, handle });
        }
    }
    Ok(by_event)
}

/// Ends the open disputes of these events; returns how many.
pub fn close(
    tx: &mut Tx,
    event_ids: &[i64],
    outcome: DisputeOutcome,
    ledger_id: Option<i64>,
    at: i64,
) -> QueryResult<usize> {
    let mut closed = 0;
    for chunk in event_ids.chunks(CHUNK) {
        let open = disputes::table.filter(disputes::event_id.eq_any(chunk)).filter(disputes::outcome.is_null());
        closed += diesel::update(open)
            .set((disputes::outcome.eq(outcome.code()), disputes::decided_at.eq(at), disputes::ledger_id.eq(ledger_id)))
            .execute(&mut **tx)?;
    }
    Ok(closed)
}

/// Ends the open disputes of those of these events that are void now.
pub fn close_void(tx: &mut Tx, event_ids: &[i64], ledger_id: i64, at: i64) -> QueryResult<()> {
    let mut disputed: Vec<(i64, i32)> = Vec::new();
    for chunk in event_ids.chunks(CHUNK) {
        let open = disputes::table.inner_join(events::table.on(events::id.eq(disputes::event_id)));
        let open = open.filter(disputes::event_id.eq_any(chunk)).filter(disputes::outcome.is_null());
        disputed.extend(open.select((disputes::event_id, events::reasons)).load::<(i64, i32)>(&mut **tx)?);
    }
    let is_void = |(_, bits): &&(i64, i32)| Reasons::from_bits(*bits).intersects(Reasons::VOID);
    let void: Vec<i64> = disputed.iter().filter(is_void).map(|(id, _)| *id).collect();
    close(tx, &void, DisputeOutcome::EventVoid, Some(ledger_id), at)?;
    Ok(())
}

/// Ends an open dispute, because its player takes it back; returns whether it was open.
pub fn withdraw(tx: &mut Tx, id: i64, at: i64) -> QueryResult<bool> {
    let open = disputes::table.find(id).filter(disputes::outcome.is_null());
    let withdrawn = (disputes::outcome.eq(DisputeOutcome::Withdrawn.code()), disputes::decided_at.eq(at));
    Ok(diesel::update(open).set(withdrawn).execute(&mut **tx)? == 1)
}

/// Opens the disputes again that an entry of the ledger decided.
pub fn reopen(tx: &mut Tx, ledger_id: i64) -> QueryResult<()> {
    let open =
        (disputes::outcome.eq(None::<i16>), disputes::decided_at.eq(None::<i64>), disputes::ledger_id.eq(None::<i64>));
    diesel::update(disputes::table.filter(disputes::ledger_id.eq(ledger_id))).set(open).execute(&mut **tx)?;
    Ok(())
}

/// Deletes the disputes of a user; returns the events of those that were open.
pub fn delete_by_user(tx: &mut Tx, user_id: i64) -> QueryResult<Vec<i64>> {
    let own = || disputes::table.filter(disputes::user_id.eq(user_id));
    let open = own().filter(disputes::outcome.is_null()).order(disputes::event_id);
    let event_ids = open.select(disputes::event_id).load(&mut **tx)?;
    diesel::delete(own()).execute(&mut **tx)?;
    Ok(event_ids)
}

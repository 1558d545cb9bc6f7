//! The history of moderation: what admins did to events, and the events that each entry changed.

use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::conn::{AnyConn, bulk};
use super::key_days;
use super::schema::*;
use super::writer::Tx;
use crate::domain::trust::State;

/// States of an entry.
pub const RUNNING: i16 = 1;
pub const DONE: i16 = 2;

/// Maximum number of ids per statement.
const CHUNK: usize = 1_000;

/// An entry; times in epoch milliseconds. Codes are those of `domain::trust`.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = moderation)]
pub struct ModerationRow {
    #[diesel(skip_insertion)]
    pub id: i64,
    pub at: i64,
    /// The admin; `None` for the command line.
    pub actor_id: Option<i64>,
    pub action: i16,
    pub target: i16,
    /// The id of the target, or the ids of events as a JSON array.
    pub subject: String,
    /// The public name of the target.
    pub name: Option<String>,
    pub from_time: Option<i64>,
    pub until_time: Option<i64>,
    pub reason: String,
    pub state: i16,
    /// The last event that was processed.
    pub position: i64,
    /// The last event that existed when the entry was made.
    pub last_id: i64,
    pub done: i64,
    pub total: i64,
    pub undoes: Option<i64>,
    pub undone_by: Option<i64>,
}

/// Inserts an entry; returns its id.
pub fn insert(tx: &mut Tx, row: &ModerationRow) -> QueryResult<i64> {
    diesel::insert_into(moderation::table).values(row).returning(moderation::id).get_result(&mut **tx)
}

pub fn find(conn: &mut AnyConn, id: i64) -> QueryResult<Option<ModerationRow>> {
    moderation::table.find(id).select(ModerationRow::as_select()).first(conn).optional()
}

/// Entries with smaller ids than `before`, newest first.
pub fn list_entries(conn: &mut AnyConn, before: i64, limit: i64) -> QueryResult<Vec<ModerationRow>> {
    moderation::table
        .filter(moderation::id.lt(before))
        .order(moderation::id.desc())
        .limit(limit)
        .select(ModerationRow::as_select())
        .load(conn)
}

/// The oldest entry that is not complete.
pub fn next_running(conn: &mut AnyConn) -> QueryResult<Option<ModerationRow>> {
    moderation::table
        .filter(moderation::state.eq(RUNNING))
        .order(moderation::id)
        .select(ModerationRow::as_select())
        .first(conn)
        .optional()
}

/// Records that the events up to `position` are processed. Returns whether the entry was still at `from`: another process may run it.
pub fn advance(tx: &mut Tx, id: i64, from: i64, position: i64, events: i64) -> QueryResult<bool> {
    let running =
        moderation::table.find(id).filter(moderation::state.eq(RUNNING)).filter(moderation::position.eq(from));
    let changed = diesel::update(running)
        .set((moderation::position.eq(position), moderation::done.eq(moderation::done + events)))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

/// Extends an entry to events up to this one.
pub fn set_last_event(tx: &mut Tx, id: i64, last_id: i64) -> QueryResult<()> {
    diesel::update(moderation::table.find(id)).set(moderation::last_id.eq(last_id)).execute(&mut **tx)?;
    Ok(())
}

pub fn set_state(tx: &mut Tx, id: i64, state: i16) -> QueryResult<()> {
    diesel::update(moderation::table.find(id)).set(moderation::state.eq(state)).execute(&mut **tx)?;
    Ok(())
}

/// Marks an entry as undone by another one; returns whether it was not undone before.
pub fn set_undone(tx: &mut Tx, id: i64, undone_by: i64) -> QueryResult<bool> {
    let entry = moderation::table.find(id).filter(moderation::undone_by.is_null());
    Ok(diesel::update(entry).set(moderation::undone_by.eq(undone_by)).execute(&mut **tx)? == 1)
}

/// What an entry changed of an event: the report of a key, or with `key_id` 0 the event itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = moderation_events)]
pub struct ModerationEventRow {
    pub event_id: i64,
    pub key_id: i64,
    /// The changed bits of [`Reasons`](crate::domain::trust::Reasons); 0 for a report.
    pub reasons: i32,
}

pub fn add_events(tx: &mut Tx, moderation_id: i64, rows: &[ModerationEventRow]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(moderation_events, chunk, |r| {
            moderation_id: moderation_id,
            event_id: r.event_id,
            key_id: r.key_id,
            reasons: r.reasons,
        })
        .execute(tx)?;
    }
    Ok(())
}

/// What an entry changed of the events after `after`, of at most `limit` events.
pub fn list_events(
    conn: &mut AnyConn,
    moderation_id: i64,
    after: i64,
    limit: i64,
) -> QueryResult<Vec<ModerationEventRow>> {
    use moderation_events as le;
    let of_entry = || le::table.filter(le::moderation_id.eq(moderation_id)).filter(le::event_id.gt(after));
    let ids: Vec<i64> = of_entry().select(le::event_id).distinct().order(le::event_id).limit(limit).load(conn)?;
    let Some(last) = ids.last() else { return Ok(Vec::new()) };
    of_entry().filter(le::event_id.le(*last)).order(le::event_id).select(ModerationEventRow::as_select()).load(conn)
}

/// The number of events that an entry changed.
pub fn count_events(conn: &mut AnyConn, moderation_id: i64) -> QueryResult<i64> {
    let of_entry = moderation_events::table.filter(moderation_events::moderation_id.eq(moderation_id));
    of_entry.select(diesel::dsl::count(moderation_events::event_id).aggregate_distinct()).get_result(conn)
}

/// Which events: those with a report of one of these keys, those of a player, or those with these ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventSelection {
    Keys(Vec<i64>),
    Player(i64),
    Events(Vec<i64>),
}

/// Further conditions on events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventBounds {
    /// The smallest id, inclusive.
    pub first_id: i64,
    /// The largest id, inclusive.
    pub last_id: i64,
    /// Epoch milliseconds, inclusive.
    pub from: Option<i64>,
    /// Epoch milliseconds, exclusive.
    pub until: Option<i64>,
    pub state: Option<State>,
}

impl EventBounds {
    /// All events up to this id.
    pub fn up_to(last_id: i64) -> Self {
        Self { first_id: 1, last_id, from: None, until: None, state: None }
    }
}

/// The order of a list of events by id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdOrder {
    Ascending,
    Descending,
}

/// The ids of selected events.
pub fn select_events(
    conn: &mut AnyConn,
    selection: Option<&EventSelection>,
    bounds: EventBounds,
    order: IdOrder,
    limit: i64,
) -> QueryResult<Vec<i64>> {
    let Some(condition) = condition(conn, selection, bounds)? else { return Ok(Vec::new()) };
    let order = match order {
        IdOrder::Ascending => "",
        IdOrder::Descending => " DESC",
    };
    let sql = format!("SELECT e.id AS number FROM events e WHERE {condition} ORDER BY e.id{order} LIMIT {limit}");
    Ok(diesel::sql_query(sql).load::<Number>(conn)?.into_iter().map(|row| row.number).collect())
}

/// The number of selected events.
pub fn count_selected(conn: &mut AnyConn, selection: Option<&EventSelection>, bounds: EventBounds) -> QueryResult<i64> {
    let Some(condition) = condition(conn, selection, bounds)? else { return Ok(0) };
    let sql = format!("SELECT COUNT(*) AS number FROM events e WHERE {condition}");
    Ok(diesel::sql_query(sql).get_result::<Number>(conn)?.number)
}

/// The condition as SQL; it contains numbers only. `None` if no event can match.
fn condition(
    conn: &mut AnyConn,
    selection: Option<&EventSelection>,
    bounds: EventBounds,
) -> QueryResult<Option<String>> {
    let mut terms = vec![format!("e.id BETWEEN {} AND {}", bounds.first_id, bounds.last_id)];
    terms.extend(bounds.from.map(|from| format!("e.event_time >= {from}")));
    terms.extend(bounds.until.map(|until| format!("e.event_time < {until}")));
    // The bits of the reasons that make an event void are 2 and 4.
    terms.extend(bounds.state.map(|state| match state {
        State::Stands => "e.reasons = 0".to_owned(),
        State::Held => "e.reasons <> 0 AND e.reasons & 6 = 0".to_owned(),
        State::Void => "e.reasons <> 0 AND e.reasons & 6 <> 0".to_owned(),
    }));
    match selection {
        None => {}
        Some(EventSelection::Keys(ids)) => {
            let Some((first, last)) = key_days::range(conn, ids)? else { return Ok(None) };
            let ids = number_list(ids);
            terms.push(format!(
                "e.id BETWEEN {first} AND {last} AND (e.ingest_key_id IN ({ids}) OR EXISTS \
                 (SELECT 1 FROM event_witnesses w WHERE w.event_id = e.id AND w.ingest_key_id IN ({ids})))"
            ));
        }
        // Feeds contain the events that stand, a partial index the others.
        Some(EventSelection::Player(id)) => terms.push(format!(
            "e.id IN (SELECT event_id FROM event_players WHERE player_id = {id} UNION ALL SELECT o.id FROM events o \
             WHERE o.reasons <> 0 AND {id} IN (o.killer_id, o.victim_id, o.player_id))"
        )),
        Some(EventSelection::Events(ids)) if ids.is_empty() => return Ok(None),
        Some(EventSelection::Events(ids)) => terms.push(format!("e.id IN ({})", number_list(ids))),
    }
    Ok(Some(terms.join(" AND ")))
}

fn number_list(ids: &[i64]) -> String {
    ids.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

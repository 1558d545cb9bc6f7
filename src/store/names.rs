//! Provisional names: players that only accounts have reported.

use diesel::prelude::*;
use diesel::sql_types::Bool;

use super::conn::{AnyConn, bulk};
use super::schema::*;
use super::writer::Tx;
use crate::domain::trust::Scope;

/// The first report of a provisional name; times in epoch milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProvisionalName {
    pub player_id: i64,
    pub ingest_key_id: i64,
    pub event_time: i64,
    pub received_at: i64,
}

/// Stores the first reports of names.
pub fn insert(tx: &mut Tx, rows: &[ProvisionalName]) -> QueryResult<()> {
    if rows.is_empty() {
        return Ok(());
    }
    bulk!(provisional_names, rows, |n| {
        player_id: n.player_id,
        ingest_key_id: n.ingest_key_id,
        event_time: n.event_time,
        received_at: n.received_at,
    })
    .on_conflict("provisional_names", &["player_id"], &[])
    .execute(tx)?;
    Ok(())
}

/// The keys of an account, or the single key of a reporter without one.
pub fn keys_of(conn: &mut AnyConn, scope: Scope) -> QueryResult<Vec<i64>> {
    match scope {
        Scope::Operator => Ok(Vec::new()),
        Scope::Key(id) => Ok(vec![id]),
        Scope::Account(user_id) => {
            ingest_keys::table.filter(ingest_keys::user_id.eq(user_id)).select(ingest_keys::id).load(conn)
        }
    }
}

/// The times of the events in which a reporter first named provisional players, in a range, inclusive.
pub fn times(conn: &mut AnyConn, scope: Scope, (from, to): (i64, i64)) -> QueryResult<Vec<i64>> {
    let keys = keys_of(conn, scope)?;
    let of_keys = provisional_names::table.filter(provisional_names::ingest_key_id.eq_any(keys));
    let near = of_keys.filter(provisional_names::event_time.between(from, to));
    near.order(provisional_names::event_time).select(provisional_names::event_time).load(conn)
}

/// The number of provisional names that a reporter sent since a time.
pub fn count_since(conn: &mut AnyConn, scope: Scope, since: i64) -> QueryResult<i64> {
    let keys = keys_of(conn, scope)?;
    let of_keys = provisional_names::table.filter(provisional_names::ingest_key_id.eq_any(keys));
    of_keys.filter(provisional_names::received_at.ge(since)).count().get_result(conn)
}

/// Makes these players known; returns those that were provisional.
pub fn make_known(tx: &mut Tx, player_ids: &[i64]) -> QueryResult<Vec<i64>> {
    if player_ids.is_empty() {
        return Ok(Vec::new());
    }
    let known: Vec<i64> =
        diesel::update(players::table.filter(players::id.eq_any(player_ids)).filter(players::is_provisional.eq(true)))
            .set(players::is_provisional.eq(false))
            .returning(players::id)
            .get_results(&mut **tx)?;
    diesel::delete(provisional_names::table.filter(provisional_names::player_id.eq_any(&known))).execute(&mut **tx)?;
    Ok(known)
}

/// Removes the first reports of names that are known; returns their players.
pub fn remove_known(tx: &mut Tx) -> QueryResult<Vec<i64>> {
    let waiting = players::table.filter(diesel::dsl::sql::<Bool>("players.is_provisional")).select(players::id);
    diesel::delete(provisional_names::table.filter(provisional_names::player_id.ne_all(waiting)))
        .returning(provisional_names::player_id)
        .get_results(&mut **tx)
}

/// The provisional names that the game's site was asked about least recently, and not after `before`: `(player, handle)`.
pub fn unchecked(conn: &mut AnyConn, before: i64, limit: i64) -> QueryResult<Vec<(i64, String)>> {
    provisional_names::table
        .inner_join(players::table.on(players::id.eq(provisional_names::player_id)))
        .filter(provisional_names::checked_at.lt(before))
        .order((provisional_names::checked_at.asc(), provisional_names::player_id.asc()))
        .limit(limit)
        .select((players::id, players::handle))
        .load(conn)
}

/// Records that the game's site was asked about a name.
pub fn set_checked(tx: &mut Tx, player_id: i64, at: i64) -> QueryResult<()> {
    diesel::update(provisional_names::table.find(player_id))
        .set(provisional_names::checked_at.eq(at))
        .execute(&mut **tx)?;
    Ok(())
}

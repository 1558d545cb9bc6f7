//! Repeated kills: which there are, and the players with pending work.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::conn::{AnyConn, Merge, bulk};
use super::ingest::EventRow;
use super::schema::*;
use super::writer::Tx;
use crate::domain::events::{GameMode, mode_code};
use crate::domain::trust::{Kill, Reasons};

/// States of a repeat.
pub const COUNTS: i16 = 1;
pub const WITHHELD: i16 = 2;
/// Withheld, but not a repeat any longer: the event is to be released.
pub const FORMER: i16 = 3;

/// Kinds of pending work.
pub const KILLS: i16 = 1;
pub const CIRCLE: i16 = 2;
pub const DECISION: i16 = 3;

/// The category of kills between players.
const PVP: i16 = 1;
/// Maximum number of rows per statement.
const CHUNK: usize = 1_000;

/// The kill of a player in the persistent universe by another one, unless the event does not stand for another reason than being
/// repeated.
pub fn kill_of(event: &EventRow) -> Option<Kill> {
    let is_compared = event.category == PVP
        && event.game_mode == mode_code(Some(GameMode::Pu))
        && event.reasons().without(Reasons::REPEATED) == Reasons::NONE;
    let (killer, victim) = event.killer_id.zip(event.victim_id).filter(|_| is_compared)?;
    Some(Kill { id: event.id, killer, victim, at: event.event_time })
}

/// Adds kills to the times from which on the kills of their players changed.
pub fn extend_changes<'a>(since: &mut BTreeMap<i64, i64>, kills: impl IntoIterator<Item = &'a Kill>) {
    for kill in kills {
        for player_id in [kill.killer, kill.victim] {
            let first = since.entry(player_id).or_insert(kill.at);
            *first = kill.at.min(*first);
        }
    }
}

/// Like [`extend_changes`], with the kill of an event before and after it was revised, unless they are equal.
pub fn extend_revised(since: &mut BTreeMap<i64, i64>, before: &EventRow, after: &EventRow) {
    let (before, after) = (kill_of(before), kill_of(after));
    if before != after {
        extend_changes(since, before.iter().chain(&after));
    }
}

/// A kill, and whether it is stored as withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredKill {
    pub kill: Kill,
    pub is_withheld: bool,
}

#[derive(QueryableByName)]
struct KillRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    killer_id: i64,
    #[diesel(sql_type = BigInt)]
    victim_id: i64,
    #[diesel(sql_type = BigInt)]
    event_time: i64,
    #[diesel(sql_type = diesel::sql_types::Integer)]
    reasons: i32,
}

impl From<KillRow> for StoredKill {
    fn from(row: KillRow) -> Self {
        let kill = Kill { id: row.id, killer: row.killer_id, victim: row.victim_id, at: row.event_time };
        Self { kill, is_withheld: Reasons::from_bits(row.reasons).contains(Reasons::REPEATED) }
    }
}

/// The kills after an event up to another one, by id.
pub fn kills_between(conn: &mut AnyConn, after: i64, last: i64, limit: i64) -> QueryResult<Vec<StoredKill>> {
    let pu = mode_code(Some(GameMode::Pu));
    let rows: Vec<KillRow> = diesel::sql_query(format!(
        "SELECT id, killer_id, victim_id, event_time, reasons FROM events WHERE id > $1 AND id <= $2 AND category = {PVP} \
         AND game_mode = {pu} AND killer_id IS NOT NULL AND victim_id IS NOT NULL ORDER BY id LIMIT $3"
    ))
    .bind::<BigInt, _>(after)
    .bind::<BigInt, _>(last)
    .bind::<BigInt, _>(limit)
    .load(conn)?;
    Ok(rows.into_iter().map(StoredKill::from).collect())
}

/// The kills by and of a player after a time, in order of time. Feeds contain those that stand, the table `repeats` the others.
pub fn kills_of_player(conn: &mut AnyConn, player_id: i64, after: i64) -> QueryResult<Vec<StoredKill>> {
    let (pu, repeated) = (mode_code(Some(GameMode::Pu)), Reasons::REPEATED.bits());
    let rows: Vec<KillRow> = diesel::sql_query(format!(
        "SELECT e.id, e.killer_id, e.victim_id, e.event_time, e.reasons FROM (\
         SELECT event_id FROM event_players WHERE player_id = $1 AND event_time > $2 AND category = {PVP} \
         UNION SELECT event_id FROM repeats WHERE killer_id = $1 AND event_time > $2 \
         UNION SELECT event_id FROM repeats WHERE victim_id = $1 AND event_time > $2) f \
         JOIN events e ON e.id = f.event_id WHERE e.event_time > $2 AND e.category = {PVP} AND e.game_mode = {pu} \
         AND e.reasons IN (0, {repeated}) AND e.killer_id IS NOT NULL AND e.victim_id IS NOT NULL \
         AND $1 IN (e.killer_id, e.victim_id) ORDER BY e.event_time, e.id"
    ))
    .bind::<BigInt, _>(player_id)
    .bind::<BigInt, _>(after)
    .load(conn)?;
    Ok(rows.into_iter().map(StoredKill::from).collect())
}

/// A repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = repeats)]
pub struct RepeatRow {
    pub event_id: i64,
    pub killer_id: i64,
    pub victim_id: i64,
    pub event_time: i64,
    pub state: i16,
}

impl RepeatRow {
    pub fn new(kill: &Kill, state: i16) -> Self {
        Self { event_id: kill.id, killer_id: kill.killer, victim_id: kill.victim, event_time: kill.at, state }
    }

    pub fn kill(&self) -> Kill {
        Kill { id: self.event_id, killer: self.killer_id, victim: self.victim_id, at: self.event_time }
    }
}

/// Inserts or replaces repeats.
pub fn upsert(tx: &mut Tx, rows: &[RepeatRow]) -> QueryResult<()> {
    let merges = ["killer_id", "victim_id", "event_time", "state"].map(|column| (column, Merge::Replace));
    for chunk in rows.chunks(CHUNK) {
        bulk!(repeats, chunk, |r| {
            event_id: r.event_id,
            killer_id: r.killer_id,
            victim_id: r.victim_id,
            event_time: r.event_time,
            state: r.state,
        })
        .on_conflict("repeats", &["event_id"], &merges)
        .execute(tx)?;
    }
    Ok(())
}

pub fn remove(tx: &mut Tx, event_ids: &[i64]) -> QueryResult<()> {
    for chunk in event_ids.chunks(CHUNK) {
        diesel::delete(repeats::table.filter(repeats::event_id.eq_any(chunk))).execute(&mut **tx)?;
    }
    Ok(())
}

pub fn set_state(tx: &mut Tx, event_ids: &[i64], state: i16) -> QueryResult<()> {
    for chunk in event_ids.chunks(CHUNK) {
        diesel::update(repeats::table.filter(repeats::event_id.eq_any(chunk)))
            .set(repeats::state.eq(state))
            .execute(&mut **tx)?;
    }
    Ok(())
}

/// The repeats by a player after a time, in order of time.
pub fn by_killer(conn: &mut AnyConn, player_id: i64, after: i64) -> QueryResult<Vec<RepeatRow>> {
    repeats::table
        .filter(repeats::killer_id.eq(player_id))
        .filter(repeats::event_time.gt(after))
        .order((repeats::event_time, repeats::event_id))
        .select(RepeatRow::as_select())
        .load(conn)
}

/// The repeats of which a player is the victim, after a time.
pub fn by_victim(conn: &mut AnyConn, player_id: i64, after: i64) -> QueryResult<Vec<RepeatRow>> {
    repeats::table
        .filter(repeats::victim_id.eq(player_id))
        .filter(repeats::event_time.gt(after))
        .order((repeats::event_time, repeats::event_id))
        .select(RepeatRow::as_select())
        .load(conn)
}

/// The repeats after an event between players who are claimed or whose circle changed, by id.
pub fn between_claimed(conn: &mut AnyConn, after: i64, limit: i64) -> QueryResult<Vec<RepeatRow>> {
    let claimed = || repeat_claims::table.select(repeat_claims::player_id);
    let changed = || repeat_changes::table.filter(repeat_changes::kind.eq(CIRCLE)).select(repeat_changes::player_id);
    repeats::table
        .filter(repeats::event_id.gt(after))
        .filter(repeats::state.ne(FORMER))
        .filter(repeats::killer_id.eq_any(claimed()).or(repeats::killer_id.eq_any(changed())))
        .filter(repeats::victim_id.eq_any(claimed()).or(repeats::victim_id.eq_any(changed())))
        .order(repeats::event_id)
        .limit(limit)
        .select(RepeatRow::as_select())
        .load(conn)
}

/// Adds pending work: players with the time from which on it is to be done.
pub fn add_changes(tx: &mut Tx, kind: i16, since: &BTreeMap<i64, i64>) -> QueryResult<()> {
    let rows: Vec<(i64, i64)> = since.iter().map(|(player, since)| (*player, *since)).collect();
    for chunk in rows.chunks(CHUNK) {
        bulk!(repeat_changes, chunk, |(player, since)| { kind: kind, player_id: *player, since: *since })
            .on_conflict("repeat_changes", &["kind", "player_id"], &[("since", Merge::Min)])
            .execute(tx)?;
    }
    Ok(())
}

/// Adds a decision about all repeats of every killer.
pub fn decide_all(tx: &mut Tx) -> QueryResult<()> {
    diesel::sql_query(format!(
        "INSERT INTO repeat_changes (kind, player_id, since) SELECT {DECISION}, killer_id, 0 FROM repeats WHERE TRUE \
         GROUP BY killer_id ON CONFLICT (kind, player_id) DO UPDATE SET since = 0"
    ))
    .execute(&mut **tx)?;
    Ok(())
}

/// The next players with pending work, by id: `(player, since)`.
pub fn next_changes(conn: &mut AnyConn, kind: i16, limit: i64) -> QueryResult<Vec<(i64, i64)>> {
    repeat_changes::table
        .filter(repeat_changes::kind.eq(kind))
        .order(repeat_changes::player_id)
        .limit(limit)
        .select((repeat_changes::player_id, repeat_changes::since))
        .load(conn)
}

/// Removes pending work; returns since when it was to be done, or `None` if another process has taken it.
pub fn take_change(tx: &mut Tx, kind: i16, player_id: i64) -> QueryResult<Option<i64>> {
    diesel::delete(repeat_changes::table.find((kind, player_id)))
        .returning(repeat_changes::since)
        .get_result(&mut **tx)
        .optional()
}

/// Postpones pending work from one time to a later one; returns whether it was at `from`.
pub fn advance_change(tx: &mut Tx, kind: i16, player_id: i64, from: i64, since: i64) -> QueryResult<bool> {
    let change = repeat_changes::table.find((kind, player_id)).filter(repeat_changes::since.eq(from));
    Ok(diesel::update(change).set(repeat_changes::since.eq(since)).execute(&mut **tx)? == 1)
}

/// Removes pending work if it still begins at `since`; returns whether it did.
pub fn complete_change(tx: &mut Tx, kind: i16, player_id: i64, since: i64) -> QueryResult<bool> {
    let change = repeat_changes::table.find((kind, player_id)).filter(repeat_changes::since.eq(since));
    Ok(diesel::delete(change).execute(&mut **tx)? == 1)
}

/// The time before which all kills are decided; `None` if no kill waits. A decision depends on earlier kills only.
pub fn settled_until(conn: &mut AnyConn) -> QueryResult<Option<i64>> {
    let pending: Option<i64> = repeat_changes::table.select(diesel::dsl::min(repeat_changes::since)).first(conn)?;
    let position = state(conn)?.position;
    let unread = events::table
        .filter(events::id.gt(position))
        .filter(events::category.eq(PVP))
        .filter(events::game_mode.eq(mode_code(Some(GameMode::Pu))))
        .select(diesel::dsl::min(events::event_time))
        .first::<Option<i64>>(conn)?;
    Ok(pending.into_iter().chain(unread).min())
}

/// Those of these players that were claimed in the last run.
pub fn known_claims_among(conn: &mut AnyConn, player_ids: &[i64]) -> QueryResult<Vec<i64>> {
    let mut claimed = Vec::new();
    for chunk in player_ids.chunks(CHUNK) {
        let found = repeat_claims::table.filter(repeat_claims::player_id.eq_any(chunk));
        claimed.extend(found.select(repeat_claims::player_id).load::<i64>(conn)?);
    }
    Ok(claimed)
}

/// The players that were claimed in the last run.
pub fn known_claims(conn: &mut AnyConn) -> QueryResult<Vec<i64>> {
    repeat_claims::table.select(repeat_claims::player_id).load(conn)
}

/// The players that are claimed.
pub fn current_claims(conn: &mut AnyConn) -> QueryResult<Vec<i64>> {
    let claimed = users::table.filter(users::player_id.is_not_null());
    Ok(claimed.select(users::player_id).load::<Option<i64>>(conn)?.into_iter().flatten().collect())
}

/// Records which players were claimed or unclaimed since the last run.
pub fn change_claims(tx: &mut Tx, added: &[i64], removed: &[i64]) -> QueryResult<()> {
    for chunk in added.chunks(CHUNK) {
        bulk!(repeat_claims, chunk, |player| { player_id: *player })
            .on_conflict("repeat_claims", &["player_id"], &[])
            .execute(tx)?;
    }
    for chunk in removed.chunks(CHUNK) {
        diesel::delete(repeat_claims::table.filter(repeat_claims::player_id.eq_any(chunk))).execute(&mut **tx)?;
    }
    Ok(())
}

/// The state of the job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = repeat_state)]
pub struct StateRow {
    /// The last event that was read.
    pub position: i64,
    /// The share of the last run, in percent.
    pub share: Option<i32>,
    /// The UTC day of the last complete run.
    pub ran_on: Option<i32>,
}

pub fn state(conn: &mut AnyConn) -> QueryResult<StateRow> {
    repeat_state::table.find(1i16).select(StateRow::as_select()).first(conn)
}

/// Records that events up to `position` were read; returns whether the position was `from`.
pub fn advance_position(tx: &mut Tx, from: i64, position: i64) -> QueryResult<bool> {
    let state = repeat_state::table.find(1i16).filter(repeat_state::position.eq(from));
    Ok(diesel::update(state).set(repeat_state::position.eq(position)).execute(&mut **tx)? == 1)
}

pub fn set_share(tx: &mut Tx, share: i32) -> QueryResult<()> {
    diesel::update(repeat_state::table.find(1i16)).set(repeat_state::share.eq(share)).execute(&mut **tx)?;
    Ok(())
}

pub fn set_ran_on(tx: &mut Tx, day: i32) -> QueryResult<()> {
    diesel::update(repeat_state::table.find(1i16)).set(repeat_state::ran_on.eq(day)).execute(&mut **tx)?;
    Ok(())
}

/// Number of withheld repeats by killer, most first: `(killer, number)`.
pub fn withheld_by_killer(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<(i64, i64)>> {
    use diesel::dsl::count_star;
    repeats::table
        .filter(repeats::state.eq(WITHHELD))
        .group_by(repeats::killer_id)
        .select((repeats::killer_id, count_star()))
        .order((count_star().desc(), repeats::killer_id))
        .limit(limit)
        .load(conn)
}

/// Number of withheld repeats by pair of players in either direction, most first.
pub fn withheld_by_pair(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<WithheldPair>> {
    diesel::sql_query(format!(
        "SELECT low_id, high_id, COUNT(*) AS kills FROM (SELECT \
         CASE WHEN killer_id < victim_id THEN killer_id ELSE victim_id END AS low_id, \
         CASE WHEN killer_id < victim_id THEN victim_id ELSE killer_id END AS high_id \
         FROM repeats WHERE state = {WITHHELD}) pairs GROUP BY low_id, high_id ORDER BY kills DESC, low_id, high_id LIMIT $1"
    ))
    .bind::<BigInt, _>(limit)
    .load(conn)
}

/// A pair with withheld repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, QueryableByName)]
pub struct WithheldPair {
    #[diesel(sql_type = BigInt)]
    pub low_id: i64,
    #[diesel(sql_type = BigInt)]
    pub high_id: i64,
    #[diesel(sql_type = BigInt)]
    pub kills: i64,
}

/// The number of withheld repeats after a time, in which both players are among these.
pub fn count_withheld_among(conn: &mut AnyConn, player_ids: &[i64], after: i64) -> QueryResult<i64> {
    repeats::table
        .filter(repeats::state.eq(WITHHELD))
        .filter(repeats::event_time.gt(after))
        .filter(repeats::killer_id.eq_any(player_ids))
        .filter(repeats::victim_id.eq_any(player_ids))
        .count()
        .get_result(conn)
}

/// The number of withheld repeats.
pub fn count_withheld(conn: &mut AnyConn) -> QueryResult<i64> {
    repeats::table.filter(repeats::state.eq(WITHHELD)).count().get_result(conn)
}

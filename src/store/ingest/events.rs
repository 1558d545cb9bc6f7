//! Events, their witnesses, and the players in them.

use std::collections::BTreeMap;

use diesel::prelude::*;

use super::CHUNK;
use crate::domain::events::{EventKind, Identifier};
use crate::domain::trust::{CountedSides, Grade, Reasons, State};
use crate::store::Tx;
use crate::store::conn::{AnyConn, bulk};
use crate::store::schema::*;

/// An event. Codes are those of `domain::events`.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable)]
#[diesel(table_name = events)]
pub struct EventRow {
    pub id: i64,
    pub identity: Vec<u8>,
    pub fight: Option<i64>,
    pub identifier: i16,
    pub category: i16,
    pub event_time: i64,
    pub event_id: Option<String>,
    pub game_mode: i16,
    pub sub_game_mode: Option<String>,
    pub patch_version: Option<i64>,
    pub killer_id: Option<i64>,
    pub victim_id: Option<i64>,
    pub player_id: Option<i64>,
    pub killer_npc: Option<String>,
    pub victim_npc: Option<String>,
    pub player_npc: Option<String>,
    pub weapon: Option<String>,
    pub vehicle_name: Option<String>,
    pub damage_type: Option<String>,
    pub zone: Option<String>,
    pub contract_id: Option<String>,
    pub contract_name: Option<String>,
    pub text: Option<String>,
    /// The key of the report that stands.
    pub ingest_key_id: Option<i64>,
    pub witnesses: i32,
    /// The code of a [`Grade`](crate::domain::trust::Grade).
    pub grade: i16,
    /// When the report that stands arrived, in epoch milliseconds; `None` if unknown.
    pub received_at: Option<i64>,
    /// The bits of [`Reasons`].
    pub reasons: i32,
    /// The log of the report that stands.
    pub log_id: Option<i64>,
    /// The bits of [`CountedSides`]: the sides for which the reports let the event count.
    pub counts: i16,
    /// The code of the [`Provenance`](crate::domain::trust::Provenance) of the report that stands; 0 if unknown.
    pub provenance: i16,
}

impl EventRow {
    /// Why the event does not stand.
    pub fn reasons(&self) -> Reasons {
        Reasons::from_bits(self.reasons)
    }

    /// Whether feeds show the event.
    pub fn stands(&self) -> bool {
        self.reasons().state() == State::Stands
    }

    /// What the reports of the event are worth; an unknown code is that of a third party.
    pub fn grade(&self) -> Grade {
        Grade::from_code(self.grade).unwrap_or(Grade::ThirdParty)
    }

    /// The sides for which the event counts.
    pub fn counted(&self) -> CountedSides {
        if self.reasons().counts() { CountedSides::from_bits(self.counts) } else { CountedSides::NONE }
    }

    /// Ids of the players in the event; a player in two roles occurs twice.
    pub fn player_ids(&self) -> impl Iterator<Item = i64> {
        [self.killer_id, self.victim_id, self.player_id].into_iter().flatten()
    }
}

/// A stored event or witness with a given identity.
#[derive(Debug, Clone, Queryable)]
pub struct KnownIdentity {
    pub identity: Vec<u8>,
    pub event_id: i64,
    pub ingest_key_id: Option<i64>,
}

/// The stored events and witnesses with one of these identities.
pub fn known_identities(conn: &mut AnyConn, identities: &[Vec<u8>]) -> QueryResult<Vec<KnownIdentity>> {
    let mut known = Vec::new();
    for chunk in identities.chunks(CHUNK) {
        known.extend(
            events::table
                .filter(events::identity.eq_any(chunk))
                .select((events::identity, events::id, events::ingest_key_id))
                .load::<KnownIdentity>(conn)?,
        );
        known.extend(
            event_witnesses::table
                .filter(event_witnesses::identity.eq_any(chunk))
                .select((
                    event_witnesses::identity,
                    event_witnesses::event_id,
                    event_witnesses::ingest_key_id.nullable(),
                ))
                .load::<KnownIdentity>(conn)?,
        );
    }
    Ok(known)
}

/// A stored fight that another report may belong to.
#[derive(Debug, Clone, Queryable)]
pub struct KnownFight {
    pub event_id: i64,
    pub fight: Option<i64>,
    pub event_time: i64,
    pub ingest_key_id: Option<i64>,
}

/// Stored events with one of these fight keys between two times (milliseconds, inclusive).
pub fn known_fights(conn: &mut AnyConn, fights: &[i64], from: i64, to: i64) -> QueryResult<Vec<KnownFight>> {
    let mut known = Vec::new();
    for chunk in fights.chunks(CHUNK) {
        known.extend(
            events::table
                .filter(events::fight.eq_any(chunk.iter().copied().map(Some)))
                .filter(events::event_time.between(from, to))
                .order(events::id)
                .select((events::id, events::fight, events::event_time, events::ingest_key_id))
                .load::<KnownFight>(conn)?,
        );
    }
    Ok(known)
}

/// A fight or completed mission of a player that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentEvent {
    /// The killer, or the player of the mission.
    pub actor_id: i64,
    pub event_time: i64,
    pub is_mission: bool,
    /// Whether a player was killed.
    pub is_player_kill: bool,
    pub damage_type: Option<String>,
    pub contract_id: Option<String>,
}

/// The columns of a recent event: player of the feed, time, identifier, killer, victim, player, damage type, contract.
type RecentColumns = (i64, i64, i16, Option<i64>, Option<i64>, Option<i64>, Option<String>, Option<String>);

/// What these players did between two times (milliseconds, inclusive) as killers, and which missions they completed. Events that
/// operators reported or that do not count are left out.
pub fn recent_events(conn: &mut AnyConn, player_ids: &[i64], from: i64, to: i64) -> QueryResult<Vec<RecentEvent>> {
    use event_players as ep;
    let mut recent = Vec::new();
    for chunk in player_ids.chunks(CHUNK) {
        let found = ep::table
            .inner_join(events::table.on(events::id.eq(ep::event_id)))
            .filter(ep::player_id.eq_any(chunk))
            .filter(ep::event_time.between(from, to))
            .filter(events::reasons.eq(0))
            .filter(events::grade.ne(Grade::Operator.code()))
            .select((
                ep::player_id,
                ep::event_time,
                events::identifier,
                events::killer_id,
                events::victim_id,
                events::player_id,
                events::damage_type,
                events::contract_id,
            ))
            .load::<RecentColumns>(conn)?;
        recent.extend(found.into_iter().filter_map(recent_event));
    }
    Ok(recent)
}

fn recent_event(columns: RecentColumns) -> Option<RecentEvent> {
    let (actor_id, event_time, identifier, killer, victim, player, damage_type, contract_id) = columns;
    let identifier = Identifier::from_code(identifier)?;
    let is_mission = identifier.kind() == EventKind::MissionCompleted;
    let is_own = if is_mission { player == Some(actor_id) } else { identifier.is_fight() && killer == Some(actor_id) };
    let is_player_kill = identifier.kind() == EventKind::Kill && victim.is_some();
    is_own.then_some(RecentEvent { actor_id, event_time, is_mission, is_player_kill, damage_type, contract_id })
}

/// The additional witnesses of these events: `(event, key)`.
pub fn witnesses_of(conn: &mut AnyConn, event_ids: &[i64]) -> QueryResult<Vec<(i64, i64)>> {
    event_witnesses::table
        .filter(event_witnesses::event_id.eq_any(event_ids))
        .select((event_witnesses::event_id, event_witnesses::ingest_key_id))
        .load(conn)
}

/// A report of an event beside the one that stands; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = event_witnesses)]
pub struct WitnessRow {
    pub event_id: i64,
    pub ingest_key_id: i64,
    pub identity: Vec<u8>,
    pub event_time: i64,
    pub received_at: Option<i64>,
    /// The fields that contradict the event, as a JSON object.
    pub differs: Option<String>,
    /// The report as JSON.
    pub report: Option<String>,
    /// Whether an admin voided the report. Such a report is not counted as a witness.
    pub is_void: bool,
    /// The log that the report comes from.
    pub log_id: Option<i64>,
    /// The code of the [`Provenance`](crate::domain::trust::Provenance); 0 if unknown.
    pub provenance: i16,
}

/// Inserts witnesses; returns the event and whether the report is void of those that did not exist.
fn insert_witnesses(tx: &mut Tx, rows: &[WitnessRow]) -> QueryResult<Vec<(i64, bool)>> {
    let mut inserted = Vec::new();
    for chunk in rows.chunks(CHUNK) {
        let written = bulk!(event_witnesses, chunk, |w| {
            event_id: w.event_id,
            ingest_key_id: w.ingest_key_id,
            identity: w.identity.as_slice(),
            event_time: w.event_time,
            received_at: w.received_at,
            differs: w.differs.as_deref(),
            report: w.report.as_deref(),
            is_void: w.is_void,
            log_id: w.log_id,
            provenance: w.provenance,
        })
        .on_conflict("event_witnesses", &["event_id", "ingest_key_id"], &[])
        .returning((event_witnesses::event_id, event_witnesses::is_void))
        .get_results::<(i64, bool)>(tx)?;
        inserted.extend(written);
    }
    Ok(inserted)
}

/// Replaces all witnesses of these events. The caller stores their number.
pub fn replace_witnesses(tx: &mut Tx, event_ids: &[i64], rows: &[WitnessRow]) -> QueryResult<()> {
    for chunk in event_ids.chunks(CHUNK) {
        diesel::delete(event_witnesses::table.filter(event_witnesses::event_id.eq_any(chunk))).execute(&mut **tx)?;
    }
    insert_witnesses(tx, rows)?;
    Ok(())
}

/// All witnesses of these events.
pub fn list_witnesses(conn: &mut AnyConn, event_ids: &[i64]) -> QueryResult<Vec<WitnessRow>> {
    let mut rows = Vec::new();
    for chunk in event_ids.chunks(CHUNK) {
        let found = event_witnesses::table.filter(event_witnesses::event_id.eq_any(chunk));
        rows.extend(found.select(WitnessRow::as_select()).load::<WitnessRow>(conn)?);
    }
    Ok(rows)
}

/// Adds witnesses to events and counts them. A key is a witness of an event once.
pub fn add_witnesses(tx: &mut Tx, rows: &[WitnessRow]) -> QueryResult<()> {
    let mut added: BTreeMap<i64, i32> = BTreeMap::new();
    for (event_id, is_void) in insert_witnesses(tx, rows)? {
        if !is_void {
            *added.entry(event_id).or_default() += 1;
        }
    }
    let mut by_count: BTreeMap<i32, Vec<i64>> = BTreeMap::new();
    added.into_iter().for_each(|(event_id, count)| by_count.entry(count).or_default().push(event_id));
    for (count, ids) in by_count {
        for chunk in ids.chunks(CHUNK) {
            diesel::update(events::table.filter(events::id.eq_any(chunk)))
                .set(events::witnesses.eq(events::witnesses + count))
                .execute(&mut **tx)?;
        }
    }
    Ok(())
}

/// Locks events until the end of the transaction (PostgreSQL; SQLite has one writer); returns what every change of an event
/// changes: `(event, (witnesses, reasons))`.
pub fn lock_events(tx: &mut Tx, ids: &[i64]) -> QueryResult<Vec<(i64, (i32, i32))>> {
    let found = events::table
        .filter(events::id.eq_any(ids))
        .order(events::id)
        .select((events::id, (events::witnesses, events::reasons)));
    match &mut **tx {
        AnyConn::Postgres(conn) => found.for_no_key_update().load(conn),
        AnyConn::Sqlite(conn) => found.load(conn),
    }
}

pub fn event_by_id(conn: &mut AnyConn, id: i64) -> QueryResult<Option<EventRow>> {
    events::table.find(id).select(EventRow::as_select()).first(conn).optional()
}

/// Reserves the next `count` event ids and returns the last one. From here on, other transactions that reserve ids wait.
pub fn reserve_ids(tx: &mut Tx, count: i64) -> QueryResult<i64> {
    diesel::update(event_clock::table.find(1i16))
        .set((event_clock::last_id.eq(event_clock::last_id + count), event_clock::message_count.eq(0i64)))
        .returning(event_clock::last_id)
        .get_result(&mut **tx)
}

/// The id of the newest committed event; 0 if there is none.
pub fn last_id(conn: &mut AnyConn) -> QueryResult<i64> {
    event_clock::table.find(1i16).select(event_clock::last_id).first(conn)
}

/// Stored events between two ids, inclusive, by id.
pub fn events_between(conn: &mut AnyConn, first: i64, last: i64) -> QueryResult<Vec<EventRow>> {
    events::table.filter(events::id.between(first, last)).order(events::id).select(EventRow::as_select()).load(conn)
}

pub fn insert_events(tx: &mut Tx, rows: Vec<EventRow>) -> QueryResult<()> {
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        bulk!(events, rows.by_ref().take(CHUNK), |e| {
            id: e.id,
            identity: e.identity,
            fight: e.fight,
            identifier: e.identifier,
            category: e.category,
            event_time: e.event_time,
            event_id: e.event_id,
            game_mode: e.game_mode,
            sub_game_mode: e.sub_game_mode,
            patch_version: e.patch_version,
            killer_id: e.killer_id,
            victim_id: e.victim_id,
            player_id: e.player_id,
            killer_npc: e.killer_npc,
            victim_npc: e.victim_npc,
            player_npc: e.player_npc,
            weapon: e.weapon,
            vehicle_name: e.vehicle_name,
            damage_type: e.damage_type,
            zone: e.zone,
            contract_id: e.contract_id,
            contract_name: e.contract_name,
            text: e.text,
            ingest_key_id: e.ingest_key_id,
            witnesses: e.witnesses,
            grade: e.grade,
            received_at: e.received_at,
            reasons: e.reasons,
            log_id: e.log_id,
            counts: e.counts,
            provenance: e.provenance,
        })
        .execute(tx)?;
    }
    Ok(())
}

/// Deletes events, before they are inserted again in a changed form. Their feed entries are removed by the caller.
pub fn remove_events(tx: &mut Tx, ids: &[i64]) -> QueryResult<()> {
    for chunk in ids.chunks(CHUNK) {
        diesel::delete(events::table.filter(events::id.eq_any(chunk))).execute(&mut **tx)?;
    }
    Ok(())
}

/// An entry of a player's feed.
#[derive(Debug, Clone, Copy)]
pub struct EventPlayer {
    pub player_id: i64,
    pub event_time: i64,
    pub event_id: i64,
    pub category: i16,
    pub guild_id: Option<i64>,
}

pub fn insert_event_players(tx: &mut Tx, rows: &[EventPlayer]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(event_players, chunk, |e| {
            player_id: e.player_id,
            event_time: e.event_time,
            event_id: e.event_id,
            category: e.category,
            guild_id: e.guild_id,
        })
        .execute(tx)?;
    }
    Ok(())
}

/// Deletes an entry of a player's feed.
pub fn remove_event_player(tx: &mut Tx, player_id: i64, event_time: i64, event_id: i64) -> QueryResult<usize> {
    diesel::delete(event_players::table.find((player_id, event_time, event_id))).execute(&mut **tx)
}

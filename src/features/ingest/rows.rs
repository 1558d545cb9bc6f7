//! Events as rows of the database, and back.

use crate::domain::events::{
    Event, Identifier, Identity, Party, ValidEvent, mode_code, mode_from_code, validate_stored,
};
use crate::domain::names::Handle;
use crate::domain::patches::Patch;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Assessment, Provenance};
use crate::store::ingest::{self, EventPlayer, EventRow, WitnessRow};
use crate::store::{Tx, activity};

use super::category::category;
use super::classify::Submission;
use super::resolve_players::{PlayerIds, ResolvedPlayers};

/// Where the report that stands comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub key_id: Option<i64>,
    /// What the sender was to the event; `None` if unknown.
    pub provenance: Option<Provenance>,
    /// Epoch milliseconds; `None` if unknown.
    pub received_at: Option<i64>,
    /// The stored log that the report comes from.
    pub log_id: Option<i64>,
}

impl Origin {
    /// The origin of a report that arrives now.
    pub fn of(submission: &Submission, now: EpochMillis) -> Self {
        Self {
            key_id: Some(submission.reporter.key_id),
            provenance: Some(submission.provenance),
            received_at: Some(now.0),
            log_id: submission.log_id,
        }
    }
}

pub(super) fn to_row(id: i64, event: &ValidEvent, ids: PlayerIds, origin: Origin, assessment: Assessment) -> EventRow {
    let npc = |party: &Party| party.name().filter(|_| party.is_npc()).map(ToOwned::to_owned);
    EventRow {
        id,
        identity: event.identity.0.to_vec(),
        fight: event.fight,
        identifier: event.identifier.code(),
        category: category(event),
        event_time: event.event_time.0,
        event_id: event.event_id.clone(),
        game_mode: mode_code(event.game_mode),
        sub_game_mode: event.sub_game_mode.clone(),
        patch_version: event.patch.as_ref().map(Patch::version),
        killer_id: ids.killer,
        victim_id: ids.victim,
        player_id: ids.player,
        killer_npc: npc(&event.killer),
        victim_npc: npc(&event.victim),
        player_npc: npc(&event.player),
        weapon: event.weapon.clone(),
        vehicle_name: event.vehicle_name.clone(),
        damage_type: event.damage_type.clone(),
        zone: event.zone.clone(),
        contract_id: event.contract_id.clone(),
        contract_name: event.contract_name.clone(),
        text: event.text.clone(),
        ingest_key_id: origin.key_id,
        witnesses: 1,
        grade: assessment.grade.code(),
        received_at: origin.received_at,
        reasons: assessment.reasons.bits(),
        log_id: origin.log_id,
        counts: assessment.counts.bits(),
        provenance: Provenance::code(origin.provenance),
    }
}

/// Converts a stored event to its validated form; `None` if it contains unknown codes.
pub(super) fn from_row(row: &EventRow, people: &ResolvedPlayers, patch_name: Option<&str>) -> Option<ValidEvent> {
    let party = |id: Option<i64>, npc: &Option<String>| match (id.and_then(|id| people.by_id(id)), npc) {
        (Some(person), _) => Handle::parse(&person.handle).map_or(Party::Nobody, Party::Player),
        (None, Some(name)) => Party::Npc(name.clone()),
        (None, None) => Party::Nobody,
    };
    let identity = Identity::from_bytes(&row.identity)?;
    Some(ValidEvent {
        identifier: Identifier::from_code(row.identifier)?,
        event_time: EpochMillis(row.event_time),
        event_id: row.event_id.clone(),
        game_mode: mode_from_code(row.game_mode),
        sub_game_mode: row.sub_game_mode.clone(),
        patch: patch_name.and_then(Patch::parse),
        killer: party(row.killer_id, &row.killer_npc),
        victim: party(row.victim_id, &row.victim_npc),
        player: party(row.player_id, &row.player_npc),
        player_geid: None,
        weapon: row.weapon.clone(),
        vehicle_name: row.vehicle_name.clone(),
        damage_type: row.damage_type.clone(),
        zone: row.zone.clone(),
        contract_id: row.contract_id.clone(),
        contract_name: row.contract_name.clone(),
        text: row.text.clone(),
        identity,
        fight: row.fight,
    })
}

/// A report as the JSON of its event, from which [`parse_report`] restores it.
pub(super) fn report_json(event: &ValidEvent) -> Option<String> {
    serde_json::to_string(&Event { player_geid: None, ..event.to_event() }).ok()
}

/// Restores a report.
pub(super) fn parse_report(witness: &WitnessRow, standing: &ValidEvent, now: EpochMillis) -> Option<ValidEvent> {
    let event: Event = serde_json::from_str(witness.report.as_deref()?).ok()?;
    let event = Event { event_time: EpochMillis(witness.event_time), ..event };
    let valid = validate_stored(event, now).ok()?;
    Some(ValidEvent { identity: Identity::from_bytes(&witness.identity)?, fight: standing.fight, ..valid })
}

/// Inserts events and, for those that stand, the feed entries of their players.
pub(super) fn store_events(tx: &mut Tx, rows: Vec<EventRow>, people: &ResolvedPlayers) -> diesel::QueryResult<()> {
    let is_hidden = |id: i64| people.by_id(id).is_some_and(|person| person.is_hidden);
    let may_be_hidden = |row: &&EventRow| !row.stands() || row.player_ids().any(is_hidden);
    let of_hidden: Vec<i64> = rows.iter().filter(may_be_hidden).map(|row| row.id).collect();
    let entries = event_players(&rows, people);
    ingest::insert_events(tx, rows)?;
    ingest::insert_event_players(tx, &entries)?;
    activity::mark_hidden(tx, &of_hidden)
}

/// The feed entries of events that stand.
fn event_players(events: &[EventRow], people: &ResolvedPlayers) -> Vec<EventPlayer> {
    let mut rows = Vec::with_capacity(events.len() * 2);
    for event in events.iter().filter(|event| event.stands()) {
        let ids = PlayerIds { killer: event.killer_id, victim: event.victim_id, player: event.player_id };
        rows.extend(ids.distinct().into_iter().map(|player_id| EventPlayer {
            player_id,
            event_time: event.event_time,
            event_id: event.id,
            category: event.category,
            guild_id: people.by_id(player_id).filter(|p| !p.is_hidden).and_then(|p| p.guild_id),
        }));
    }
    rows
}

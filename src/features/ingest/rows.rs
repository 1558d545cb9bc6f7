//! Reports as rows of the database, and back.

use std::collections::HashMap;

use crate::domain::events::{Identifier, Identity, Party, ValidEvent, category, mode_code, mode_from_code};
use crate::domain::names::Handle;
use crate::domain::patches::Patch;
use crate::domain::times::EpochMillis;
use crate::store::ingest::{self, EventPlayer, EventRow};
use crate::store::{Tx, activity};

use super::players::ResolvedPlayers;

/// The row of an event, without what is known of its report beside it: number, reader, log, sides and state.
pub(super) fn to_row(event: &ValidEvent, players: &ResolvedPlayers) -> EventRow {
    let npc = |party: &Party| party.name().filter(|_| party.is_npc()).map(ToOwned::to_owned);
    EventRow {
        identity: event.identity.0.to_vec(),
        fight: event.fight,
        identifier: event.identifier.code(),
        category: category(event),
        event_time: event.event_time.0,
        game_mode: mode_code(event.game_mode),
        patch_version: event.patch.as_ref().map(Patch::version),
        killer_id: players.id_of(&event.killer),
        victim_id: players.id_of(&event.victim),
        player_id: players.id_of(&event.player),
        killer_npc: npc(&event.killer),
        victim_npc: npc(&event.victim),
        player_npc: npc(&event.player),
        details: event.details.clone(),
        ..EventRow::default()
    }
}

/// Converts a stored report to its validated form; `None` if it contains unknown codes.
pub(super) fn from_row(
    row: &EventRow,
    players: &ResolvedPlayers,
    patches: &HashMap<i64, String>,
) -> Option<ValidEvent> {
    let party = |id: Option<i64>, npc: &Option<String>| match (id.and_then(|id| players.by_id(id)), npc) {
        (Some(person), _) => Handle::parse(&person.handle).map_or(Party::Nobody, Party::Player),
        (None, Some(name)) => Party::Npc(name.clone()),
        (None, None) => Party::Nobody,
    };
    let patch = row.patch_version.and_then(|version| patches.get(&version));
    Some(ValidEvent {
        identifier: Identifier::from_code(row.identifier)?,
        event_time: EpochMillis(row.event_time),
        game_mode: mode_from_code(row.game_mode),
        patch: patch.and_then(|name| Patch::parse(name)),
        is_live: true,
        killer: party(row.killer_id, &row.killer_npc),
        victim: party(row.victim_id, &row.victim_npc),
        player: party(row.player_id, &row.player_npc),
        player_geid: None,
        details: row.details.clone(),
        identity: Identity::from_bytes(&row.identity)?,
        fight: row.fight,
    })
}

/// Inserts reports and their feed entries; returns how many were not stored before.
pub(super) fn insert(tx: &mut Tx, rows: &[EventRow], players: &ResolvedPlayers) -> diesel::QueryResult<usize> {
    let inserted = ingest::insert_events(tx, rows.to_vec())?;
    ingest::insert_event_players(tx, &feed_entries(rows, players))?;
    let is_hidden = |id: i64| players.by_id(id).is_some_and(|person| person.is_hidden);
    let may_be_hidden =
        |row: &&EventRow| row.fight_of.is_some() || row.player_ids().any(is_hidden) || !row.state().is_visible();
    activity::mark_hidden(tx, &rows.iter().filter(may_be_hidden).map(|row| row.id).collect::<Vec<_>>())?;
    Ok(inserted)
}

/// The feed entries of reports: of the players on the sides for which they stand. No feed has what only its owner can share.
pub(super) fn feed_entries(rows: &[EventRow], players: &ResolvedPlayers) -> Vec<EventPlayer> {
    let listed = rows.iter().filter(|row| !row.is_opt_in());
    let entries = listed.flat_map(|row| row.players_on(row.sides()).into_iter().map(move |player_id| (row, player_id)));
    let entry = |(row, player_id): (&EventRow, i64)| EventPlayer {
        player_id,
        event_time: row.event_time,
        event_id: row.id,
        category: row.category,
        guild_id: players.by_id(player_id).filter(|player| !player.is_hidden).and_then(|player| player.guild_id),
    };
    entries.map(entry).collect()
}

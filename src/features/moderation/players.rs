//! Players that get another handle, and players that become another one.

use crate::domain::counters::Side;
use crate::domain::times::EpochMillis;
use crate::domain::trust::Sides;
use crate::error::AppError;
use crate::features::ingest::{self, Revision};
use crate::features::players::{list as list_players, unlist};
use crate::store::changes::EntityChange;
use crate::store::ingest::EventRow;
use crate::store::moderation::{self, ModerationRow};
use crate::store::{Tx, activity, players};

/// Gives a player the handle of an entry, or if the entry is undone, its former one.
pub(super) fn rename(
    tx: &mut Tx,
    entry: &ModerationRow,
    now: i64,
    entities: &mut EntityChange,
) -> Result<(), AppError> {
    let (Some(id), Some(new), Some(old)) = (entry.player_id, &entry.argument, &entry.name) else { return Ok(()) };
    let (from, to) = if entry.undone_at.is_none() { (old, new) } else { (new, old) };
    let folded = to.to_ascii_lowercase();
    let taken = players::find_refs(tx, std::slice::from_ref(&folded))?.into_iter().find(|player| player.id != id);
    if let Some(other) = taken {
        let sentence = format!("{} is another player. Merge {from} into that player instead.", other.handle);
        return Err(AppError::Conflict(sentence));
    }
    players::rename(tx, id, to, &folded)?;
    players::add_former_handle(tx, id, from, now)?;
    players::remove_former_handle(tx, id, &folded)?;
    entities.players.push(id);
    Ok(())
}

/// Takes a player that becomes another one off the lists, or puts it back. A job moves the events.
pub(super) fn merge(tx: &mut Tx, entry: &ModerationRow, now: i64, entities: &mut EntityChange) -> Result<(), AppError> {
    let (Some(from), Some(into)) = (entry.player_id, entry.into_player_id) else { return Ok(()) };
    let Some(player) = players::find_by_id(tx, from)? else { return Ok(()) };
    if players::is_claimed(tx, from)? {
        let sentence = format!("{} is claimed. The owner has to give the claim back first.", player.handle);
        return Err(AppError::Conflict(sentence));
    }
    if entry.undone_at.is_none() {
        unlist(tx, from, entities)?;
        players::add_former_handle(tx, into, &player.handle, now)?;
    } else {
        list_players(tx, &[from], entities)?;
        players::remove_former_handle(tx, into, &player.handle_folded)?;
    }
    entities.players.extend([from, into]);
    Ok(())
}

/// Replaces the merged player in reports, or puts it back. The second number of each report is its event, or for an undone entry the
/// roles that were changed.
pub(super) fn move_reports(
    tx: &mut Tx,
    entry: &ModerationRow,
    reports: &[(i64, i64)],
    now: EpochMillis,
) -> Result<(), AppError> {
    let (Some(from), Some(into)) = (entry.player_id, entry.into_player_id) else { return Ok(()) };
    let ids: Vec<i64> = reports.iter().map(|(id, _)| *id).collect();
    let rows = activity::find_many(tx, &ids)?;
    let mut revisions: Vec<Revision> = Vec::with_capacity(rows.len());
    let mut merged = Vec::with_capacity(rows.len());
    for row in rows {
        let (sides, to) = if entry.undone_at.is_none() {
            (sides_of(&row, from), into)
        } else {
            let sides = reports.iter().find(|(id, _)| *id == row.id).map_or(0, |(_, sides)| *sides);
            (Sides::from_bits(i16::try_from(sides).unwrap_or(0)), from)
        };
        merged.push((row.id, sides));
        let after = with_player(&row, sides, to);
        revisions.push((row, after));
    }
    if entry.undone_at.is_none() {
        moderation::add_merged(tx, entry.id, &merged)?;
    }
    ingest::revise(tx, &revisions, now)
}

fn sides_of(row: &EventRow, player_id: i64) -> Sides {
    let sides = [Side::Killer, Side::Victim, Side::Player].into_iter();
    let own = sides.filter(|side| row.player_on(*side) == Some(player_id)).map(Sides::of);
    own.fold(Sides::NONE, Sides::with)
}

fn with_player(row: &EventRow, sides: Sides, player_id: i64) -> EventRow {
    let on = |side: Side, known: Option<i64>| if sides.contains(side) { Some(player_id) } else { known };
    EventRow {
        killer_id: on(Side::Killer, row.killer_id),
        victim_id: on(Side::Victim, row.victim_id),
        player_id: on(Side::Player, row.player_id),
        ..row.clone()
    }
}

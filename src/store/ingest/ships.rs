//! Ships that players have flown.

use diesel::prelude::*;

use crate::domain::events::{GameMode, Identifier, mode_code};
use crate::domain::trust::{ReportState, Sides};
use crate::store::Tx;
use crate::store::conn::{AnyConn, Merge, bulk};
use crate::store::schema::*;

/// A ship that a player has controlled in the Persistent Universe; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = ships_flown)]
pub struct ShipRow {
    pub player_id: i64,
    /// The class that all copies of the ship share.
    pub ship: String,
    pub entered: i64,
    pub exited: i64,
    pub first_at: i64,
    pub first_patch: Option<i64>,
    pub last_at: i64,
}

impl ShipRow {
    /// How often the ship was used, of which a log may tell only one end.
    pub fn uses(&self) -> i64 {
        self.entered.max(self.exited)
    }
}

/// The rows of these players and ships, and of other pairs of them.
pub fn ships(conn: &mut AnyConn, player_ids: &[i64], ships: &[&str]) -> QueryResult<Vec<ShipRow>> {
    ships_flown::table
        .filter(ships_flown::player_id.eq_any(player_ids))
        .filter(ships_flown::ship.eq_any(ships))
        .select(ShipRow::as_select())
        .load(conn)
}

pub fn upsert_ships(tx: &mut Tx, rows: &[ShipRow]) -> QueryResult<()> {
    const REPLACED: [&str; 5] = ["entered", "exited", "first_at", "first_patch", "last_at"];
    bulk!(ships_flown, rows, |s| {
        player_id: s.player_id,
        ship: s.ship.as_str(),
        entered: s.entered,
        exited: s.exited,
        first_at: s.first_at,
        first_patch: s.first_patch,
        last_at: s.last_at,
    })
    .on_conflict("ships_flown", &["player_id", "ship"], &REPLACED.map(|column| (column, Merge::Replace)))
    .execute(tx)?;
    Ok(())
}

/// A use of a vehicle that counts: `(vehicle, time, patch)`.
pub type SeatUse = (Option<String>, i64, Option<i64>);

/// The stored uses of a player in the Persistent Universe that count.
pub fn seat_uses(conn: &mut AnyConn, player_id: i64) -> QueryResult<Vec<SeatUse>> {
    event_players::table
        .inner_join(events::table.on(events::id.eq(event_players::event_id)))
        .filter(event_players::player_id.eq(player_id))
        .filter(events::identifier.eq_any([Identifier::SeatEntered.code(), Identifier::SeatExited.code()]))
        .filter(events::game_mode.eq(mode_code(Some(GameMode::Pu))))
        .filter(events::player_id.eq(player_id))
        .filter(events::state.eq(ReportState::COUNTED.code()))
        .filter(events::sides.ne(Sides::NONE.bits()))
        .select((events::vehicle_name, events::event_time, events::patch_version))
        .load(conn)
}

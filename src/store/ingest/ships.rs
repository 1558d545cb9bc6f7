//! Ships that players have flown.

use diesel::prelude::*;
use diesel::query_builder::QueryFragment;

use crate::domain::events::{GameMode, Identifier, mode_code};
use crate::domain::trust::{ReportState, Sides};
use crate::store::Tx;
use crate::store::conn::{AnyConn, Bulk, Merge, MultiBackend, bulk};
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

/// Adds uses to ships; returns the rows, whose first use is still the one that was stored before.
pub fn add_ships(tx: &mut Tx, rows: &[ShipRow]) -> QueryResult<Vec<ShipRow>> {
    ship_rows(rows)
        .on_conflict("ships_flown", KEY, &[("entered", Merge::Add), ("exited", Merge::Add), ("last_at", Merge::Max)])
        .returning(ShipRow::as_returning())
        .get_results::<ShipRow>(tx)
}

/// Replaces the times of ships.
pub fn replace_ship_times(tx: &mut Tx, rows: &[ShipRow]) -> QueryResult<()> {
    const REPLACED: [&str; 3] = ["first_at", "first_patch", "last_at"];
    ship_rows(rows).on_conflict("ships_flown", KEY, &REPLACED.map(|column| (column, Merge::Replace))).execute(tx)?;
    Ok(())
}

const KEY: &[&str] = &["player_id", "ship"];

fn ship_rows(rows: &[ShipRow]) -> Bulk<impl QueryFragment<MultiBackend>> {
    bulk!(ships_flown, rows, |s| {
        player_id: s.player_id,
        ship: s.ship.as_str(),
        entered: s.entered,
        exited: s.exited,
        first_at: s.first_at,
        first_patch: s.first_patch,
        last_at: s.last_at,
    })
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

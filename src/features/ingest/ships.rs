//! Which ships players have flown, and since when, while events arrive in any order.

use std::collections::{BTreeMap, BTreeSet};

use gamelog::catalogue::vehicle_key;

use crate::domain::events::{GameMode, Identifier, ValidEvent};
use crate::domain::patches::Patch;
use crate::store::Tx;
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, ShipRow};

/// How the uses of one ship by one player change.
#[derive(Debug, Default)]
struct ShipChange {
    entered: i64,
    exited: i64,
    /// Uses that are added: `(time, patch)`.
    added: Vec<(i64, Option<i64>)>,
    is_reduced: bool,
}

/// The uses of ships that a batch adds or removes, by player and ship.
#[derive(Debug, Default)]
pub struct ShipChanges(BTreeMap<(i64, String), ShipChange>);

/// A ship that becomes one of those flown (`sign` 1), or ceases to be (−1), at the time of its first flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FirstFlight {
    pub player_id: i64,
    pub at: i64,
    pub patch: Option<i64>,
    pub sign: i64,
}

impl ShipChanges {
    /// Adds (`sign` 1) or removes (−1) an event of its own player. Events that are no use of a ship in the Persistent Universe are ignored.
    pub fn count(&mut self, event: &ValidEvent, player_id: i64, sign: i64) {
        let (entered, exited) = match event.identifier {
            Identifier::SeatEntered => (sign, 0),
            Identifier::SeatExited => (0, sign),
            _ => return,
        };
        let Some(vehicle) = event.details.vehicle_name.as_deref().filter(|_| event.game_mode == Some(GameMode::Pu))
        else {
            return;
        };
        let change = self.0.entry((player_id, vehicle_key(vehicle).to_owned())).or_default();
        change.entered += entered;
        change.exited += exited;
        if sign > 0 {
            change.added.push((event.event_time.0, event.patch.as_ref().map(Patch::version)));
        } else {
            change.is_reduced = true;
        }
    }

    /// Stores the changed ships. Returns which ships players have flown or not, compared with before.
    pub fn store(self, tx: &mut Tx) -> diesel::QueryResult<Vec<FirstFlight>> {
        let (mut flights, mut rows) = (Vec::new(), Vec::new());
        let players: BTreeSet<i64> = self.0.keys().map(|(player_id, _)| *player_id).collect();
        let ships: BTreeSet<&str> = self.0.keys().map(|(_, ship)| ship.as_str()).collect();
        let known = ingest::ships(tx, &Vec::from_iter(players), &Vec::from_iter(ships))?;
        let mut known: BTreeMap<(i64, String), ShipRow> =
            known.into_iter().map(|row| ((row.player_id, row.ship.clone()), row)).collect();
        for ((player_id, ship), change) in self.0 {
            let before = known.remove(&(player_id, ship.clone()));
            let after = change.applied(tx, player_id, ship, before.as_ref())?;
            let flight =
                |row: &ShipRow, sign| FirstFlight { player_id, at: row.first_at, patch: row.first_patch, sign };
            flights.extend(before.iter().filter(|row| row.uses() > 0).map(|row| flight(row, -1)));
            flights.extend(Some(&after).filter(|row| row.uses() > 0).map(|row| flight(row, 1)));
            rows.push(after);
        }
        ingest::upsert_ships(tx, &rows)?;
        Ok(flights)
    }
}

impl ShipChange {
    fn applied(
        self,
        conn: &mut AnyConn,
        player_id: i64,
        ship: String,
        before: Option<&ShipRow>,
    ) -> diesel::QueryResult<ShipRow> {
        let mut times = self.added;
        if self.is_reduced {
            let stored = ingest::seat_uses(conn, player_id)?.into_iter();
            let of_ship =
                stored.filter(|(vehicle, ..)| vehicle.as_deref().is_some_and(|name| vehicle_key(name) == ship));
            times.extend(of_ship.map(|(_, at, patch)| (at, patch)));
        } else if let Some(row) = before.filter(|row| row.uses() > 0) {
            times.extend([(row.first_at, row.first_patch), (row.last_at, None)]);
        }
        let first = times.iter().min_by_key(|(at, patch)| (*at, patch.is_none(), *patch)).copied().unwrap_or_default();
        let last_at = times.iter().map(|(at, _)| *at).max().unwrap_or_default();
        Ok(ShipRow {
            player_id,
            ship,
            entered: before.map_or(0, |row| row.entered) + self.entered,
            exited: before.map_or(0, |row| row.exited) + self.exited,
            first_at: first.0,
            first_patch: first.1,
            last_at,
        })
    }
}

//! Which ships players have flown, and since when, while events arrive in any order.

use std::collections::BTreeMap;

use gamelog::catalogue::vehicle_key;

use crate::domain::events::{GameMode, Identifier, ValidEvent};
use crate::domain::patches::Patch;
use crate::store::Tx;
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, ShipRow};

/// The time of a use and its patch.
type Use = (i64, Option<i64>);

/// How the uses of one ship by one player change.
#[derive(Debug, Default)]
struct ShipChange {
    entered: i64,
    exited: i64,
    added: Vec<Use>,
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
        let changes: Vec<ShipRow> = self.0.iter().map(|(key, change)| change.to_row(key)).collect();
        let (mut flights, mut moved) = (Vec::new(), Vec::new());
        for row in ingest::add_ships(tx, &changes)? {
            let Some(change) = self.0.get(&(row.player_id, row.ship.clone())) else { continue };
            let was_flown = (row.entered - change.entered).max(row.exited - change.exited) > 0;
            let after = change.with_times(tx, &row, was_flown)?;
            let first = |row: &ShipRow| (row.first_at, row.first_patch);
            let (before, now) = (was_flown.then(|| first(&row)), (after.uses() > 0).then(|| first(&after)));
            if before != now {
                let signed = before.map(|first| (first, -1)).into_iter().chain(now.map(|first| (first, 1)));
                flights.extend(signed.map(|((at, patch), sign)| FirstFlight {
                    player_id: row.player_id,
                    at,
                    patch,
                    sign,
                }));
            }
            moved.extend((after != row).then_some(after));
        }
        ingest::replace_ship_times(tx, &moved)?;
        Ok(flights)
    }
}

impl ShipChange {
    /// The row of a ship that has no other uses.
    fn to_row(&self, (player_id, ship): &(i64, String)) -> ShipRow {
        let (first, last_at) = span(&self.added);
        let (entered, exited) = (self.entered, self.exited);
        ShipRow {
            player_id: *player_id,
            ship: ship.clone(),
            entered,
            exited,
            first_at: first.0,
            first_patch: first.1,
            last_at,
        }
    }

    /// A stored row, to which the uses are added already, with the times of all uses.
    fn with_times(&self, conn: &mut AnyConn, row: &ShipRow, was_flown: bool) -> diesel::QueryResult<ShipRow> {
        let mut uses = self.added.clone();
        if self.is_reduced {
            let stored = ingest::seat_uses(conn, row.player_id)?.into_iter();
            let of_ship =
                stored.filter(|(vehicle, ..)| vehicle.as_deref().is_some_and(|name| vehicle_key(name) == row.ship));
            uses.extend(of_ship.map(|(_, at, patch)| (at, patch)));
        } else if was_flown {
            uses.extend([(row.first_at, row.first_patch), (row.last_at, None)]);
        }
        let (first, last_at) = span(&uses);
        Ok(ShipRow { first_at: first.0, first_patch: first.1, last_at, ..row.clone() })
    }
}

/// The first use with its patch, and the time of the last one; zero without uses.
fn span(uses: &[Use]) -> (Use, i64) {
    let first = uses.iter().min_by_key(|(at, patch)| (*at, patch.is_none(), *patch)).copied().unwrap_or_default();
    (first, uses.iter().map(|(at, _)| *at).max().unwrap_or_default())
}

//! Crashes of the local player's ship. The line does not say who flew: the player's seat or death does.

use crate::events::{Event, Identifier};
use crate::times::EpochMillis;

use super::emitter::{Emitter, NO_DEADLINE};
use super::text::clean_name;

/// The death in a crash is logged within this time of the collision, before or after it.
const DEATH_WINDOW_MS: i64 = 3000;

#[derive(Default)]
pub(super) struct Collisions {
    /// A crash of a ship that the player may have been in.
    pending: Option<Event>,
    /// The ship of the player's last death, and the time of the death.
    death: Option<(String, EpochMillis)>,
    /// The last ship that crashed. Several parts of one ship collide.
    last: Option<String>,
}

impl Collisions {
    pub fn deadline(&self) -> i64 {
        self.pending.as_ref().map_or(NO_DEADLINE, |event| event.event_time.0 + DEATH_WINDOW_MS + 1)
    }

    /// Drops a crash that nothing joins to the player.
    pub fn flush(&mut self, now: EpochMillis) {
        if self.deadline() <= now.0 {
            self.pending = None;
        }
    }

    /// Handles a collision. `seat` is the id of the vehicle that the player controls.
    pub fn on_collision(&mut self, ship: &str, seat: Option<&str>, at: EpochMillis, emitter: &mut Emitter) {
        let ship = clean_name(ship);
        if ship.is_empty() || self.last.as_ref() == Some(&ship) {
            return;
        }
        let event = Event { vehicle_name: Some(ship.clone()), ..emitter.event(Identifier::ShipCrashed, at, &ship) };
        let is_seat = seat.is_some_and(|seat| ship.rsplit_once('_').is_some_and(|(_, id)| id == seat));
        let is_death = self.death.as_ref().is_some_and(|(of, died)| *of == ship && at.0 - died.0 <= DEATH_WINDOW_MS);
        if is_seat || is_death {
            self.emit(event, emitter);
        } else if self.pending.as_ref().is_none_or(|pending| pending.vehicle_name.as_ref() != Some(&ship)) {
            self.pending = Some(event);
        }
    }

    /// Handles the death of the player in a ship.
    pub fn on_own_death(&mut self, ship: &str, at: EpochMillis, emitter: &mut Emitter) {
        let ship = clean_name(ship);
        if let Some(event) = self.pending.take_if(|event| event.vehicle_name.as_ref() == Some(&ship)) {
            self.emit(event, emitter);
        }
        self.death = Some((ship, at));
    }

    fn emit(&mut self, event: Event, emitter: &mut Emitter) {
        self.last.clone_from(&event.vehicle_name);
        emitter.emit_own(event);
    }
}

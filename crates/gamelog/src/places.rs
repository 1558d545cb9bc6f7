//! The places that the local player visits.

use crate::events::{Event, Identifier};
use crate::times::EpochMillis;

use super::emitter::Emitter;
use super::text::clean_name;

/// What the game writes while it knows no place.
const NO_PLACE: &str = "INVALID_LOCATION_ID";

#[derive(Default)]
pub(super) struct Places {
    current: String,
}

impl Places {
    /// Handles a request for the inventory of a place. It occurs at every spawn, so only another place is a visit.
    pub fn on_inventory(&mut self, handle: &str, zone: &str, at: EpochMillis, emitter: &mut Emitter) {
        let zone = clean_name(zone);
        if !emitter.is_own(handle, "") || zone.is_empty() || zone == NO_PLACE || zone == self.current {
            return;
        }
        self.current.clone_from(&zone);
        let event = emitter.event(Identifier::PlaceVisited, at, &zone);
        emitter.emit_own(Event { zone: Some(zone), ..event });
    }
}

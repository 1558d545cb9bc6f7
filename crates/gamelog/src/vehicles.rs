//! The vehicle that the local player controls: entered, left, or known only from being left.

use crate::events::{Event, Identifier};
use crate::times::EpochMillis;

use super::emitter::{Emitter, NO_DEADLINE};
use super::text::clean_name;

/// A request is granted within this time. Some builds never log the grant, so the request counts after it.
const GRANT_TIMEOUT_MS: i64 = 3000;
/// Entities with a control token that are not vehicles.
const NON_VEHICLE_PREFIXES: [&str; 2] = ["Default_", "ui_entity_"];

#[derive(Default)]
pub(super) struct CurrentVehicle {
    current: Option<String>,
    requested: Option<(Event, String)>,
}

impl CurrentVehicle {
    /// The entity id of the vehicle that the player controls.
    pub fn vehicle_id(&self) -> Option<&str> {
        self.current.as_deref().or(self.requested.as_ref().map(|(_, id)| id.as_str()))
    }

    pub fn deadline(&self) -> i64 {
        self.requested.as_ref().map_or(NO_DEADLINE, |(event, _)| event.event_time.0 + GRANT_TIMEOUT_MS + 1)
    }

    pub fn flush(&mut self, now: EpochMillis, emitter: &mut Emitter) {
        if self.deadline() <= now.0 {
            self.confirm_request(emitter);
        }
    }

    pub fn on_request(&mut self, vehicle: &str, id: &str, at: EpochMillis, emitter: &mut Emitter) {
        if is_vehicle(vehicle) && self.vehicle_id() != Some(id) {
            self.confirm_request(emitter);
            self.requested = Some((seat_event(Identifier::SeatEntered, vehicle, id, at, emitter), id.to_owned()));
        }
    }

    pub fn on_grant(&mut self, vehicle: &str, id: &str, at: EpochMillis, emitter: &mut Emitter) {
        if !is_vehicle(vehicle) {
            return;
        }
        self.requested = None;
        if self.current.as_deref() != Some(id) {
            self.current = Some(id.to_owned());
            let event = seat_event(Identifier::SeatEntered, vehicle, id, at, emitter);
            emitter.emit_own(event);
        }
    }

    pub fn on_release(&mut self, vehicle: &str, id: &str, at: EpochMillis, emitter: &mut Emitter) {
        if !is_vehicle(vehicle) {
            return;
        }
        if self.requested.as_ref().is_some_and(|(_, requested)| requested == id) {
            self.confirm_request(emitter);
        }
        if self.current.as_deref() != Some(id) {
            // Only the release was logged: the player entered the vehicle at an unknown time.
            let event = seat_event(Identifier::SeatEntered, vehicle, id, at, emitter);
            emitter.emit_own(event);
        }
        self.current = None;
        let event = seat_event(Identifier::SeatExited, vehicle, id, at, emitter);
        emitter.emit_own(event);
    }

    /// Clears the state after a change of servers.
    pub fn reset(&mut self) {
        self.current = None;
        self.requested = None;
    }

    /// Treats a request without a grant as granted.
    fn confirm_request(&mut self, emitter: &mut Emitter) {
        if let Some((event, id)) = self.requested.take() {
            self.current = Some(id);
            emitter.emit_own(event);
        }
    }
}

fn is_vehicle(name: &str) -> bool {
    !name.is_empty() && !NON_VEHICLE_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn seat_event(identifier: Identifier, vehicle: &str, id: &str, at: EpochMillis, emitter: &Emitter) -> Event {
    Event { vehicle_name: Some(clean_name(vehicle)), ..emitter.event(identifier, at, id) }
}

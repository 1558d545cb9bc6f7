//! Which vehicle the local player steers: taken, left, or only known from being left.

use crate::domain::events::{Event, Identifier};
use crate::domain::times::EpochMillis;

use super::hud::short;
use super::session::{NOT_DUE, Teller};

/// A request is granted within this time; some builds never log the grant, so then the request stands for it.
const GRANT_MS: i64 = 3000;
/// Things with a control token that are no vehicles.
const NO_VEHICLES: [&str; 2] = ["Default_", "ui_entity_"];

#[derive(Default)]
pub(super) struct Seats {
    current: Option<String>,
    requested: Option<(Event, String)>,
}

impl Seats {
    /// The entity id of the vehicle the player sits in.
    pub fn vehicle_id(&self) -> Option<&str> {
        self.current.as_deref().or(self.requested.as_ref().map(|(_, id)| id.as_str()))
    }

    pub fn due(&self) -> i64 {
        self.requested.as_ref().map_or(NOT_DUE, |(event, _)| event.event_time.0 + GRANT_MS + 1)
    }

    pub fn release(&mut self, now: EpochMillis, teller: &mut Teller) {
        if self.due() <= now.0 {
            self.settle(teller);
        }
    }

    pub fn requested(&mut self, vehicle: &str, id: &str, at: EpochMillis, teller: &mut Teller) {
        if is_vehicle(vehicle) && self.vehicle_id() != Some(id) {
            self.settle(teller);
            self.requested = Some((seat(Identifier::SeatEntered, vehicle, id, at, teller), id.to_owned()));
        }
    }

    pub fn granted(&mut self, vehicle: &str, id: &str, at: EpochMillis, teller: &mut Teller) {
        if !is_vehicle(vehicle) {
            return;
        }
        self.requested = None;
        if self.current.as_deref() != Some(id) {
            self.current = Some(id.to_owned());
            let event = seat(Identifier::SeatEntered, vehicle, id, at, teller);
            teller.tell_own(event);
        }
    }

    pub fn released(&mut self, vehicle: &str, id: &str, at: EpochMillis, teller: &mut Teller) {
        if !is_vehicle(vehicle) {
            return;
        }
        if self.requested.as_ref().is_some_and(|(_, requested)| requested == id) {
            self.settle(teller);
        }
        if self.current.as_deref() != Some(id) {
            // Only the leaving was logged: the seat was held, since when is unknown.
            let event = seat(Identifier::SeatEntered, vehicle, id, at, teller);
            teller.tell_own(event);
        }
        self.current = None;
        let event = seat(Identifier::SeatExited, vehicle, id, at, teller);
        teller.tell_own(event);
    }

    /// Another server, another world: nobody sits any more.
    pub fn left(&mut self) {
        self.current = None;
        self.requested = None;
    }

    /// Takes a request without a grant for a seat taken.
    fn settle(&mut self, teller: &mut Teller) {
        if let Some((event, id)) = self.requested.take() {
            self.current = Some(id);
            teller.tell_own(event);
        }
    }
}

fn is_vehicle(name: &str) -> bool {
    !name.is_empty() && !NO_VEHICLES.iter().any(|prefix| name.starts_with(prefix))
}

fn seat(identifier: Identifier, vehicle: &str, id: &str, at: EpochMillis, teller: &Teller) -> Event {
    Event { vehicle_name: Some(short(vehicle)), ..teller.event(identifier, at, id) }
}

//! Categories of events, by which feeds are filtered. The codes are those of the table `events`.

use super::identifier::EventKind;
use super::valid_event::{Party, ValidEvent};

/// The categories of the events that start and end a session.
pub const LOGIN: i16 = 5;
pub const LOGOUT: i16 = 6;
/// The category of arrivals. Feeds omit this category and those after it.
pub const CONNECTION: i16 = 7;
/// The category of departures from the Persistent Universe.
pub const DEPARTURE: i16 = 8;
/// The category of other events that only count.
pub const UNLISTED: i16 = 10;
/// The category of events that are stored only while the owner of the player shares them.
pub const OPT_IN: i16 = 9;

/// Whether feeds contain events of a category.
pub fn is_listed(category: i16) -> bool {
    category < CONNECTION
}

/// The category of an event.
pub fn category(event: &ValidEvent) -> i16 {
    match event.identifier.kind() {
        EventKind::Kill if event.is_suicide() || event.killer == Party::Nobody => 0,
        EventKind::Kill if event.killer.is_npc() || event.victim.is_npc() => 2,
        EventKind::Kill => 1,
        EventKind::SoftDeath
        | EventKind::Destruction
        | EventKind::InstantDestruction
        | EventKind::SeatEntered
        | EventKind::SeatExited => 3,
        EventKind::MissionAccepted
        | EventKind::MissionCompleted
        | EventKind::MissionOther
        | EventKind::BlueprintReceived => 4,
        EventKind::Login => LOGIN,
        EventKind::Logout => LOGOUT,
        EventKind::Connection => CONNECTION,
        EventKind::UniverseLeft => DEPARTURE,
        EventKind::GameCrashed | EventKind::MissionEnded | EventKind::Downed | EventKind::ShipCrashed => UNLISTED,
        EventKind::Payout | EventKind::PlaceVisited => OPT_IN,
    }
}

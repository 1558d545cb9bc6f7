//! Identifiers of events, and game modes, with their names in JSON.

use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::error::EventError;

macro_rules! identifiers {
    ($($variant:ident = $text:tt = $code:literal),+ $(,)?) => {
        /// The identifier of an event.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
        #[repr(i16)]
        pub enum Identifier { $(#[serde(rename = $text)] $variant = $code),+ }

        impl Identifier {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The stored value.
            pub fn code(self) -> i16 {
                self as i16
            }

            pub fn from_code(code: i16) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)+ _ => None }
            }
        }

        impl FromStr for Identifier {
            type Err = EventError;
            fn from_str(text: &str) -> Result<Self, EventError> {
                match text { $($text => Ok(Self::$variant),)+ _ => Err(EventError::UnknownIdentifier(text.chars().take(60).collect())) }
            }
        }
    };
}

identifiers! {
    Kill = "kill" = 1,
    KillLog = "kill_log" = 2,
    NpcKill = "npc_kill" = 3,
    NpcKillDashed = "npc-kill" = 4,
    VehicleSoftDeath = "vehicle_soft_death" = 10,
    VehicleDestruction = "vehicle_destruction" = 11,
    VehicleInstantDestruction = "vehicle_instant_destruction" = 12,
    SeatEntered = "seat_entered" = 20,
    SeatExited = "seat_exited" = 21,
    MissionAccepted = "mission_accepted" = 30,
    MissionStart = "mission_start" = 31,
    MissionComplete = "mission_complete" = 32,
    MissionCompleted = "mission_completed" = 33,
    MissionUpdated = "mission_updated" = 34,
    Objective = "objective" = 35,
    MissionEnded = "mission_ended" = 36,
    BlueprintReceived = "blueprint_received" = 37,
    Payout = "payout" = 38,
    Login = "login" = 40,
    Logout = "logout" = 41,
    ConnectionSuccess = "connection_success" = 42,
    UniverseLeft = "universe_left" = 43,
    GameCrashed = "game_crashed" = 44,
    PlaceVisited = "place_visited" = 45,
    Downed = "downed" = 50,
    ShipCrashed = "ship_crashed" = 51,
}

impl<'de> Deserialize<'de> for Identifier {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// The kind of an event. Several identifiers can share a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    Kill,
    SoftDeath,
    Destruction,
    InstantDestruction,
    SeatEntered,
    SeatExited,
    MissionAccepted,
    MissionCompleted,
    MissionOther,
    Login,
    Logout,
    Connection,
    UniverseLeft,
    GameCrashed,
    MissionEnded,
    BlueprintReceived,
    Downed,
    ShipCrashed,
    Payout,
    PlaceVisited,
}

/// Events that a site stores only while the owner of the player shares them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OptIn {
    Pay,
    Places,
}

impl OptIn {
    /// The identifier of these events.
    pub fn identifier(self) -> Identifier {
        match self {
            Self::Pay => Identifier::Payout,
            Self::Places => Identifier::PlaceVisited,
        }
    }
}

impl Identifier {
    pub fn kind(self) -> EventKind {
        use EventKind as K;
        match self {
            Self::Kill | Self::KillLog | Self::NpcKill | Self::NpcKillDashed => K::Kill,
            Self::VehicleSoftDeath => K::SoftDeath,
            Self::VehicleDestruction => K::Destruction,
            Self::VehicleInstantDestruction => K::InstantDestruction,
            Self::SeatEntered => K::SeatEntered,
            Self::SeatExited => K::SeatExited,
            Self::MissionAccepted => K::MissionAccepted,
            Self::MissionComplete | Self::MissionCompleted => K::MissionCompleted,
            Self::MissionStart | Self::MissionUpdated | Self::Objective => K::MissionOther,
            Self::Login => K::Login,
            Self::Logout => K::Logout,
            Self::ConnectionSuccess => K::Connection,
            Self::UniverseLeft => K::UniverseLeft,
            Self::GameCrashed => K::GameCrashed,
            Self::MissionEnded => K::MissionEnded,
            Self::BlueprintReceived => K::BlueprintReceived,
            Self::Downed => K::Downed,
            Self::ShipCrashed => K::ShipCrashed,
            Self::Payout => K::Payout,
            Self::PlaceVisited => K::PlaceVisited,
        }
    }

    /// What the owner of the player has to share for these events to be stored; `None` for public events.
    pub fn opt_in(self) -> Option<OptIn> {
        match self {
            Self::Payout => Some(OptIn::Pay),
            Self::PlaceVisited => Some(OptIn::Places),
            _ => None,
        }
    }

    /// Whether this is a kill or a vehicle loss, which two log readers can both observe.
    pub fn is_fight(self) -> bool {
        use EventKind as K;
        matches!(self.kind(), K::Kill | K::SoftDeath | K::Destruction | K::InstantDestruction)
    }
}

/// Persistent Universe or Arena Commander.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub enum GameMode {
    #[serde(rename = "PU")]
    Pu,
    #[serde(rename = "AC")]
    Ac,
}

impl GameMode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pu => "PU",
            Self::Ac => "AC",
        }
    }
}

/// The stored value of a mode: 0 unknown, 1 PU, 2 AC.
pub fn mode_code(mode: Option<GameMode>) -> i16 {
    match mode {
        None => 0,
        Some(GameMode::Pu) => 1,
        Some(GameMode::Ac) => 2,
    }
}

pub fn mode_from_code(code: i16) -> Option<GameMode> {
    match code {
        1 => Some(GameMode::Pu),
        2 => Some(GameMode::Ac),
        _ => None,
    }
}

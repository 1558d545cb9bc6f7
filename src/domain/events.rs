//! What a reader tells of a session: the event as it travels, and the same event once it has been checked.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::fights::{self, Identity};
use super::names::Handle;
use super::npcs::{NameKind, kind_of};
use super::patches::Patch;
use super::times::EpochMillis;

/// How far a reader's clock may run ahead of ours, in milliseconds.
pub const CLOCK_AHEAD_MS: i64 = 5 * 60 * 1000;
/// 2012-01-01, before which the game did not exist.
pub const OLDEST_EVENT: EpochMillis = EpochMillis(1_325_376_000_000);
const NAME_MAX: usize = 200;
const TEXT_MAX: usize = 1000;

macro_rules! identifiers {
    ($($variant:ident = $text:tt = $code:literal),+ $(,)?) => {
        /// The kind of line an event comes from. The names are those of the wire.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, ToSchema)]
        #[repr(i16)]
        pub enum Identifier { $(#[serde(rename = $text)] $variant = $code),+ }

        impl Identifier {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// The number it is stored under.
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
                match text { $($text => Ok(Self::$variant),)+ _ => Err(EventError::Identifier(text.chars().take(60).collect())) }
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
    Login = "login" = 40,
    Logout = "logout" = 41,
    ConnectionSuccess = "connection_success" = 42,
}

impl<'de> Deserialize<'de> for Identifier {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// What an event is about, whatever its identifier is spelt like.
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
        }
    }

    /// A kill or a vehicle loss: something two readers can both have seen.
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

/// Stored form of a mode that may be unknown: 0 unknown, 1 PU, 2 AC.
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

/// One event as a reader tells it. What does not apply is left out; fields we do not know are ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    pub identifier: Identifier,
    /// Epoch milliseconds or RFC 3339.
    #[schema(value_type = Object)]
    pub event_time: EpochMillis,
    /// The reader's own key of this event; the same key again is the same event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game_mode: Option<GameMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sub_game_mode: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patch: Option<String>,
    /// Who killed, or who caused the loss of a vehicle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub killer: Option<String>,
    /// Who died, or who owned the vehicle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub killer_is_npc: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub victim_is_npc: Option<bool>,
    /// Weapon class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weapon: Option<String>,
    /// Vehicle class, with its entity id where the log tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vehicle_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whose seat, mission or session this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player_name: Option<String>,
    /// The player's entity id, as text or number.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "text_or_number")]
    pub player_geid: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub player_is_npc: Option<bool>,
}

impl Event {
    /// An event with nothing told but its kind and time.
    pub fn new(identifier: Identifier, event_time: EpochMillis) -> Self {
        Self {
            identifier,
            event_time,
            event_id: None,
            game_mode: None,
            sub_game_mode: None,
            patch: None,
            killer: None,
            victim: None,
            killer_is_npc: None,
            victim_is_npc: None,
            weapon: None,
            vehicle_name: None,
            damage_type: None,
            zone: None,
            contract_id: None,
            contract_name: None,
            text: None,
            player_name: None,
            player_geid: None,
            player_is_npc: None,
        }
    }
}

fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Text(String),
        Number(u64),
    }
    Ok(Option::<Either>::deserialize(deserializer)?.map(|either| match either {
        Either::Text(text) => text,
        Either::Number(number) => number.to_string(),
    }))
}

/// Why an event is not taken; the sentence goes back to the sender.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    #[error("identifier '{0}' is not known")]
    Identifier(String),
    #[error("event_time is more than 5 minutes ahead of the server's clock: check the clock of the sending machine")]
    ClockAhead,
    #[error("event_time is before 2012: check the clock of the sending machine")]
    ClockBehind,
    #[error("{field} '{value}' is no handle: it has 3 to 60 letters, digits, '-' or '_'")]
    NoHandle { field: &'static str, value: String },
    #[error("{0} is missing for this identifier")]
    Missing(&'static str),
    #[error("{field} is longer than {max} characters")]
    TooLong { field: &'static str, max: usize },
    #[error("{0} has control characters")]
    Control(&'static str),
    #[error("patch '{0}' has no version number")]
    Patch(String),
}

/// One side of an event.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Party {
    #[default]
    Nobody,
    Player(Handle),
    Npc(String),
}

impl Party {
    pub fn player(&self) -> Option<&Handle> {
        match self {
            Self::Player(handle) => Some(handle),
            _ => None,
        }
    }

    pub fn is_npc(&self) -> bool {
        matches!(self, Self::Npc(_))
    }

    /// The name as told, or nothing for nobody.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Nobody => None,
            Self::Player(handle) => Some(handle.as_str()),
            Self::Npc(name) => Some(name),
        }
    }

    /// The name in the form that compares: players without case, others as they are.
    pub fn folded(&self) -> String {
        match self {
            Self::Nobody => String::new(),
            Self::Player(handle) => handle.folded(),
            Self::Npc(name) => name.clone(),
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name().unwrap_or("unknown"))
    }
}

/// An event whose every field has been judged; only such events reach the database.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedEvent {
    pub identifier: Identifier,
    pub event_time: EpochMillis,
    pub event_id: Option<String>,
    pub game_mode: Option<GameMode>,
    pub sub_game_mode: Option<String>,
    pub patch: Option<Patch>,
    pub killer: Party,
    pub victim: Party,
    pub player: Party,
    pub player_geid: Option<String>,
    pub weapon: Option<String>,
    pub vehicle_name: Option<String>,
    pub damage_type: Option<String>,
    pub zone: Option<String>,
    pub contract_id: Option<String>,
    pub contract_name: Option<String>,
    pub text: Option<String>,
    /// Equal for the same event sent again.
    pub identity: Identity,
    /// Equal for the same fight told by different readers, up to its time.
    pub fight: Option<i64>,
}

impl CheckedEvent {
    /// The players in it, each once: killer, victim, then whose event it is.
    pub fn players(&self) -> impl Iterator<Item = &Handle> {
        let killer = self.killer.player();
        let victim = self.victim.player().filter(|v| killer.is_none_or(|k| k.folded() != v.folded()));
        let player = self.player.player().filter(|p| {
            [self.killer.player(), self.victim.player()].into_iter().flatten().all(|other| other.folded() != p.folded())
        });
        killer.into_iter().chain(victim).chain(player)
    }

    /// Killer and victim are the same player.
    pub fn is_suicide(&self) -> bool {
        match (self.killer.player(), self.victim.player()) {
            (Some(killer), Some(victim)) => killer.folded() == victim.folded(),
            _ => false,
        }
    }

    /// What the contract counts under: its name, else its id.
    pub fn contract_key(&self) -> Option<&str> {
        self.contract_name.as_deref().or(self.contract_id.as_deref())
    }
}

/// Judges an event; `now` is the server's clock.
pub fn check(event: Event, now: EpochMillis) -> Result<CheckedEvent, EventError> {
    if event.event_time.0 > now.0 + CLOCK_AHEAD_MS {
        return Err(EventError::ClockAhead);
    }
    if event.event_time < OLDEST_EVENT {
        return Err(EventError::ClockBehind);
    }
    let mut checked = CheckedEvent {
        identifier: event.identifier,
        event_time: event.event_time,
        event_id: plain("event_id", event.event_id)?,
        game_mode: event.game_mode,
        sub_game_mode: plain("sub_game_mode", event.sub_game_mode)?,
        patch: patch(event.patch)?,
        killer: party("killer", event.killer, event.killer_is_npc)?,
        victim: party("victim", event.victim, event.victim_is_npc)?,
        player: party("player_name", event.player_name, event.player_is_npc)?,
        player_geid: plain("player_geid", event.player_geid)?,
        weapon: plain("weapon", event.weapon)?.filter(|w| w != "unknown"),
        vehicle_name: plain("vehicle_name", event.vehicle_name)?.filter(|v| v != "unknown"),
        damage_type: plain("damage_type", event.damage_type)?,
        zone: plain("zone", event.zone)?,
        contract_id: plain("contract_id", event.contract_id)?,
        contract_name: plain("contract_name", event.contract_name)?,
        text: long_text(event.text)?,
        identity: Identity::default(),
        fight: None,
    };
    require(&checked)?;
    checked.identity = fights::identity(&checked);
    checked.fight = fights::fight_key(&checked);
    Ok(checked)
}

fn require(event: &CheckedEvent) -> Result<(), EventError> {
    use EventKind as K;
    let nobody = |party: &Party| *party == Party::Nobody;
    match event.identifier.kind() {
        K::Kill if nobody(&event.victim) => Err(EventError::Missing("victim")),
        K::SoftDeath | K::Destruction | K::InstantDestruction
            if nobody(&event.killer) && nobody(&event.victim) && event.vehicle_name.is_none() =>
        {
            Err(EventError::Missing("vehicle_name"))
        }
        K::SeatEntered | K::SeatExited if event.vehicle_name.is_none() => Err(EventError::Missing("vehicle_name")),
        K::MissionAccepted | K::MissionCompleted if event.contract_key().is_none() => {
            Err(EventError::Missing("contract_name"))
        }
        K::Kill | K::SoftDeath | K::Destruction | K::InstantDestruction => Ok(()),
        _ if nobody(&event.player) => Err(EventError::Missing("player_name")),
        _ => Ok(()),
    }
}

fn plain(field: &'static str, value: Option<String>) -> Result<Option<String>, EventError> {
    let Some(text) = value else { return Ok(None) };
    if text.len() > NAME_MAX {
        return Err(EventError::TooLong { field, max: NAME_MAX });
    }
    if text.chars().any(char::is_control) {
        return Err(EventError::Control(field));
    }
    let trimmed = text.trim();
    if trimmed.is_empty() {
        Ok(None)
    } else if trimmed.len() == text.len() {
        Ok(Some(text))
    } else {
        Ok(Some(trimmed.to_owned()))
    }
}

fn long_text(value: Option<String>) -> Result<Option<String>, EventError> {
    let Some(text) = value else { return Ok(None) };
    if text.len() > TEXT_MAX {
        return Err(EventError::TooLong { field: "text", max: TEXT_MAX });
    }
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    Ok(Some(clean.trim().to_owned()).filter(|t| !t.is_empty()))
}

fn patch(value: Option<String>) -> Result<Option<Patch>, EventError> {
    match plain("patch", value)? {
        None => Ok(None),
        Some(text) => Patch::parse(&text).map(Some).ok_or(EventError::Patch(text)),
    }
}

fn party(field: &'static str, value: Option<String>, is_npc: Option<bool>) -> Result<Party, EventError> {
    let Some(name) = plain(field, value)? else { return Ok(Party::Nobody) };
    let kind = match (kind_of(&name), is_npc) {
        (NameKind::Nobody, _) => return Ok(Party::Nobody),
        (_, Some(true)) => NameKind::Npc,
        (_, Some(false)) => NameKind::Player,
        (kind, None) => kind,
    };
    match kind {
        NameKind::Npc => Ok(Party::Npc(name)),
        _ => match Handle::parse(&name) {
            Ok(handle) => Ok(Party::Player(handle)),
            Err(_) => Err(EventError::NoHandle { field, value: name.chars().take(60).collect() }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: EpochMillis = EpochMillis(1_790_000_000_000);

    fn kill(killer: &str, victim: &str) -> Event {
        Event { killer: Some(killer.into()), victim: Some(victim.into()), ..Event::new(Identifier::Kill, NOW) }
    }

    #[test]
    fn every_identifier_is_read_back_from_its_name_and_code() {
        for &identifier in Identifier::ALL {
            assert_eq!(identifier.as_str().parse::<Identifier>(), Ok(identifier));
            assert_eq!(Identifier::from_code(identifier.code()), Some(identifier));
        }
        assert_eq!(Identifier::ALL.len(), 18);
    }

    #[test]
    fn a_name_given_as_unknown_is_nobody() {
        let checked = check(kill("unknown", "Tester_One"), NOW).unwrap();
        assert_eq!(checked.killer, Party::Nobody);
    }

    #[test]
    fn the_flag_decides_over_the_look_of_a_name() {
        let event = Event { victim_is_npc: Some(true), ..kill("Tester_One", "Grunt") };
        assert_eq!(check(event, NOW).unwrap().victim, Party::Npc("Grunt".into()));
        let event = Event { victim_is_npc: Some(false), ..kill("Tester_One", "Kopion_Hunter") };
        assert!(check(event, NOW).unwrap().victim.player().is_some());
    }

    #[test]
    fn names_that_are_no_handles_are_rejected_by_field() {
        let error = check(kill("Tester One", "Tester_Two"), NOW).unwrap_err();
        assert!(error.to_string().contains("killer"), "{error}");
    }

    #[test]
    fn both_ends_of_the_clock_are_guarded_and_named() {
        let ahead = Event { event_time: EpochMillis(NOW.0 + CLOCK_AHEAD_MS + 1), ..kill("Abc", "Bcd") };
        assert!(check(ahead, NOW).unwrap_err().to_string().contains("clock"));
        let just = Event { event_time: EpochMillis(NOW.0 + CLOCK_AHEAD_MS), ..kill("Abc", "Bcd") };
        assert!(check(just, NOW).is_ok());
        let before = Event { event_time: EpochMillis(OLDEST_EVENT.0 - 1), ..kill("Abc", "Bcd") };
        assert!(check(before, NOW).unwrap_err().to_string().contains("clock"));
    }

    #[test]
    fn nul_and_line_breaks_never_reach_the_database() {
        let event = Event { weapon: Some("a\0b".into()), ..kill("Abc", "Bcd") };
        assert_eq!(check(event, NOW), Err(EventError::Control("weapon")));
        let event = Event { text: Some("two\nlines".into()), ..kill("Abc", "Bcd") };
        assert_eq!(check(event, NOW).unwrap().text.as_deref(), Some("two lines"));
    }

    #[test]
    fn what_an_identifier_needs_is_asked_for() {
        let seat = Event::new(Identifier::SeatEntered, NOW);
        assert_eq!(check(seat, NOW), Err(EventError::Missing("vehicle_name")));
        let mission = Event { contract_name: Some("Haul".into()), ..Event::new(Identifier::MissionAccepted, NOW) };
        assert_eq!(check(mission, NOW), Err(EventError::Missing("player_name")));
    }

    #[test]
    fn unknown_fields_are_ignored_and_numbers_pass_as_geid() {
        let event: Event = serde_json::from_str(
            r#"{"identifier":"login","event_time":1790000000000,"player_name":"Abc","player_geid":2001,"mood":"good"}"#,
        )
        .unwrap();
        assert_eq!(event.player_geid.as_deref(), Some("2001"));
    }
}

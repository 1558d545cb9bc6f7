//! The event after validation.

use std::fmt;

use super::event::{Event, EventDetails};
use super::identifier::{GameMode, Identifier};
use crate::names::Handle;
use crate::patches::Patch;
use crate::times::EpochMillis;

/// The player or NPC in one role of an event.
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

    /// The name in its original spelling, or `None` for [`Party::Nobody`].
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Nobody => None,
            Self::Player(handle) => Some(handle.as_str()),
            Self::Npc(name) => Some(name),
        }
    }

    /// The name for comparisons: handles in lower case, other names unchanged.
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

/// A hash of 16 bytes that is equal for repetitions of the same event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Identity(pub [u8; 16]);

impl Identity {
    /// An identity as the database stores it; `None` for fewer than 16 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.first_chunk().copied().map(Self)
    }
}

/// A validated event. Only such events reach the database.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidEvent {
    pub identifier: Identifier,
    pub event_time: EpochMillis,
    pub game_mode: Option<GameMode>,
    pub patch: Option<Patch>,
    /// Whether the build is of the LIVE channel, as far as the name of the patch tells.
    pub is_live: bool,
    pub killer: Party,
    pub victim: Party,
    pub player: Party,
    pub player_geid: Option<String>,
    pub details: EventDetails,
    /// Equal for repetitions of the same event.
    pub identity: Identity,
    /// Equal for reports of the same fight by different readers, apart from the time.
    pub fight: Option<i64>,
}

impl ValidEvent {
    /// The players of the event without repetition: killer, victim, then the player it belongs to.
    pub fn players(&self) -> impl Iterator<Item = &Handle> {
        let killer = self.killer.player();
        let victim = self.victim.player().filter(|v| killer.is_none_or(|k| k.folded() != v.folded()));
        let player = self.player.player().filter(|p| {
            [self.killer.player(), self.victim.player()].into_iter().flatten().all(|other| other.folded() != p.folded())
        });
        killer.into_iter().chain(victim).chain(player)
    }

    /// Whether killer and victim are the same player.
    pub fn is_suicide(&self) -> bool {
        match (self.killer.player(), self.victim.player()) {
            (Some(killer), Some(victim)) => killer.folded() == victim.folded(),
            _ => false,
        }
    }

    /// The key that a contract is counted under: its name, or else its id.
    pub fn contract_key(&self) -> Option<&str> {
        self.details.contract_name.as_deref().or(self.details.contract_id.as_deref())
    }
}

impl From<ValidEvent> for Event {
    /// The event as its sender would send it again.
    fn from(valid: ValidEvent) -> Self {
        let is_npc = |party: &Party| (*party != Party::Nobody).then_some(party.is_npc());
        let name = |party: &Party| party.name().map(ToOwned::to_owned);
        Self {
            game_mode: valid.game_mode,
            patch: valid.patch.as_ref().map(|patch| patch.as_str().to_owned()),
            killer_is_npc: is_npc(&valid.killer),
            victim_is_npc: is_npc(&valid.victim),
            player_is_npc: is_npc(&valid.player),
            killer: name(&valid.killer),
            victim: name(&valid.victim),
            player_name: name(&valid.player),
            player_geid: valid.player_geid,
            ..Self::new(valid.identifier, valid.event_time)
        }
        .with_details(valid.details)
    }
}

/// Whether the id of a contract is its class, such as `HaulCargo_AToB`, and not the id of a single mission.
pub fn is_contract_class(id: &str) -> bool {
    id.contains('_') && !id.contains(char::is_whitespace)
}

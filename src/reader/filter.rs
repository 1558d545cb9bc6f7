//! Which events are shown and uploaded.

use std::collections::BTreeSet;
use std::str::FromStr;
use std::sync::{Arc, PoisonError, RwLock};

use crate::domain::events::{Event, EventKind, Identifier};

/// A group of events, as named by `--only` and `--hide`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventType {
    Pvp,
    Pve,
    Deaths,
    Vehicles,
    Seats,
    Missions,
    Sessions,
}

impl EventType {
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Pvp, "pvp"),
        (Self::Pve, "pve"),
        (Self::Deaths, "deaths"),
        (Self::Vehicles, "vehicles"),
        (Self::Seats, "seats"),
        (Self::Missions, "missions"),
        (Self::Sessions, "sessions"),
    ];

    /// The name used by `--only` and `--hide`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// The group of an event.
    pub fn of(event: &Event) -> Self {
        match event.identifier.kind() {
            EventKind::Kill => match (&event.killer, event.victim_is_npc, event.killer_is_npc) {
                (None, _, _) => Self::Deaths,
                (Some(killer), _, _) if Some(killer) == event.victim.as_ref() => Self::Deaths,
                (_, Some(true), _) | (_, _, Some(true)) => Self::Pve,
                _ => Self::Pvp,
            },
            EventKind::Downed => Self::Deaths,
            EventKind::SoftDeath | EventKind::Destruction | EventKind::InstantDestruction | EventKind::ShipCrashed => {
                Self::Vehicles
            }
            EventKind::SeatEntered | EventKind::SeatExited => Self::Seats,
            EventKind::MissionAccepted
            | EventKind::MissionCompleted
            | EventKind::MissionOther
            | EventKind::MissionEnded
            | EventKind::BlueprintReceived
            | EventKind::Payout => Self::Missions,
            EventKind::Login
            | EventKind::Logout
            | EventKind::Connection
            | EventKind::UniverseLeft
            | EventKind::GameCrashed
            | EventKind::PlaceVisited => Self::Sessions,
        }
    }
}

/// A value of `--only` or `--hide`: a group or one identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selector {
    Type(EventType),
    One(Identifier),
}

impl Selector {
    fn selects(self, event: &Event) -> bool {
        match self {
            Self::Type(kind) => EventType::of(event) == kind,
            Self::One(identifier) => event.identifier == identifier,
        }
    }
}

/// A value that is neither a group nor an identifier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid type of event '{0}': expected pvp, pve, deaths, vehicles, seats, missions, sessions, or an identifier such as seat_entered"
)]
pub struct SelectorError(String);

impl FromStr for Selector {
    type Err = SelectorError;
    fn from_str(text: &str) -> Result<Self, SelectorError> {
        let kind = EventType::ALL.iter().find(|(_, name)| *name == text).map(|(kind, _)| Self::Type(*kind));
        kind.or_else(|| text.parse().ok().map(Self::One)).ok_or_else(|| SelectorError(text.to_owned()))
    }
}

/// The filter for display and upload. By default all events pass.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// If not empty, only these events pass.
    pub only: BTreeSet<Selector>,
    /// These events never pass.
    pub hide: BTreeSet<Selector>,
}

impl Filter {
    pub fn passes(&self, event: &Event) -> bool {
        let is_wanted = self.only.is_empty() || self.only.iter().any(|selector| selector.selects(event));
        is_wanted && !self.hide.iter().any(|selector| selector.selects(event))
    }
}

/// A filter that can change while logs are followed. A change affects events read afterwards.
#[derive(Debug, Clone, Default)]
pub struct SharedFilter(Arc<RwLock<Filter>>);

impl SharedFilter {
    pub fn set(&self, filter: Filter) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = filter;
    }

    pub fn passes(&self, event: &Event) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).passes(event)
    }
}

impl From<Filter> for SharedFilter {
    fn from(filter: Filter) -> Self {
        Self(Arc::new(RwLock::new(filter)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::times::EpochMillis;

    fn event(identifier: Identifier) -> Event {
        Event::new(identifier, EpochMillis(1_790_000_000_000))
    }

    #[test]
    fn only_and_hide_accept_groups_and_identifiers() {
        let filter = |only: &[&str], hide: &[&str]| Filter {
            only: only.iter().map(|s| s.parse().unwrap()).collect(),
            hide: hide.iter().map(|s| s.parse().unwrap()).collect(),
        };
        let (seat, login) = (event(Identifier::SeatEntered), event(Identifier::Login));
        assert!(filter(&[], &[]).passes(&seat));
        assert!(filter(&["seats"], &[]).passes(&seat) && !filter(&["seats"], &[]).passes(&login));
        assert!(!filter(&[], &["seat_entered"]).passes(&seat) && filter(&[], &["seat_entered"]).passes(&login));
        assert!(!filter(&["seats"], &["seats"]).passes(&seat));
        assert!("chat".parse::<Selector>().is_err());
    }

    #[test]
    fn a_kill_is_pvp_only_between_players() {
        let kill = |killer: Option<&str>, npc: (bool, bool)| Event {
            killer: killer.map(Into::into),
            victim: Some("Tester_Two".into()),
            killer_is_npc: Some(npc.0),
            victim_is_npc: Some(npc.1),
            ..event(Identifier::Kill)
        };
        assert_eq!(EventType::of(&kill(Some("Tester_One"), (false, false))), EventType::Pvp);
        assert_eq!(EventType::of(&kill(Some("Tester_One"), (false, true))), EventType::Pve);
        assert_eq!(EventType::of(&kill(Some("Grunt"), (true, false))), EventType::Pve);
        assert_eq!(EventType::of(&kill(Some("Tester_Two"), (false, false))), EventType::Deaths);
        assert_eq!(EventType::of(&kill(None, (false, false))), EventType::Deaths);
    }
}

//! Which events are shown and uploaded.

use std::collections::BTreeSet;
use std::str::FromStr;

use gamelog::events::{Event, EventKind, Identifier, OptIn};
use gamelog::times::EpochMillis;
use serde::Serialize;

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

/// What `--share` names: events that leave the machine only if the player says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Share {
    Pay,
    Places,
    All,
}

impl Share {
    pub fn kinds(self) -> &'static [OptIn] {
        match self {
            Self::Pay => &[OptIn::Pay],
            Self::Places => &[OptIn::Places],
            Self::All => &[OptIn::Pay, OptIn::Places],
        }
    }
}

/// The filter for display and upload. By default all events pass except pay and places.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// If not empty, only these events pass.
    pub only: BTreeSet<Selector>,
    /// These events never pass.
    pub hide: BTreeSet<Selector>,
    /// Pay and places that are sent.
    pub shared: BTreeSet<OptIn>,
    /// Pay and places are shown even if they are not sent.
    pub shows_private: bool,
}

impl Filter {
    pub fn passes(&self, event: &Event) -> bool {
        let is_wanted = self.only.is_empty() || self.only.iter().any(|selector| selector.selects(event));
        let is_shown = self.shows_private || self.is_shared(event);
        is_wanted && is_shown && !self.hide.iter().any(|selector| selector.selects(event))
    }

    /// Replaces what is shown. What is shared was said when the reader was started.
    pub fn set_shown(&mut self, other: Self) {
        (self.only, self.hide) = (other.only, other.hide);
    }

    /// What happens to events of a kind while a reader `sends`.
    pub fn reach(&self, identifier: Identifier, sends: bool) -> Reach {
        let event = Event::new(identifier, EpochMillis(0));
        match self.passes(&event) {
            false => Reach::Hidden,
            true if sends && self.is_shared(&event) => Reach::Shared,
            true => Reach::Local,
        }
    }

    /// Whether an event that passes may leave the machine.
    pub fn is_shared(&self, event: &Event) -> bool {
        event.identifier.opt_in().is_none_or(|kind| self.shared.contains(&kind))
    }
}

/// What happens to the events behind a figure of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reach {
    /// The user hides them.
    Hidden,
    /// They stay on this computer.
    Local,
    /// They are sent to the site.
    Shared,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(identifier: Identifier) -> Event {
        Event::new(identifier, EpochMillis(1_790_000_000_000))
    }

    #[test]
    fn only_and_hide_accept_groups_and_identifiers() {
        let filter = |only: &[&str], hide: &[&str]| Filter {
            only: only.iter().map(|s| s.parse().unwrap()).collect(),
            hide: hide.iter().map(|s| s.parse().unwrap()).collect(),
            ..Filter::default()
        };
        let (seat, login) = (event(Identifier::SeatEntered), event(Identifier::Login));
        assert!(filter(&[], &[]).passes(&seat));
        assert!(filter(&["seats"], &[]).passes(&seat) && !filter(&["seats"], &[]).passes(&login));
        assert!(!filter(&[], &["seat_entered"]).passes(&seat) && filter(&[], &["seat_entered"]).passes(&login));
        assert!(!filter(&["seats"], &["seats"]).passes(&seat));
        assert!("chat".parse::<Selector>().is_err());
    }

    #[test]
    fn pay_and_places_pass_only_if_they_are_shared() {
        let (pay, place) = (event(Identifier::Payout), event(Identifier::PlaceVisited));
        let shared = Filter::default();
        assert!(!shared.passes(&pay) && !shared.passes(&place) && shared.passes(&event(Identifier::Login)));
        for (share, wanted) in [(Share::Pay, (true, false)), (Share::Places, (false, true)), (Share::All, (true, true))]
        {
            let mut shared = Filter { shared: share.kinds().iter().copied().collect(), ..Filter::default() };
            shared.set_shown(Filter::default());
            assert_eq!((shared.passes(&pay), shared.passes(&place)), wanted, "{share:?}");
            assert_eq!((shared.is_shared(&pay), shared.is_shared(&place)), wanted, "{share:?}");
        }
        let reach = |filter: Filter, sends| filter.reach(Identifier::Payout, sends);
        assert_eq!(reach(Filter::default(), true), Reach::Hidden);
        let page = Filter { shows_private: true, ..Filter::default() };
        assert_eq!(reach(page.clone(), true), Reach::Local);
        let shared = Filter { shared: [OptIn::Pay].into(), ..page };
        assert_eq!((reach(shared.clone(), true), reach(shared, false)), (Reach::Shared, Reach::Local));
        let printed = Filter { shows_private: true, ..Filter::default() };
        assert!(printed.passes(&pay) && !printed.is_shared(&pay));
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

//! The totals of a session for its player.

use serde::Serialize;

use crate::domain::events::{Event, EventKind};
use crate::domain::times::EpochMillis;

/// The totals of the current session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Summary {
    pub player: Option<String>,
    pub player_kills: u64,
    pub npc_kills: u64,
    pub deaths: u64,
    /// Vehicles that the player destroyed or disabled.
    pub vehicles: u64,
    pub missions_accepted: u64,
    pub missions_completed: u64,
    pub login_at: Option<EpochMillis>,
    /// Time of the logout or of the last event.
    pub last_at: Option<EpochMillis>,
}

impl Summary {
    /// Adds an event. A login begins a new session.
    pub fn take(&mut self, event: &Event) {
        if event.identifier.kind() == EventKind::Login {
            *self = Self { player: event.player_name.clone(), login_at: Some(event.event_time), ..Self::default() };
        }
        self.player = self.player.take().or_else(|| event.player_name.clone());
        self.last_at = self.last_at.max(Some(event.event_time));
        let is_own = |name: &Option<String>| match (name, &self.player) {
            (Some(name), Some(player)) => name.eq_ignore_ascii_case(player),
            _ => false,
        };
        match event.identifier.kind() {
            EventKind::Kill => {
                let (is_killer, is_victim) = (is_own(&event.killer), is_own(&event.victim));
                self.deaths += u64::from(is_victim);
                if is_killer && !is_victim {
                    *(if event.victim_is_npc == Some(true) { &mut self.npc_kills } else { &mut self.player_kills }) +=
                        1;
                }
            }
            EventKind::SoftDeath | EventKind::Destruction | EventKind::InstantDestruction => {
                self.vehicles += u64::from(is_own(&event.killer) && !is_own(&event.victim));
            }
            EventKind::MissionAccepted => self.missions_accepted += 1,
            EventKind::MissionCompleted => self.missions_completed += 1,
            _ => {}
        }
    }

    /// Duration of the session so far, in seconds.
    pub fn secs(&self) -> i64 {
        match (self.login_at, self.last_at) {
            (Some(login), Some(last)) => (last.0 - login.0).max(0) / 1000,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::events::Identifier;

    #[test]
    fn only_events_of_the_player_count() {
        let at = |secs: i64| EpochMillis(1_790_000_000_000 + secs * 1000);
        let login = |secs| Event { player_name: Some("Tester_One".into()), ..Event::new(Identifier::Login, at(secs)) };
        let kill = |killer: &str, victim: &str, is_npc| Event {
            killer: Some(killer.into()),
            victim: Some(victim.into()),
            victim_is_npc: Some(is_npc),
            ..Event::new(Identifier::Kill, at(90))
        };
        let mut summary = Summary::default();
        for event in [
            login(-500),
            kill("Tester_One", "Tester_Two", false),
            login(0),
            kill("tester_one", "Tester_Two", false),
            kill("Tester_One", "Grunt", true),
            kill("Tester_Two", "Tester_Three", false),
            kill("Tester_One", "Tester_One", false),
        ] {
            summary.take(&event);
        }
        assert_eq!((summary.player_kills, summary.npc_kills, summary.deaths), (1, 1, 1));
        assert_eq!(summary.secs(), 90);
    }
}

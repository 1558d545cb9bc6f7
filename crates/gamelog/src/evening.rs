//! What a player wants to know during an evening, from the events of the logs: clocks, open contracts, pay, deaths, ship and crashes.

use serde::Serialize;

use crate::catalogue;
use crate::events::{Event, EventKind, GameMode};
use crate::times::{EpochMillis, HOUR_MS};

/// A login this long after the last event begins another evening; a restart of the game does not.
const EVENING_GAP_MS: i64 = 3 * HOUR_MS;
const MAX_CONTRACTS: usize = 50;

/// Adds up the times during which something lasts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Stopwatch {
    /// The times that have ended.
    pub ended_ms: i64,
    /// Since when it runs.
    pub since: Option<EpochMillis>,
}

impl Stopwatch {
    fn start(&mut self, at: EpochMillis) {
        self.since.get_or_insert(at);
    }

    fn stop(&mut self, at: EpochMillis) {
        if let Some(since) = self.since.take() {
            self.ended_ms += (at.0 - since.0).max(0);
        }
    }
}

/// A contract that is accepted and has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenContract {
    pub mission_id: String,
    pub title: String,
    /// Of a contract that was accepted before the reader knew of it: when the game showed it again.
    pub accepted_at: EpochMillis,
}

/// The state of an evening, which may span several runs of the game.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Evening {
    pub player: Option<String>,
    pub player_kills: u64,
    pub npc_kills: u64,
    pub deaths: u64,
    /// Vehicles that the player destroyed or disabled.
    pub vehicles: u64,
    pub contracts_completed: u64,
    pub contracts: Vec<OpenContract>,
    /// Number and sum of the payout notices.
    pub payouts: u64,
    pub pay: i64,
    pub died_at: Option<EpochMillis>,
    /// Name of the ship that the player controls, or controlled last.
    pub ship: Option<String>,
    pub ship_crashes: u64,
    pub game_crashes: u64,
    /// From login to logout.
    pub game: Stopwatch,
    pub universe: Stopwatch,
    /// At the controls of ships, as far as the log shows both ends.
    pub seat: Stopwatch,
    #[serde(skip)]
    begun_at: Option<EpochMillis>,
    #[serde(skip)]
    last_at: Option<EpochMillis>,
    /// The contracts of the previous run. The game shows those again that are still open.
    #[serde(skip)]
    previous_contracts: Vec<OpenContract>,
    /// An arrival that ended the stay before it, whose departure follows.
    #[serde(skip)]
    replaced_at: Option<EpochMillis>,
}

impl Evening {
    /// Adds an event. Those of earlier evenings are ignored.
    pub fn take(&mut self, event: &Event) {
        let at = event.event_time;
        if self.begun_at.is_some_and(|begun| at < begun) {
            return;
        }
        if event.identifier.kind() == EventKind::Login {
            self.log_in(event);
        }
        self.begun_at.get_or_insert(at);
        self.player = self.player.take().or_else(|| event.player_name.clone());
        self.last_at = self.last_at.max(Some(at));
        match event.identifier.kind() {
            EventKind::Login => self.game.start(at),
            EventKind::Logout => self.stop_all(at),
            EventKind::Connection => self.arrive(event.game_mode, at),
            EventKind::UniverseLeft => self.leave(at),
            EventKind::Kill => self.kill(event),
            EventKind::SoftDeath | EventKind::Destruction | EventKind::InstantDestruction => {
                self.vehicles += u64::from(self.is_own(&event.killer) && !self.is_own(&event.victim));
            }
            EventKind::MissionAccepted => self.accept(event),
            EventKind::MissionCompleted => {
                self.contracts_completed += 1;
                self.close(event);
            }
            EventKind::MissionEnded => self.close(event),
            EventKind::Payout => {
                self.payouts += 1;
                self.pay = self.pay.saturating_add(event.amount.unwrap_or_default());
            }
            EventKind::SeatEntered => {
                self.seat.stop(at);
                self.seat.start(at);
                self.ship = event.vehicle_name.as_deref().map(|class| catalogue::vehicle_name(class).into_owned());
            }
            EventKind::SeatExited => self.seat.stop(at),
            EventKind::ShipCrashed => self.ship_crashes += 1,
            EventKind::GameCrashed => {
                self.game_crashes += 1;
                self.stop_all(at);
            }
            EventKind::MissionOther | EventKind::BlueprintReceived | EventKind::Downed | EventKind::PlaceVisited => {}
        }
    }

    fn is_own(&self, name: &Option<String>) -> bool {
        match (name, &self.player) {
            (Some(name), Some(player)) => name.eq_ignore_ascii_case(player),
            _ => false,
        }
    }

    fn log_in(&mut self, event: &Event) {
        let is_gap = self.last_at.is_some_and(|last| event.event_time.0 - last.0 >= EVENING_GAP_MS);
        if is_gap || (self.player.is_some() && !self.is_own(&event.player_name)) {
            *self = Self::default();
        }
        // The previous run may have ended without a line.
        self.stop_all(self.last_at.unwrap_or(event.event_time));
        self.previous_contracts = std::mem::take(&mut self.contracts);
    }

    fn stop_all(&mut self, at: EpochMillis) {
        for watch in [&mut self.game, &mut self.universe, &mut self.seat] {
            watch.stop(at);
        }
    }

    fn arrive(&mut self, mode: Option<GameMode>, at: EpochMillis) {
        self.game.start(at);
        self.seat.stop(at);
        self.replaced_at = self.universe.since.map(|_| at);
        self.universe.stop(at);
        if mode == Some(GameMode::Pu) {
            self.universe.start(at);
        }
    }

    fn leave(&mut self, at: EpochMillis) {
        match self.replaced_at.take() {
            Some(replaced) => self.universe.ended_ms -= (replaced.0 - at.0).clamp(0, self.universe.ended_ms),
            None => {
                self.universe.stop(at);
                self.seat.stop(at);
            }
        }
    }

    fn kill(&mut self, event: &Event) {
        let (is_killer, is_victim) = (self.is_own(&event.killer), self.is_own(&event.victim));
        if is_victim {
            self.deaths += 1;
            self.died_at = Some(event.event_time);
            self.seat.stop(event.event_time);
        } else if is_killer {
            let is_npc = event.victim_is_npc == Some(true);
            *(if is_npc { &mut self.npc_kills } else { &mut self.player_kills }) += 1;
        }
    }

    fn accept(&mut self, event: &Event) {
        let Some(mission_id) = &event.mission_id else { return };
        if self.contracts.len() == MAX_CONTRACTS || self.contracts.iter().any(|known| known.mission_id == *mission_id) {
            return;
        }
        let before = self.previous_contracts.iter().find(|known| known.mission_id == *mission_id);
        let title = event.contract_name.as_deref().map(catalogue::mission_title).unwrap_or_default().into_owned();
        let accepted_at = before.map_or(event.event_time, |before| before.accepted_at);
        self.contracts.push(OpenContract { mission_id: mission_id.clone(), title, accepted_at });
    }

    fn close(&mut self, event: &Event) {
        self.contracts.retain(|contract| Some(&contract.mission_id) != event.mission_id.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Identifier;

    const PLAYER: &str = "Tester_One";

    fn at(minute: i64) -> EpochMillis {
        EpochMillis(1_790_000_000_000 + minute * 60_000)
    }

    fn own(identifier: Identifier, minute: i64) -> Event {
        let game_mode = Some(GameMode::Pu);
        Event { player_name: Some(PLAYER.into()), game_mode, ..Event::new(identifier, at(minute)) }
    }

    fn kill(killer: &str, victim: &str, is_npc: bool, minute: i64) -> Event {
        Event {
            killer: Some(killer.into()),
            victim: Some(victim.into()),
            victim_is_npc: Some(is_npc),
            ..Event::new(Identifier::Kill, at(minute))
        }
    }

    fn contract(identifier: Identifier, id: &str, minute: i64) -> Event {
        let contract_name = Some("Small Cargo Haul".to_owned());
        Event { mission_id: Some(id.into()), contract_name, ..own(identifier, minute) }
    }

    fn evening(events: impl IntoIterator<Item = Event>) -> Evening {
        let mut evening = Evening::default();
        events.into_iter().for_each(|event| evening.take(&event));
        evening
    }

    fn minutes(watch: Stopwatch) -> i64 {
        watch.ended_ms / 60_000
    }

    #[test]
    fn the_universe_clock_runs_beside_the_menu() {
        use Identifier::{ConnectionSuccess, Login, Logout, UniverseLeft};
        let events = [own(Login, 0), own(ConnectionSuccess, 5), own(UniverseLeft, 25), own(ConnectionSuccess, 30)];
        let open = evening(events.clone());
        assert_eq!((open.game.since, minutes(open.universe)), (Some(at(0)), 20));
        assert_eq!(open.universe.since, Some(at(30)));
        // The departure of a stay follows the arrival that ended it.
        let arrivals = [own(ConnectionSuccess, 50), own(UniverseLeft, 47), own(UniverseLeft, 60), own(Logout, 70)];
        let closed = evening(events.into_iter().chain(arrivals));
        assert_eq!((minutes(closed.game), minutes(closed.universe)), (70, 20 + 17 + 10));
        assert_eq!((closed.game.since, closed.universe.since), (None, None));
    }

    #[test]
    fn only_events_of_the_player_count() {
        let events = [
            own(Identifier::Login, 0),
            kill("tester_one", "Tester_Two", false, 1),
            kill(PLAYER, "Grunt", true, 2),
            kill("Tester_Two", "Tester_Three", false, 3),
            kill(PLAYER, PLAYER, false, 4),
        ];
        let evening = evening(events);
        assert_eq!((evening.player_kills, evening.npc_kills, evening.deaths), (1, 1, 1));
        assert_eq!(evening.died_at, Some(at(4)));
    }

    #[test]
    fn contracts_are_open_until_they_end_and_survive_a_restart_of_the_game() {
        use Identifier::{GameCrashed, Login, MissionAccepted, MissionComplete, MissionEnded};
        let accepted = ["a", "b", "c", "d"].map(|id| contract(MissionAccepted, id, 3));
        let ended = [contract(MissionComplete, "a", 9), contract(MissionEnded, "b", 10), own(GameCrashed, 11)];
        let before = evening([own(Login, 0)].into_iter().chain(accepted.clone()).chain(ended.clone()));
        assert_eq!((before.contracts_completed, before.game_crashes), (1, 1));
        assert_eq!(before.contracts.iter().map(|open| open.mission_id.as_str()).collect::<Vec<_>>(), ["c", "d"]);
        let again = [own(Login, 20), contract(MissionAccepted, "d", 22)];
        let after = evening([own(Login, 0)].into_iter().chain(accepted).chain(ended).chain(again));
        assert_eq!(after.contracts.iter().map(|open| open.accepted_at).collect::<Vec<_>>(), [at(3)]);
        assert_eq!((after.contracts_completed, minutes(after.game)), (1, 11));
    }

    #[test]
    fn pay_is_the_sum_of_the_notices_and_seats_count_with_both_ends() {
        use Identifier::{Payout, SeatEntered, SeatExited, ShipCrashed};
        let seat =
            |identifier, minute, ship: &str| Event { vehicle_name: Some(ship.into()), ..own(identifier, minute) };
        let evening = evening([
            seat(SeatEntered, 1, "AEGS_Gladius"),
            seat(SeatExited, 11, "AEGS_Gladius"),
            seat(SeatEntered, 20, "MISC_Prospector"),
            own(ShipCrashed, 21),
            Event { amount: Some(28_375), ..own(Payout, 22) },
            Event { amount: Some(1), ..own(Payout, 23) },
        ]);
        assert_eq!((evening.payouts, evening.pay, evening.ship_crashes), (2, 28_376, 1));
        assert_eq!((evening.ship.as_deref(), evening.seat.since), (Some("MISC Prospector"), Some(at(20))));
        assert_eq!(minutes(evening.seat), 10);
    }

    #[test]
    fn another_evening_begins_after_hours_or_with_another_player_and_older_events_are_ignored() {
        let first = [own(Identifier::Login, 0), kill(PLAYER, "Grunt", true, 2)];
        let restart = evening(first.clone().into_iter().chain([own(Identifier::Login, 60)]));
        assert_eq!(restart.npc_kills, 1);
        let next = evening(first.clone().into_iter().chain([own(Identifier::Login, 200)]));
        assert_eq!(next.npc_kills, 0);
        let mut old = next.clone();
        first.iter().for_each(|event| old.take(event));
        assert_eq!(old, next);
        let other = Event { player_name: Some("Tester_Two".into()), ..own(Identifier::Login, 10) };
        let other = evening(first.into_iter().chain([other]));
        assert_eq!((other.npc_kills, other.player.as_deref()), (0, Some("Tester_Two")));
    }
}

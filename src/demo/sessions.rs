//! Generates the events of one play session: login, seats, missions, fights, logout.

use gamelog::catalogue::mission_type;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::fighter::Fighter::*;
use super::items::*;
use super::online::Session;
use super::pilots::Pilot;
use super::random::popular;
use super::{NEWEST_PATCH, OLDER_PATCH, Universe};
use crate::domain::events::{Event, GameMode, Identifier};
use crate::domain::times::EpochMillis;

pub(super) const SECOND: i64 = 1000;
pub(super) const MINUTE: i64 = 60 * SECOND;
/// No activity starts this long before the end, so that a fight ends within the session.
const QUIET_END: i64 = 2 * MINUTE;

/// Draws the length of a session in milliseconds: mostly one or two hours, sometimes an evening.
pub(super) fn length(rng: &mut ChaCha8Rng) -> i64 {
    let minutes = 14.0 + 150.0 * rng.random::<f64>().powf(1.6) + if rng.random_bool(0.06) { 120.0 } else { 0.0 };
    (minutes * MINUTE as f64) as i64
}

/// Generates all events of one session, ordered by time. `online` are the current and upcoming sessions, `id` is the prefix of the
/// event ids, and `tempo` the factor of all pauses.
pub(super) fn generate(
    universe: &Universe,
    online: &[Session],
    rng: &mut ChaCha8Rng,
    session: Session,
    id: String,
    tempo: f64,
) -> Vec<Event> {
    let pilot = universe.pilot(session.player);
    let handle = universe.handle(session.player);
    let patch = if session.begin < universe.patch_day_ms() { OLDER_PATCH } else { NEWEST_PATCH };
    let at = session.begin;
    let events = Vec::with_capacity(32);
    let mut builder = SessionBuilder { universe, online, rng, session, id, tempo, pilot, handle, patch, at, events };
    builder.build();
    // Duels overlap other activities, so their events may be out of order.
    builder.events.sort_by_key(|event| event.event_time);
    builder.events
}

pub(super) struct SessionBuilder<'a> {
    pub(super) universe: &'a Universe,
    pub(super) online: &'a [Session],
    pub(super) rng: &'a mut ChaCha8Rng,
    pub(super) session: Session,
    id: String,
    tempo: f64,
    pub(super) pilot: Pilot,
    handle: String,
    patch: &'static str,
    pub(super) at: i64,
    pub(super) events: Vec<Event>,
}

impl SessionBuilder<'_> {
    fn build(&mut self) {
        let geid = self.universe.geid(self.session.player);
        self.personal(Identifier::Login, |event| {
            event.player_geid = Some(geid);
            event.game_mode = None;
            event.sub_game_mode = None;
        });
        self.pause(40, 150);
        let loading = self.rng.random_range(35..115);
        self.personal(Identifier::ConnectionSuccess, |event| event.seconds = Some(loading));
        self.pause(60, 300);
        while self.has_time() {
            match self.session.mode {
                GameMode::Pu => self.activity(),
                GameMode::Ac => self.arena_match(),
            }
            self.pause(120, 700);
        }
        // One session in sixteen crashes and has no logout.
        let crashes = self.chance() >= 15.0 / 16.0;
        if !crashes {
            self.at = self.session.end;
        }
        if self.session.mode == GameMode::Pu {
            let how = if crashes { "crash" } else { "quit" };
            self.personal(Identifier::UniverseLeft, |event| event.text = Some(how.to_owned()));
        }
        if crashes {
            self.personal(Identifier::GameCrashed, |event| {
                event.text = Some("STATUS_CRYENGINE_OUT_OF_SYSMEM".to_owned())
            });
        } else {
            self.personal(Identifier::Logout, |event| event.sub_game_mode = None);
        }
    }

    pub(super) fn has_time(&self) -> bool {
        self.at < self.session.end - QUIET_END
    }

    pub(super) fn chance(&mut self) -> f64 {
        self.rng.random()
    }

    pub(super) fn pause(&mut self, from_secs: i64, to_secs: i64) {
        let secs = self.rng.random_range(from_secs..=to_secs) as f64 * self.tempo;
        self.at += (secs * SECOND as f64) as i64 + self.rng.random_range(1..SECOND);
    }

    pub(super) fn add(&mut self, identifier: Identifier, fill: impl FnOnce(&mut Event, &str)) {
        let mut event = Event::new(identifier, EpochMillis(self.at));
        event.event_id = Some(format!("{}-{}", self.id, self.events.len()));
        event.patch = Some(self.patch.to_owned());
        event.game_mode = Some(self.session.mode);
        if self.session.mode == GameMode::Pu {
            event.sub_game_mode = Some("SC_Default".to_owned());
        }
        fill(&mut event, &self.handle);
        self.events.push(event);
    }

    pub(super) fn personal(&mut self, identifier: Identifier, fill: impl FnOnce(&mut Event)) {
        self.add(identifier, |event, handle| {
            event.player_name = Some(handle.to_owned());
            fill(event);
        });
    }

    /// An entity id in the game's format: it increases with time, and restarts with each arena match.
    pub(super) fn entity(&mut self, class: &str) -> String {
        let id = match self.session.mode {
            GameMode::Pu => {
                4_100_000_000_000 + (self.at.rem_euclid(8_000_000_000) / 10) * 1_000 + self.rng.random_range(0..1_000)
            }
            GameMode::Ac => 200_000_000_000 + self.rng.random_range(100..99_999),
        };
        format!("{class}_{id}")
    }

    /// One of the ships or weapons that a pilot likes.
    pub(super) fn favourite(&mut self, pilot: Pilot, list: &[&'static str]) -> String {
        let class = pilot.favourite(list, self.chance());
        self.entity(class)
    }

    pub(super) fn any(&mut self, list: &[&'static str]) -> &'static str {
        popular(list, self.chance())
    }

    pub(super) fn space(&mut self) -> String {
        match self.any(SPACE) {
            "SolarSystem" => self.entity("SolarSystem"),
            place => place.to_owned(),
        }
    }

    fn activity(&mut self) {
        let chance = self.chance();
        if chance < 0.11 * self.pilot.aggression() && self.duel(None) {
            return;
        }
        if chance > 0.965 {
            self.accident();
        } else if chance > 0.86 {
            let ships = if self.chance() < 0.55 { FIGHTERS } else { WORKERS };
            let ship = self.favourite(self.pilot, ships);
            self.enter_seat(&ship);
        } else {
            let work = self.pilot.mission_kind(self.chance());
            self.contract(work);
        }
    }

    /// Enters a seat and spends some time in it.
    fn enter_seat(&mut self, ship: &str) {
        let zone = self.any(LANDING_ZONES);
        self.personal(Identifier::SeatEntered, |event| {
            event.vehicle_name = Some(ship.to_owned());
            event.zone = Some(zone.to_owned());
        });
        self.pause(90, 420);
    }

    fn exit_seat(&mut self, ship: &str) {
        if self.has_time() && self.chance() < 0.6 {
            self.personal(Identifier::SeatExited, |event| event.vehicle_name = Some(ship.to_owned()));
            self.pause(20, 90);
        }
    }

    fn contract(&mut self, work: MissionKind) {
        let (contracts, givers) = (CONTRACTS[work as usize], GIVERS[work as usize]);
        let name = self.any(contracts);
        let id = self.universe.contract_id(name);
        let (mission, accepted) = (self.universe.contract_id(&format!("{}-{}", self.id, self.at)), self.at);
        let fill = |event: &mut Event| {
            event.contract_name = Some(name.to_owned());
            event.contract_id = Some(id.clone());
            event.mission_id = Some(mission.clone());
            event.issuer = Some(givers[name.len() % givers.len()].to_owned());
            event.contract_kind = Some(mission_type(name, name).to_owned());
            let is_end = [Identifier::MissionComplete, Identifier::MissionEnded].contains(&event.identifier);
            event.seconds = is_end.then_some((event.event_time.0 - accepted) / SECOND);
        };
        self.personal(Identifier::MissionAccepted, fill);
        self.pause(60, 240);
        if !self.has_time() {
            return;
        }
        let ship = self.favourite(self.pilot, if work == MissionKind::Goods { WORKERS } else { FIGHTERS });
        self.enter_seat(&ship);
        let survived = match work {
            MissionKind::OnFoot => {
                self.exit_seat(&ship);
                self.sweep()
            }
            MissionKind::Ships => self.hunt(&ship),
            MissionKind::Goods => {
                self.pause(300, 900);
                true
            }
        };
        if self.has_time() && self.chance() < 0.4 {
            let text = self.any(OBJECTIVES[work as usize]);
            self.personal(Identifier::Objective, |event| {
                fill(event);
                event.text = Some(text.to_owned());
            });
            self.pause(30, 200);
        }
        self.end_contract(survived, fill);
        if work != MissionKind::OnFoot {
            self.pause(30, 120);
            self.exit_seat(&ship);
        }
    }

    /// Completes, fails or abandons the contract.
    fn end_contract(&mut self, survived: bool, fill: impl Fn(&mut Event)) {
        if !self.has_time() {
            return;
        }
        let (share, failure) = if survived { (0.9, "abandoned") } else { (0.35, "failed") };
        if self.chance() >= share {
            return self.personal(Identifier::MissionEnded, |event| {
                fill(event);
                event.outcome = Some(failure.to_owned());
            });
        }
        self.personal(Identifier::MissionComplete, fill);
        if self.chance() < 0.125 {
            let blueprint = self.any(BLUEPRINTS);
            self.personal(Identifier::BlueprintReceived, |event| event.text = Some(blueprint.to_owned()));
        }
    }

    /// Clears a location on foot. Returns whether the player survived.
    fn sweep(&mut self) -> bool {
        let zone = self.any(GROUND_ZONES);
        let is_contested = zone.ends_with("contestedzone");
        let (kind, ranks) = if is_contested { ZONE_GUARDS } else { popular(FACTIONS, self.chance()) };
        for _ in 0..self.rng.random_range(3..=12) {
            if !self.has_time() {
                return true;
            }
            let rank = self.any(ranks);
            let enemy = self.entity(&format!("{kind}_{rank}"));
            if self.chance() < 0.022 / self.pilot.skill() {
                let weapon = self.any(HAND_WEAPONS);
                self.killed(Npc(&enemy), Own, weapon, zone, "Bullet");
                self.pause(120, 400);
                return false;
            }
            let weapon = self.favourite(self.pilot, HAND_WEAPONS);
            self.killed(Own, Npc(&enemy), &weapon, zone, "Bullet");
            self.pause(8, 55);
        }
        // Other players visit the same locations.
        if self.has_time() && self.chance() < 0.10 * self.pilot.aggression() {
            self.duel(Some(zone));
        }
        true
    }

    /// Destroys NPC ships. Returns whether the player's ship survived.
    fn hunt(&mut self, own: &str) -> bool {
        let zone = self.space();
        for _ in 0..self.rng.random_range(1..=4) {
            if !self.has_time() {
                return true;
            }
            let (ship, crew) = popular(ENEMY_SHIPS, self.chance());
            let (ship, crew) = (self.entity(ship), self.entity(crew));
            if self.chance() < 0.05 / self.pilot.skill() {
                let weapon = self.any(SHIP_WEAPONS);
                self.shot_down(Npc(&crew), Own, weapon, own, &zone);
                self.pause(180, 500);
                return false;
            }
            let weapon = self.favourite(self.pilot, SHIP_WEAPONS);
            self.shot_down(Own, Npc(&crew), &weapon, &ship, &zone);
            self.pause(36, 180);
        }
        true
    }

    fn accident(&mut self) {
        let chance = self.chance();
        let zone = self.any(LANDING_ZONES).to_owned();
        let ship = self.favourite(self.pilot, FIGHTERS);
        let (killer, weapon, damage, zone) = match chance {
            c if c < 0.35 => (Some(Own), Some("Player"), "Suicide", zone),
            c if c < 0.75 => (Some(Own), None, "Crash", ship),
            _ => (None, None, "Hazard", zone),
        };
        self.fight(Identifier::Kill, killer, Some(Own), |event| {
            event.weapon = weapon.map(str::to_owned);
            event.damage_type = Some(damage.to_owned());
            event.zone = Some(zone);
        });
    }
}

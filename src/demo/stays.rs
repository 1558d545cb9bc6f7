//! One stay in the game told as the log would: login, seats, missions, fights, logout.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::draws::popular;
use super::pilots::Pilot;
use super::roster::{Roster, Stay};
use super::things::*;
use super::{NEWEST_PATCH, OLDER_PATCH, Universe};
use crate::domain::events::{Event, GameMode, Identifier};
use crate::domain::times::EpochMillis;

pub(super) const SECOND: i64 = 1000;
pub(super) const MINUTE: i64 = 60 * SECOND;
/// Nothing happens this long before the end, so that a fight's last line stays inside.
const QUIET_END: i64 = 2 * MINUTE;
/// The shortest and longest stay, in milliseconds.
pub(super) const SHORTEST: i64 = 14 * MINUTE;
pub(super) const LONGEST: i64 = 330 * MINUTE;

/// How long a stay lasts: mostly one or two hours, at times an evening.
pub(super) fn length(rng: &mut ChaCha8Rng) -> i64 {
    let minutes = 14.0 + 150.0 * rng.random::<f64>().powf(1.6) + if rng.random_bool(0.06) { 120.0 } else { 0.0 };
    ((minutes * MINUTE as f64) as i64).clamp(SHORTEST, LONGEST)
}

/// Who tells, to whom, and how quickly things follow each other.
pub(super) struct Teller<'a> {
    pub(super) universe: &'a Universe,
    pub(super) roster: &'a Roster,
    pub(super) rng: &'a mut ChaCha8Rng,
    pub(super) stay: Stay,
    /// Begins the ids of all events of this stay.
    pub(super) id: String,
    /// Pauses are multiplied by this.
    pub(super) tempo: f64,
}

/// All events of one stay, in order of time.
pub(super) fn tell(teller: Teller<'_>) -> Vec<Event> {
    let pilot = teller.universe.pilot(teller.stay.player);
    let handle = teller.universe.handle(teller.stay.player);
    let patch = if teller.stay.begin < teller.universe.patch_day_ms() { OLDER_PATCH } else { NEWEST_PATCH };
    let mut story = Story { at: teller.stay.begin, events: Vec::with_capacity(32), handle, pilot, patch, teller };
    story.whole();
    // A revenge is told beside what goes on, so a line can come a moment early.
    story.events.sort_by_key(|event| event.event_time);
    story.events
}

pub(super) struct Story<'a> {
    pub(super) teller: Teller<'a>,
    pub(super) pilot: Pilot,
    pub(super) handle: String,
    pub(super) patch: &'static str,
    pub(super) at: i64,
    pub(super) events: Vec<Event>,
}

impl Story<'_> {
    fn whole(&mut self) {
        let geid = self.teller.universe.geid(self.teller.stay.player);
        self.add(Identifier::Login, |event, handle| {
            event.player_name = Some(handle.to_owned());
            event.player_geid = Some(geid);
            event.game_mode = None;
            event.sub_game_mode = None;
        });
        self.pause(40, 150);
        self.personal(Identifier::ConnectionSuccess, |_| {});
        self.pause(60, 300);
        while self.goes_on() {
            match self.teller.stay.mode {
                GameMode::Pu => self.outing(),
                GameMode::Ac => self.arena_match(),
            }
            self.pause(120, 700);
        }
        // One game in sixteen crashes, and a crash writes no logout.
        if self.chance() < 15.0 / 16.0 {
            self.at = self.teller.stay.end;
            self.personal(Identifier::Logout, |event| event.sub_game_mode = None);
        }
    }

    pub(super) fn goes_on(&self) -> bool {
        self.at < self.teller.stay.end - QUIET_END
    }

    pub(super) fn chance(&mut self) -> f64 {
        self.teller.rng.random()
    }

    pub(super) fn pause(&mut self, from_secs: i64, to_secs: i64) {
        let secs = self.teller.rng.random_range(from_secs..=to_secs) as f64 * self.teller.tempo;
        self.at += (secs * SECOND as f64) as i64 + self.teller.rng.random_range(1..SECOND);
    }

    pub(super) fn add(&mut self, identifier: Identifier, fill: impl FnOnce(&mut Event, &str)) {
        let mut event = Event::new(identifier, EpochMillis(self.at));
        event.event_id = Some(format!("{}-{}", self.teller.id, self.events.len()));
        event.patch = Some(self.patch.to_owned());
        event.game_mode = Some(self.teller.stay.mode);
        if self.teller.stay.mode == GameMode::Pu {
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

    /// An id as entities get them: the later, the higher; arena ids start anew each match.
    pub(super) fn entity(&mut self, class: &str) -> String {
        let id = match self.teller.stay.mode {
            GameMode::Pu => {
                4_100_000_000_000
                    + (self.at.rem_euclid(8_000_000_000) / 10) * 1_000
                    + self.teller.rng.random_range(0..1_000)
            }
            GameMode::Ac => 200_000_000_000 + self.teller.rng.random_range(100..99_999),
        };
        format!("{class}_{id}")
    }

    pub(super) fn space(&mut self) -> String {
        match self.chance() {
            c if c < 0.5 => self.entity("SolarSystem"),
            c if c < 0.7 => "pyro4".to_owned(),
            c if c < 0.8 => "pyro1".to_owned(),
            c if c < 0.9 => "P2_L4".to_owned(),
            _ => "OOC_Stanton_2a_Cellin".to_owned(),
        }
    }

    fn outing(&mut self) {
        let chance = self.chance();
        let fights = 0.11 * self.pilot.aggression();
        if chance < fights && self.duel(None) {
            return;
        }
        if chance > 0.965 {
            self.mishap();
            return;
        }
        if chance > 0.86 {
            self.seat(&[]);
            return;
        }
        let work = {
            let c = self.chance();
            self.pilot.work(c)
        };
        self.contract(work);
    }

    /// Takes a seat, does something in it, and mostly stands up again.
    fn seat(&mut self, ship: &[String]) -> String {
        let ship = match ship.first() {
            Some(ship) => ship.clone(),
            None => {
                let (which, kind) = (self.chance(), self.chance());
                let class = if kind < 0.55 { self.pilot.fighter(which) } else { self.pilot.worker(which) };
                self.entity(class)
            }
        };
        let zone = popular(LANDING_ZONES, self.chance()).to_owned();
        self.personal(Identifier::SeatEntered, |event| {
            event.vehicle_name = Some(ship.clone());
            event.zone = Some(zone);
        });
        self.pause(90, 420);
        ship
    }

    fn stand_up(&mut self, ship: &str) {
        if self.goes_on() && self.chance() < 0.6 {
            self.personal(Identifier::SeatExited, |event| event.vehicle_name = Some(ship.to_owned()));
            self.pause(20, 90);
        }
    }

    fn contract(&mut self, work: Work) {
        let of_kind = self.teller.universe.missions(work);
        let name = popular(of_kind, self.chance());
        let id = self.teller.universe.contract_id(name);
        let fill = |event: &mut Event| {
            event.contract_name = Some(name.to_owned());
            event.contract_id = Some(id.clone());
        };
        self.personal(Identifier::MissionAccepted, fill);
        self.pause(60, 240);
        if !self.goes_on() {
            return;
        }
        let class = {
            let c = self.chance();
            if work == Work::Goods { self.pilot.worker(c) } else { self.pilot.fighter(c) }
        };
        let ship = self.entity(class);
        self.seat(std::slice::from_ref(&ship));
        let survived = match work {
            Work::OnFoot => {
                self.stand_up(&ship);
                self.sweep()
            }
            Work::Ships => self.hunt(&ship),
            Work::Goods => {
                self.pause(300, 900);
                true
            }
        };
        if !self.goes_on() {
            return;
        }
        if self.chance() < 0.4 {
            let text = popular(objectives(work), self.chance());
            self.personal(Identifier::Objective, |event| {
                fill(event);
                event.text = Some(text.to_owned());
            });
            self.pause(30, 200);
        }
        let keeps = if survived { 0.9 } else { 0.35 };
        if self.goes_on() && self.chance() < keeps {
            self.personal(Identifier::MissionComplete, fill);
        }
        if work != Work::OnFoot {
            self.pause(30, 120);
            self.stand_up(&ship);
        }
    }

    /// Clears a place on foot; whether he lived.
    fn sweep(&mut self) -> bool {
        let zone = popular(GROUND_ZONES, self.chance());
        let is_contested = zone.ends_with("contestedzone");
        let enemies = if is_contested { ZONE_GUARDS } else { popular(FACTIONS, self.chance()) };
        for _ in 0..self.teller.rng.random_range(3..=12) {
            if !self.goes_on() {
                return true;
            }
            let class = popular(enemies, self.chance());
            let enemy = self.entity(class);
            if self.chance() < 0.022 / self.pilot.skill() {
                let weapon = popular(HAND_WEAPONS, self.chance());
                self.killed_by_npc(&enemy, weapon, zone, "Bullet");
                self.pause(120, 400);
                return false;
            }
            let weapon = {
                let c = self.chance();
                self.pilot.hand_weapon(c)
            };
            let weapon = self.entity(weapon);
            self.npc_killed(&enemy, &weapon, zone, "Bullet");
            self.pause(8, 55);
        }
        // Other players come to the same places.
        if self.goes_on() && self.chance() < 0.10 * self.pilot.aggression() {
            self.duel(Some(zone));
        }
        true
    }

    /// Shoots down ships of the game; whether his own held.
    fn hunt(&mut self, own: &str) -> bool {
        let zone = self.space();
        for _ in 0..self.teller.rng.random_range(1..=4) {
            if !self.goes_on() {
                return true;
            }
            let (ship, crew) = popular(ENEMY_SHIPS, self.chance());
            let (ship, crew) = (self.entity(ship), self.entity(crew));
            if self.chance() < 0.05 / self.pilot.skill() {
                self.lost(own, &crew, &zone);
                self.pause(180, 500);
                return false;
            }
            let weapon = {
                let c = self.chance();
                self.pilot.ship_weapon(c)
            };
            let weapon = self.entity(weapon);
            let downed = |event: &mut Event, handle: &str, zone: &str| {
                event.killer = Some(handle.to_owned());
                event.killer_is_npc = Some(false);
                event.vehicle_name = Some(ship.clone());
                event.zone = Some(zone.to_owned());
                event.damage_type = Some("Combat".to_owned());
            };
            if self.chance() < 0.85 {
                self.add(Identifier::VehicleSoftDeath, |event, handle| downed(event, handle, &zone));
                self.at += 33;
                self.npc_killed(&crew, &weapon, &ship, "VehicleDestruction");
                self.pause(6, 60);
                if self.goes_on() && self.chance() < 0.75 {
                    self.add(Identifier::VehicleDestruction, |event, handle| downed(event, handle, &zone));
                }
            } else {
                self.add(Identifier::VehicleInstantDestruction, |event, handle| downed(event, handle, &zone));
                self.at += 33;
                self.npc_killed(&crew, &weapon, &ship, "VehicleDestruction");
            }
            self.pause(30, 150);
        }
        true
    }

    fn mishap(&mut self) {
        let chance = self.chance();
        let zone = popular(LANDING_ZONES, self.chance()).to_owned();
        let ship = {
            let c = self.chance();
            self.pilot.fighter(c)
        };
        let ship = self.entity(ship);
        self.add(Identifier::Kill, |event, handle| {
            event.victim = Some(handle.to_owned());
            event.victim_is_npc = Some(false);
            event.killer_is_npc = Some(false);
            let (killer, weapon, damage, zone) = match chance {
                c if c < 0.35 => (Some(handle), Some("Player"), "Suicide", zone),
                c if c < 0.75 => (Some(handle), None, "Crash", ship),
                _ => (None, None, "Hazard", zone),
            };
            event.killer = killer.map(str::to_owned);
            event.weapon = weapon.map(str::to_owned);
            event.damage_type = Some(damage.to_owned());
            event.zone = Some(zone);
            if killer.is_none() {
                event.killer_is_npc = None;
            }
        });
    }
}

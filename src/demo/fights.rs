//! Fights of a session: arena matches and duels, and the events of kills and lost ships.

use rand::Rng;

use super::items::{DUELS, GROUND_ZONES, SHIP_WEAPONS, SWARMS};
use super::online::rival;
use super::random::popular;
use super::sessions::Fighter::{self, *};
use super::sessions::{MINUTE, SECOND, SessionBuilder};
use crate::domain::events::{Event, Identifier};

impl SessionBuilder<'_> {
    /// One arena match.
    pub(super) fn arena_match(&mut self) {
        let first = self.events.len();
        let duels = self.chance() < 0.6;
        let class = self.pilot.fighter(self.chance());
        let rules = popular(if duels { DUELS } else { SWARMS }, self.chance());
        let on_foot = matches!(rules, "EA_Elimination" | "EA_FPSGunGame" | "EA_TeamElimination");
        let own = self.entity(class);
        if !on_foot {
            self.personal(Identifier::SeatEntered, |event| event.vehicle_name = Some(own.clone()));
        }
        self.pause(20, 60);
        for _ in 0..self.rng.random_range(2..=5) {
            if !self.has_time() {
                break;
            }
            if duels {
                self.duel(on_foot.then_some("EA_Station_Demien"));
            } else {
                let (ship, crew) = if rules == "EA_VanduulSwarm" {
                    ("VNCL_Blade_EA_AI_VAN_Alpha", "Vanduul_Pilot_01")
                } else {
                    ("DRAK_Cutlass_Black_EA_AI_PIR", "PU_Pilots-Human-Pirate-Gunner_Light")
                };
                let (ship, crew) = (self.entity(ship), self.entity(crew));
                let weapon = self.pilot.ship_weapon(self.chance());
                let weapon = self.entity(weapon);
                self.ship_lost(Identifier::VehicleInstantDestruction, Own, None, &ship, None);
                self.at += 28;
                self.killed(Own, Npc(&crew), &weapon, &ship, "VehicleDestruction");
            }
            self.pause(10, 70);
        }
        for event in &mut self.events[first..] {
            event.sub_game_mode = Some(rules.to_owned());
        }
    }

    /// A fight with another online player. Returns false if there is none.
    pub(super) fn duel(&mut self, ground: Option<&'static str>) -> bool {
        let until = (self.at + 6 * MINUTE).min(self.session.end);
        let Some(rival) = rival(self.online, self.rng, &self.session, self.at, until) else {
            return false;
        };
        let rival_pilot = self.universe.pilot(rival);
        let rival_handle = self.universe.handle(rival);
        let on_foot = ground.is_some() || self.chance() < 0.35;
        let place = match ground {
            Some(zone) => zone.to_owned(),
            None if on_foot => popular(GROUND_ZONES, self.chance()).to_owned(),
            None => self.space(),
        };
        let rounds = if on_foot { self.rng.random_range(1..=3) } else { 1 };
        for _ in 0..rounds {
            if self.at >= until - 20 * SECOND {
                break;
            }
            let edge = self.pilot.skill() / (self.pilot.skill() + rival_pilot.skill());
            let sides = [(Own, self.pilot), (Player(&rival_handle), rival_pilot)];
            let wins = self.chance() < edge;
            let [(winner, winning_pilot), (loser, losing_pilot)] = if wins { sides } else { [sides[1], sides[0]] };
            let chance = self.chance();
            if on_foot {
                let weapon = self.entity(winning_pilot.hand_weapon(chance));
                self.killed(winner, loser, &weapon, &place, "Bullet");
            } else {
                let ship = self.entity(losing_pilot.fighter(chance));
                let weapon = self.entity(winning_pilot.ship_weapon(chance));
                if self.chance() < 0.5 {
                    self.ship_lost(Identifier::VehicleSoftDeath, winner, Some(loser), &ship, Some(&place));
                    self.at += 9 * SECOND + self.rng.random_range(0..9 * SECOND);
                    self.ship_lost(Identifier::VehicleDestruction, winner, Some(loser), &ship, Some(&place));
                } else {
                    self.ship_lost(Identifier::VehicleInstantDestruction, winner, Some(loser), &ship, Some(&place));
                }
                self.at += 40;
                self.killed(winner, loser, &weapon, &ship, "VehicleDestruction");
            }
            self.at += 25 * SECOND + self.rng.random_range(0..70 * SECOND);
        }
        true
    }

    /// The player loses ship and life to an NPC.
    pub(super) fn lose_ship(&mut self, own: &str, killer: &str, zone: &str) {
        let weapon = popular(SHIP_WEAPONS, self.chance());
        self.ship_lost(Identifier::VehicleDestruction, Npc(killer), Some(Own), own, Some(zone));
        self.at += 21;
        self.killed(Npc(killer), Own, weapon, own, "VehicleDestruction");
    }

    pub(super) fn killed(&mut self, killer: Fighter, victim: Fighter, weapon: &str, zone: &str, damage: &str) {
        self.fight(Identifier::Kill, killer, Some(victim), |event| {
            event.weapon = Some(weapon.to_owned());
            event.zone = Some(zone.to_owned());
            event.damage_type = Some(damage.to_owned());
        });
    }

    pub(super) fn ship_lost(
        &mut self,
        how: Identifier,
        killer: Fighter,
        owner: Option<Fighter>,
        ship: &str,
        zone: Option<&str>,
    ) {
        self.fight(how, killer, owner, |event| {
            event.vehicle_name = Some(ship.to_owned());
            event.zone = zone.map(str::to_owned);
            event.damage_type = Some("Combat".to_owned());
        });
    }

    fn fight(&mut self, what: Identifier, killer: Fighter, victim: Option<Fighter>, fill: impl FnOnce(&mut Event)) {
        self.add(what, |event, own| {
            (event.killer, event.killer_is_npc) = killer.named(own);
            if let Some(victim) = victim {
                (event.victim, event.victim_is_npc) = victim.named(own);
            }
            fill(event);
        });
    }
}

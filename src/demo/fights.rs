//! Fights of a session: arena matches and duels, and the events of kills and lost ships.

use rand::Rng;

use super::items::{DUELS, GROUND_ZONES, SHIP_WEAPONS, SWARMS};
use super::random::popular;
use super::sessions::{MINUTE, SECOND, SessionBuilder};
use crate::domain::events::Identifier;

impl SessionBuilder<'_> {
    /// One arena match.
    pub(super) fn arena_match(&mut self) {
        let first = self.events.len();
        let duels = self.chance() < 0.6;
        let class = {
            let c = self.chance();
            self.pilot.fighter(c)
        };
        let rules = popular(if duels { DUELS } else { SWARMS }, self.chance());
        let on_foot = matches!(rules, "EA_Elimination" | "EA_FPSGunGame" | "EA_TeamElimination");
        let own = self.entity(class);
        if !on_foot {
            self.personal(Identifier::SeatEntered, |event| event.vehicle_name = Some(own.clone()));
        }
        self.pause(20, 60);
        for _ in 0..self.plan.rng.random_range(2..=5) {
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
                let weapon = {
                    let c = self.chance();
                    self.pilot.ship_weapon(c)
                };
                let weapon = self.entity(weapon);
                self.add(Identifier::VehicleInstantDestruction, |event, handle| {
                    event.killer = Some(handle.to_owned());
                    event.killer_is_npc = Some(false);
                    event.vehicle_name = Some(ship.clone());
                    event.damage_type = Some("Combat".to_owned());
                });
                self.at += 28;
                self.npc_killed(&crew, &weapon, &ship, "VehicleDestruction");
            }
            self.pause(10, 70);
        }
        for event in &mut self.events[first..] {
            event.sub_game_mode = Some(rules.to_owned());
        }
    }

    /// A fight with another online player. Returns false if there is none.
    pub(super) fn duel(&mut self, ground: Option<&'static str>) -> bool {
        let until = (self.at + 6 * MINUTE).min(self.plan.session.end);
        let Some(rival) = self.plan.online.rival(self.plan.rng, &self.plan.session, self.at, until) else {
            return false;
        };
        let rival_pilot = self.plan.universe.pilot(rival);
        let rival_handle = self.plan.universe.handle(rival);
        let on_foot = ground.is_some() || self.chance() < 0.35;
        let place = match ground {
            Some(zone) => zone.to_owned(),
            None if on_foot => popular(GROUND_ZONES, self.chance()).to_owned(),
            None => self.space(),
        };
        let rounds = if on_foot { self.plan.rng.random_range(1..=3) } else { 1 };
        for _ in 0..rounds {
            if self.at >= until - 20 * SECOND {
                break;
            }
            let edge = self.pilot.skill() / (self.pilot.skill() + rival_pilot.skill());
            let wins = self.chance() < edge;
            let (winner, winning_pilot, loser, losing_pilot) = if wins {
                (self.handle.clone(), self.pilot, rival_handle.clone(), rival_pilot)
            } else {
                (rival_handle.clone(), rival_pilot, self.handle.clone(), self.pilot)
            };
            let chance = self.chance();
            if on_foot {
                let weapon = self.entity(winning_pilot.hand_weapon(chance));
                self.player_killed(&winner, &loser, &weapon, &place, "Bullet");
            } else {
                let ship = self.entity(losing_pilot.fighter(chance));
                let weapon = self.entity(winning_pilot.ship_weapon(chance));
                if self.chance() < 0.5 {
                    self.player_ship_lost(Identifier::VehicleSoftDeath, &winner, &loser, &ship, &place);
                    self.at += 9 * SECOND + self.plan.rng.random_range(0..9 * SECOND);
                    self.player_ship_lost(Identifier::VehicleDestruction, &winner, &loser, &ship, &place);
                } else {
                    self.player_ship_lost(Identifier::VehicleInstantDestruction, &winner, &loser, &ship, &place);
                }
                self.at += 40;
                self.player_killed(&winner, &loser, &weapon, &ship, "VehicleDestruction");
            }
            self.at += 25 * SECOND + self.plan.rng.random_range(0..70 * SECOND);
        }
        true
    }

    pub(super) fn player_killed(&mut self, winner: &str, loser: &str, weapon: &str, zone: &str, damage: &str) {
        self.add(Identifier::Kill, |event, _| {
            event.killer = Some(winner.to_owned());
            event.killer_is_npc = Some(false);
            event.victim = Some(loser.to_owned());
            event.victim_is_npc = Some(false);
            event.weapon = Some(weapon.to_owned());
            event.zone = Some(zone.to_owned());
            event.damage_type = Some(damage.to_owned());
        });
    }

    pub(super) fn player_ship_lost(&mut self, how: Identifier, winner: &str, loser: &str, ship: &str, zone: &str) {
        self.add(how, |event, _| {
            event.killer = Some(winner.to_owned());
            event.killer_is_npc = Some(false);
            event.victim = Some(loser.to_owned());
            event.victim_is_npc = Some(false);
            event.vehicle_name = Some(ship.to_owned());
            event.zone = Some(zone.to_owned());
            event.damage_type = Some("Combat".to_owned());
        });
    }

    /// The player loses ship and life to an NPC.
    pub(super) fn lose_ship(&mut self, own: &str, killer: &str, zone: &str) {
        let weapon = popular(SHIP_WEAPONS, self.chance());
        self.add(Identifier::VehicleDestruction, |event, handle| {
            event.killer = Some(killer.to_owned());
            event.killer_is_npc = Some(true);
            event.victim = Some(handle.to_owned());
            event.victim_is_npc = Some(false);
            event.vehicle_name = Some(own.to_owned());
            event.zone = Some(zone.to_owned());
            event.damage_type = Some("Combat".to_owned());
        });
        self.at += 21;
        self.killed_by_npc(killer, weapon, own, "VehicleDestruction");
    }

    pub(super) fn npc_killed(&mut self, npc: &str, weapon: &str, zone: &str, damage: &str) {
        self.add(Identifier::Kill, |event, handle| {
            event.killer = Some(handle.to_owned());
            event.killer_is_npc = Some(false);
            event.victim = Some(npc.to_owned());
            event.victim_is_npc = Some(true);
            event.weapon = Some(weapon.to_owned());
            event.zone = Some(zone.to_owned());
            event.damage_type = Some(damage.to_owned());
        });
    }

    pub(super) fn killed_by_npc(&mut self, npc: &str, weapon: &str, zone: &str, damage: &str) {
        self.add(Identifier::Kill, |event, handle| {
            event.killer = Some(npc.to_owned());
            event.killer_is_npc = Some(true);
            event.victim = Some(handle.to_owned());
            event.victim_is_npc = Some(false);
            event.weapon = Some(weapon.to_owned());
            event.zone = Some(zone.to_owned());
            event.damage_type = Some(damage.to_owned());
        });
    }
}

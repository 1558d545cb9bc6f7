//! Fights of a session: arena matches and duels, and the events of kills and lost ships.

use rand::Rng;

use super::fighter::Fighter;
use super::items::{DUELS, FIGHTERS, GROUND_ZONES, HAND_WEAPONS, SHIP_WEAPONS, SWARMS};
use super::online::rival;
use super::sessions::{MINUTE, SECOND, SessionBuilder};
use crate::domain::events::{Event, Identifier};
use Fighter::*;

impl SessionBuilder<'_> {
    /// One arena match.
    pub(super) fn arena_match(&mut self) {
        let first = self.events.len();
        let duels = self.chance() < 0.6;
        let rules = self.any(if duels { DUELS } else { SWARMS });
        let on_foot = matches!(rules, "EA_Elimination" | "EA_FPSGunGame" | "EA_TeamElimination");
        let own = self.favourite(self.pilot, FIGHTERS);
        if !on_foot {
            self.personal(Identifier::SeatEntered, |event| event.vehicle_name = Some(own));
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
                let (ship, crew, zone) = (self.entity(ship), self.entity(crew), self.space());
                let weapon = self.favourite(self.pilot, SHIP_WEAPONS);
                self.shot_down(Own, Npc(&crew), &weapon, &ship, &zone);
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
        let (rival_handle, rival_pilot) = (self.universe.handle(rival), self.universe.pilot(rival));
        let on_foot = ground.is_some() || self.chance() < 0.35;
        let place = match ground {
            Some(zone) => zone.to_owned(),
            None if on_foot => self.any(GROUND_ZONES).to_owned(),
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
            if on_foot {
                let weapon = self.favourite(winning_pilot, HAND_WEAPONS);
                self.killed(winner, loser, &weapon, &place, "Bullet");
            } else {
                let ship = self.favourite(losing_pilot, FIGHTERS);
                let weapon = self.favourite(winning_pilot, SHIP_WEAPONS);
                self.shot_down(winner, loser, &weapon, &ship, &place);
            }
            self.at += 25 * SECOND + self.rng.random_range(0..70 * SECOND);
        }
        true
    }

    /// The loser's ship is destroyed, at once or after a soft death, and with it the loser.
    pub(super) fn shot_down(&mut self, winner: Fighter, loser: Fighter, weapon: &str, ship: &str, zone: &str) {
        let how = if self.chance() < 0.7 {
            self.ship_lost(Identifier::VehicleSoftDeath, winner, loser, ship, zone);
            self.at += 9 * SECOND + self.rng.random_range(0..9 * SECOND);
            Identifier::VehicleDestruction
        } else {
            Identifier::VehicleInstantDestruction
        };
        self.ship_lost(how, winner, loser, ship, zone);
        self.at += 33;
        self.killed(winner, loser, weapon, ship, "VehicleDestruction");
    }

    pub(super) fn killed(&mut self, killer: Fighter, victim: Fighter, weapon: &str, zone: &str, damage: &str) {
        self.fight(Identifier::Kill, Some(killer), Some(victim), |event| {
            event.weapon = Some(weapon.to_owned());
            event.zone = Some(zone.to_owned());
            event.damage_type = Some(damage.to_owned());
        });
    }

    /// Ships of NPCs have no owner.
    fn ship_lost(&mut self, how: Identifier, killer: Fighter, owner: Fighter, ship: &str, zone: &str) {
        self.fight(how, Some(killer), Some(owner).filter(|owner| !matches!(owner, Npc(_))), |event| {
            event.vehicle_name = Some(ship.to_owned());
            event.zone = Some(zone.to_owned());
            event.damage_type = Some("Combat".to_owned());
        });
    }

    pub(super) fn fight(
        &mut self,
        what: Identifier,
        killer: Option<Fighter>,
        victim: Option<Fighter>,
        fill: impl FnOnce(&mut Event),
    ) {
        self.add(what, |event, own| {
            (event.killer, event.killer_is_npc) = killer.map(|killer| killer.named(own)).unzip();
            (event.victim, event.victim_is_npc) = victim.map(|victim| victim.named(own)).unzip();
            fill(event);
        });
    }
}

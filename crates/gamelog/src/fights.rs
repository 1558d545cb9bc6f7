//! Kills and lost vehicles. The owner of a vehicle is derived from the evidence in the log alone.

use std::collections::{HashMap, VecDeque};

use crate::events::{Event, Identifier};
use crate::names::Handle;
use crate::npcs::{NameKind, classify_name, entity_id, is_npc_class, without_entity_id};
use crate::times::EpochMillis;

use super::emitter::{Emitter, NO_DEADLINE};
use super::grammar::Fields;
use super::text::clean_name;

/// A death aboard a vehicle and the loss of that vehicle are logged within this time, in either order.
const ABOARD_WINDOW_MS: i64 = 2000;
const MAX_REMEMBERED: usize = 256;
/// Damage types of deaths that are caused by the loss of the vehicle.
const DEATHS_WITH_VEHICLE: [&str; 4] = ["VehicleDestruction", "Crash", "Collision", "SelfDestruct"];

#[derive(Default)]
pub(super) struct Fights {
    aboard: VecDeque<DeathAboard>,
    owners: HashMap<String, Actor>,
    owner_order: VecDeque<String>,
    pending: Vec<VehicleLoss>,
}

/// A player or NPC named by the log.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Actor {
    name: String,
    is_npc: bool,
}

struct DeathAboard {
    at: EpochMillis,
    vehicle: String,
    actor: Actor,
}

struct VehicleLoss {
    event: Event,
    vehicle: String,
    is_own_vehicle: bool,
}

impl Actor {
    /// Returns `None` for `unknown` and for an empty name. The name of an NPC ends in its id; a player may have any name, also one
    /// that begins like an NPC's. Without an id, the name decides.
    fn parse(name: String, id: &str) -> Option<Self> {
        let has_id = id.len() > 3;
        let ends_in_id = has_id && name.strip_suffix(id).is_some_and(|class| class.ends_with('_'));
        if classify_name(&name) == NameKind::Nobody {
            return None;
        }
        // Vehicles are named with the id of the vehicle beside the id of their pilot.
        let is_entity = ends_in_id || entity_id(&name).is_some() && is_npc_class(without_entity_id(&name));
        let is_unnumbered = !has_id && (entity_id(&name).is_some() || is_npc_class(&name));
        // A name that is not a valid handle belongs to an NPC.
        let is_npc = is_entity || is_unnumbered || Handle::parse(&name).is_err();
        Some(Self { name: clean_name(&name), is_npc })
    }
}

impl Fights {
    pub fn deadline(&self) -> i64 {
        self.pending.first().map_or(NO_DEADLINE, |loss| loss.event.event_time.0 + ABOARD_WINDOW_MS + 1)
    }

    /// Emits a kill. Returns true if the victim is the local player.
    pub fn on_kill(&mut self, line: &Fields, at: EpochMillis, emitter: &mut Emitter) -> bool {
        let (victim_id, killer_id) = (line.text("victim_id"), line.text("killer_id"));
        let Some(victim) = Actor::parse(line.text("victim"), &victim_id) else { return false };
        let killer = Actor::parse(line.text("killer"), &killer_id);
        let (zone, damage) = (line.text("zone"), line.text("damage"));
        let vehicle = vehicle_id(&zone).map(str::to_owned);
        if let Some(vehicle) = &vehicle
            && DEATHS_WITH_VEHICLE.contains(&damage.as_str())
        {
            self.remember_aboard(DeathAboard { at, vehicle: vehicle.clone(), actor: victim.clone() });
        }
        let is_own = emitter.is_own(&victim.name, &victim_id);
        let event = emitter.event(Identifier::Kill, at, &format!("{victim_id}:{killer_id}"));
        emitter.emit(Event {
            victim: Some(victim.name),
            victim_is_npc: Some(victim.is_npc),
            killer_is_npc: killer.as_ref().map(|killer| killer.is_npc),
            killer: killer.map(|killer| killer.name),
            weapon: weapon(&line.text("class"), &line.text("weapon")),
            vehicle_name: vehicle.map(|_| clean_name(&zone)),
            damage_type: Some(clean_name(&damage)),
            zone: Some(clean_name(&zone)),
            ..event
        });
        is_own
    }

    /// Records a lost vehicle. It is emitted once no further death aboard can follow.
    pub fn on_vehicle(&mut self, line: &Fields, at: EpochMillis, seat: Option<&str>, emitter: &mut Emitter) {
        let identifier = match (line.text("from").as_str(), line.text("to").as_str()) {
            ("0", "1") => Identifier::VehicleSoftDeath,
            ("1", "2") => Identifier::VehicleDestruction,
            ("0", "2") => Identifier::VehicleInstantDestruction,
            _ => return,
        };
        let (name, causer_id) = (line.text("vehicle"), line.text("causer_id"));
        let vehicle = entity_id(&name).map_or_else(|| line.text("id"), str::to_owned);
        let causer = Actor::parse(line.text("causer"), &causer_id).or_else(|| {
            let handle = emitter.handle().filter(|_| emitter.is_own("", &causer_id))?;
            Some(Actor { name: handle.to_owned(), is_npc: false })
        });
        if let Some(driver) = Actor::parse(line.text("driver"), &line.text("driver_id")) {
            self.set_owner(&vehicle, driver);
        }
        let event = emitter.event(identifier, at, &format!("{vehicle}:{causer_id}"));
        let event = Event {
            killer_is_npc: causer.as_ref().map(|causer| causer.is_npc),
            killer: causer.map(|causer| causer.name),
            vehicle_name: Some(clean_name(&name)),
            damage_type: Some(clean_name(&line.text("cause"))),
            zone: Some(clean_name(&line.text("zone"))),
            ..event
        };
        self.pending.push(VehicleLoss { event, is_own_vehicle: seat == Some(vehicle.as_str()), vehicle });
    }

    /// Records the owner of a spawned vehicle if it is the local player.
    pub fn on_spawn(&mut self, vehicle: &str, geid: &str, emitter: &Emitter) {
        if let Some(handle) = emitter.handle().filter(|_| emitter.is_own("", geid)) {
            self.set_owner(vehicle, Actor { name: handle.to_owned(), is_npc: false });
        }
    }

    pub fn flush(&mut self, now: EpochMillis, emitter: &mut Emitter) {
        let ready = self.pending.iter().take_while(|loss| loss.event.event_time.0 + ABOARD_WINDOW_MS < now.0).count();
        let losses: Vec<VehicleLoss> = self.pending.drain(..ready).collect();
        for loss in losses {
            let owner = self.find_owner(&loss, emitter);
            let mut event = loss.event;
            if let Some(owner) = owner {
                event.victim_is_npc = Some(owner.is_npc);
                event.victim = Some(owner.name.clone());
                self.set_owner(&loss.vehicle, owner);
            } else if event.vehicle_name.as_deref().is_some_and(|name| name.contains("_PU_AI_")) {
                event.victim_is_npc = Some(true);
            }
            emitter.emit(event);
        }
    }

    /// Best evidence first. If several actors died aboard and there is no other evidence, the owner is unknown.
    fn find_owner(&self, loss: &VehicleLoss, emitter: &Emitter) -> Option<Actor> {
        let at = loss.event.event_time.0;
        let mut aboard: Vec<&Actor> = Vec::new();
        for death in self.aboard.iter().filter(|d| d.vehicle == loss.vehicle && (d.at.0 - at).abs() <= ABOARD_WINDOW_MS)
        {
            if !aboard.contains(&&death.actor) {
                aboard.push(&death.actor);
            }
        }
        if let [only] = aboard.as_slice() {
            return Some((*only).clone());
        }
        if loss.is_own_vehicle {
            return emitter.handle().map(|handle| Actor { name: handle.to_owned(), is_npc: false });
        }
        self.owners.get(&loss.vehicle).cloned()
    }

    fn set_owner(&mut self, vehicle: &str, owner: Actor) {
        if self.owners.insert(vehicle.to_owned(), owner).is_none() {
            self.owner_order.push_back(vehicle.to_owned());
            if self.owner_order.len() > MAX_REMEMBERED
                && let Some(oldest) = self.owner_order.pop_front()
            {
                self.owners.remove(&oldest);
            }
        }
    }

    fn remember_aboard(&mut self, death: DeathAboard) {
        self.aboard.push_back(death);
        if self.aboard.len() > MAX_REMEMBERED {
            self.aboard.pop_front();
        }
    }
}

/// The entity id of a zone that is a vehicle. Places have ids too, but no manufacturer's prefix.
fn vehicle_id(zone: &str) -> Option<&str> {
    entity_id(zone).filter(|_| is_npc_class(without_entity_id(zone)))
}

/// The class of a weapon: the class in the log, or the weapon's name without its id.
fn weapon(class: &str, using: &str) -> Option<String> {
    let class = match class {
        "Player" => return None,
        "unknown" | "" => without_entity_id(using),
        class => class,
    };
    (class != "unknown" && !class.is_empty()).then(|| clean_name(class))
}

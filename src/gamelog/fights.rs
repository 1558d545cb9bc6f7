//! Kills and lost vehicles, and whose vehicle it was by the evidence of the log alone.

use std::collections::{HashMap, VecDeque};

use crate::domain::events::{Event, Identifier};
use crate::domain::names::Handle;
use crate::domain::npcs::{NameKind, classify_name, entity_id, without_entity_id};
use crate::domain::times::EpochMillis;

use super::grammar::Fields;
use super::hud::short;
use super::session::{NOT_DUE, Teller};

/// A death aboard and the loss of the vehicle are written within this time, in either order.
const ABOARD_MS: i64 = 2000;
const REMEMBERED: usize = 256;
/// Deaths that come from the loss of the vehicle itself, not from a fight aboard it.
const DEATHS_WITH_VEHICLE: [&str; 4] = ["VehicleDestruction", "Crash", "Collision", "SelfDestruct"];

#[derive(Default)]
pub(super) struct Fights {
    aboard: VecDeque<Aboard>,
    owners: HashMap<String, Someone>,
    owner_order: VecDeque<String>,
    waiting: Vec<Loss>,
}

/// A name of the log that stands for somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Someone {
    name: String,
    is_npc: bool,
}

struct Aboard {
    at: EpochMillis,
    vehicle: String,
    who: Someone,
}

struct Loss {
    event: Event,
    vehicle: String,
    is_own_seat: bool,
}

impl Someone {
    /// Nobody for `unknown` and for what the log leaves empty.
    fn named(name: String, id: &str) -> Option<Self> {
        let ends_in_id = id.len() > 3 && name.strip_suffix(id).is_some_and(|class| class.ends_with('_'));
        let is_npc = match classify_name(&name) {
            NameKind::Nobody => return None,
            NameKind::Npc => true,
            // What cannot be a handle is no player.
            NameKind::Player => ends_in_id || Handle::parse(&name).is_err(),
        };
        Some(Self { name: short(&name), is_npc })
    }
}

impl Fights {
    pub fn due(&self) -> i64 {
        self.waiting.first().map_or(NOT_DUE, |loss| loss.event.event_time.0 + ABOARD_MS + 1)
    }

    /// Tells a kill; true when it is the local player who died.
    pub fn kill(&mut self, line: &Fields, at: EpochMillis, teller: &mut Teller) -> bool {
        let (victim_id, killer_id) = (line.text("victim_id"), line.text("killer_id"));
        let Some(victim) = Someone::named(line.text("victim"), &victim_id) else { return false };
        let killer = Someone::named(line.text("killer"), &killer_id);
        let (zone, damage) = (line.text("zone"), line.text("damage"));
        let vehicle = vehicle_id(&zone).map(str::to_owned);
        if let Some(vehicle) = &vehicle
            && DEATHS_WITH_VEHICLE.contains(&damage.as_str())
        {
            self.remember_aboard(Aboard { at, vehicle: vehicle.clone(), who: victim.clone() });
        }
        let is_own = teller.is_own(&victim.name, &victim_id);
        let event = teller.event(Identifier::Kill, at, &format!("{victim_id}:{killer_id}"));
        teller.tell(Event {
            victim: Some(victim.name),
            victim_is_npc: Some(victim.is_npc),
            killer_is_npc: killer.as_ref().map(|killer| killer.is_npc),
            killer: killer.map(|killer| killer.name),
            weapon: weapon(&line.text("class"), &line.text("weapon")),
            vehicle_name: vehicle.map(|_| short(&zone)),
            damage_type: Some(short(&damage)),
            zone: Some(short(&zone)),
            ..event
        });
        is_own
    }

    /// Notes a lost vehicle; it is told once nobody's death aboard can follow any more.
    pub fn vehicle(&mut self, line: &Fields, at: EpochMillis, seat: Option<&str>, teller: &mut Teller) {
        let identifier = match (line.text("from").as_str(), line.text("to").as_str()) {
            ("0", "1") => Identifier::VehicleSoftDeath,
            ("1", "2") => Identifier::VehicleDestruction,
            ("0", "2") => Identifier::VehicleInstantDestruction,
            _ => return,
        };
        let (name, causer_id) = (line.text("vehicle"), line.text("causer_id"));
        let vehicle = entity_id(&name).map_or_else(|| line.text("id"), str::to_owned);
        let causer = Someone::named(line.text("causer"), &causer_id).or_else(|| {
            let handle = teller.handle().filter(|_| teller.is_own("", &causer_id))?;
            Some(Someone { name: handle.to_owned(), is_npc: false })
        });
        if let Some(driver) = Someone::named(line.text("driver"), "") {
            self.own(&vehicle, driver);
        }
        let event = teller.event(identifier, at, &format!("{vehicle}:{causer_id}"));
        let event = Event {
            killer_is_npc: causer.as_ref().map(|causer| causer.is_npc),
            killer: causer.map(|causer| causer.name),
            vehicle_name: Some(short(&name)),
            damage_type: Some(short(&line.text("cause"))),
            zone: Some(short(&line.text("zone"))),
            ..event
        };
        self.waiting.push(Loss { event, is_own_seat: seat == Some(vehicle.as_str()), vehicle });
    }

    /// A vehicle made for a player: known to be the local player's when the id says so.
    pub fn spawned(&mut self, vehicle: &str, geid: &str, teller: &Teller) {
        if let Some(handle) = teller.handle().filter(|_| teller.is_own("", geid)) {
            self.own(vehicle, Someone { name: handle.to_owned(), is_npc: false });
        }
    }

    pub fn release(&mut self, now: EpochMillis, teller: &mut Teller) {
        let ready = self.waiting.iter().take_while(|loss| loss.event.event_time.0 + ABOARD_MS < now.0).count();
        let losses: Vec<Loss> = self.waiting.drain(..ready).collect();
        for loss in losses {
            let owner = self.owner(&loss, teller);
            let mut event = loss.event;
            if let Some(owner) = owner {
                event.victim_is_npc = Some(owner.is_npc);
                event.victim = Some(owner.name.clone());
                self.own(&loss.vehicle, owner);
            } else if event.vehicle_name.as_deref().is_some_and(|name| name.contains("_PU_AI_")) {
                event.victim_is_npc = Some(true);
            }
            teller.tell(event);
        }
    }

    /// Best evidence first; several people aboard and no other evidence is nobody's vehicle.
    fn owner(&self, loss: &Loss, teller: &Teller) -> Option<Someone> {
        let at = loss.event.event_time.0;
        let mut aboard: Vec<&Someone> = Vec::new();
        for death in self.aboard.iter().filter(|d| d.vehicle == loss.vehicle && (d.at.0 - at).abs() <= ABOARD_MS) {
            if !aboard.contains(&&death.who) {
                aboard.push(&death.who);
            }
        }
        if let [only] = aboard.as_slice() {
            return Some((*only).clone());
        }
        if loss.is_own_seat {
            return teller.handle().map(|handle| Someone { name: handle.to_owned(), is_npc: false });
        }
        self.owners.get(&loss.vehicle).cloned()
    }

    fn own(&mut self, vehicle: &str, owner: Someone) {
        if self.owners.insert(vehicle.to_owned(), owner).is_none() {
            self.owner_order.push_back(vehicle.to_owned());
            if self.owner_order.len() > REMEMBERED
                && let Some(oldest) = self.owner_order.pop_front()
            {
                self.owners.remove(&oldest);
            }
        }
    }

    fn remember_aboard(&mut self, death: Aboard) {
        self.aboard.push_back(death);
        if self.aboard.len() > REMEMBERED {
            self.aboard.pop_front();
        }
    }
}

/// The entity id of a zone that is a vehicle; places have ids too, but no maker's prefix.
fn vehicle_id(zone: &str) -> Option<&str> {
    entity_id(zone).filter(|_| classify_name(without_entity_id(zone)) == NameKind::Npc)
}

/// The weapon's class: what the log calls class, else the name without its id.
fn weapon(class: &str, using: &str) -> Option<String> {
    let class = match class {
        "Player" => return None,
        "unknown" | "" => without_entity_id(using),
        class => class,
    };
    (class != "unknown" && !class.is_empty()).then(|| short(class))
}

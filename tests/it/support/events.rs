//! Events as a reader sends them.

use serde_json::{Map, Value, json};

pub const NPC: &str = "PU_Human_Enemy_GroundCombat_NPC_grunt_2636093660430";
pub const DAY: i64 = 86_400_000;

/// Now, in epoch milliseconds.
pub fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// An event in the making.
#[derive(Debug, Clone, PartialEq)]
pub struct Told(Map<String, Value>);

/// An event of a kind, an hour ago unless told otherwise.
pub fn told(identifier: &str) -> Told {
    let mut fields = Map::new();
    fields.insert("identifier".into(), json!(identifier));
    fields.insert("event_time".into(), json!(now() - 3_600_000));
    Told(fields)
}

impl Told {
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0.insert(field.into(), value.into());
        self
    }

    pub fn without(mut self, field: &str) -> Self {
        self.0.remove(field);
        self
    }

    pub fn at(self, ms: i64) -> Self {
        self.with("event_time", ms)
    }

    pub fn pu(self) -> Self {
        self.with("game_mode", "PU")
    }

    pub fn ac(self) -> Self {
        self.with("game_mode", "AC")
    }

    pub fn id(self, id: &str) -> Self {
        self.with("event_id", id)
    }

    pub fn json(self) -> Value {
        Value::Object(self.0)
    }
}

impl From<Told> for Value {
    fn from(told: Told) -> Self {
        told.json()
    }
}

/// Somebody killed somebody.
pub fn kill(killer: &str, victim: &str) -> Told {
    told("kill").with("killer", killer).with("victim", victim)
}

/// Somebody's vehicle was lost to somebody.
pub fn loss(identifier: &str, killer: &str, owner: &str) -> Told {
    told(identifier).with("killer", killer).with("victim", owner).with("vehicle_name", "ZZZZ_Kite")
}

/// What only concerns one player.
pub fn own(identifier: &str, player: &str) -> Told {
    told(identifier).with("player_name", player)
}

/// A list of events, each a second after the one before, all different.
pub fn in_a_row(from: i64, events: impl IntoIterator<Item = Told>) -> Vec<Value> {
    events.into_iter().enumerate().map(|(n, event)| event.at(from + n as i64 * 20_000).json()).collect()
}

/// `count` PU kills of an NPC by a player, from a moment on.
pub fn npc_kills(killer: &str, count: i64, from: i64) -> Vec<Value> {
    in_a_row(from, (0..count).map(|_| kill(killer, NPC).pu()))
}

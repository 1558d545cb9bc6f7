//! Builders for events as a log reader sends them.

use serde_json::{Map, Value, json};

pub const NPC: &str = "PU_Human_Enemy_GroundCombat_NPC_grunt_2636093660430";
pub const DAY: i64 = 86_400_000;

/// The current time in epoch milliseconds.
pub fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// Builds the JSON of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventBuilder(Map<String, Value>);

/// An event with this identifier, an hour ago by default.
pub fn new_event(identifier: &str) -> EventBuilder {
    let mut fields = Map::new();
    fields.insert("identifier".into(), json!(identifier));
    fields.insert("event_time".into(), json!(now() - 3_600_000));
    EventBuilder(fields)
}

impl EventBuilder {
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

impl From<EventBuilder> for Value {
    fn from(event: EventBuilder) -> Self {
        event.json()
    }
}

/// A kill of one player by another.
pub fn kill(killer: &str, victim: &str) -> EventBuilder {
    new_event("kill").with("killer", killer).with("victim", victim)
}

/// The loss of a player's vehicle to another player.
pub fn loss(identifier: &str, killer: &str, owner: &str) -> EventBuilder {
    new_event(identifier).with("killer", killer).with("victim", owner).with("vehicle_name", "ZZZZ_Kite")
}

/// An event with one player.
pub fn own(identifier: &str, player: &str) -> EventBuilder {
    new_event(identifier).with("player_name", player)
}

/// A stay of some hours in the universe, from noon of the day before, so that no midnight divides its points.
pub fn stay(player: &str, hours: i64) -> [Value; 2] {
    let noon = (now().div_euclid(DAY) - 1) * DAY + DAY / 2;
    let left = own("universe_left", player).with("text", "quit").pu().at(noon + hours * 3_600_000);
    [own("connection_success", player).pu().at(noon).json(), left.json()]
}

/// The JSON of events, each a second after the one before.
pub fn in_a_row(from: i64, events: impl IntoIterator<Item = EventBuilder>) -> Vec<Value> {
    events.into_iter().enumerate().map(|(n, event)| event.at(from + n as i64 * 20_000).json()).collect()
}

/// `count` kills of an NPC by a player in the persistent universe, starting at a time.
pub fn npc_kills(killer: &str, count: i64, from: i64) -> Vec<Value> {
    in_a_row(from, (0..count).map(|_| kill(killer, NPC).pu()))
}

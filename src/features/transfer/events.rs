//! Events as lines: the fields of an ingest request, and the stored fields of exported events.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::domain::events::{Event, Identifier, Identity, ValidEvent, mode_from_code, validate, validate_stored};
use crate::domain::times::EpochMillis;
use crate::domain::trust::Grade;

/// Fields of a line, in order. Only exports contain the last ten.
pub const COLUMNS: [&str; 29] = [
    "identifier",
    "event_time",
    "event_id",
    "game_mode",
    "sub_game_mode",
    "patch",
    "killer",
    "killer_is_npc",
    "victim",
    "victim_is_npc",
    "weapon",
    "vehicle_name",
    "damage_type",
    "zone",
    "contract_id",
    "contract_name",
    "text",
    "player_name",
    "player_is_npc",
    "identity",
    "fight",
    "reader",
    "grade",
    "received_at",
    "reasons",
    "counts",
    "provenance",
    "log",
    "witnesses",
];

/// Converts a row of the store to the fields of a line.
pub fn to_line(mut row: Map<String, Value>) -> Map<String, Value> {
    let mut line = Map::new();
    let code = |value: Option<Value>| value.as_ref().and_then(Value::as_i64).and_then(|n| i16::try_from(n).ok());
    if let Some(identifier) = code(row.remove("identifier")).and_then(Identifier::from_code) {
        line.insert("identifier".into(), identifier.as_str().into());
    }
    if let Some(mode) = code(row.remove("game_mode")).and_then(mode_from_code) {
        line.insert("game_mode".into(), mode.as_str().into());
    }
    if let Some(grade) = code(row.remove("grade")).and_then(Grade::from_code) {
        line.insert("grade".into(), grade.as_str().into());
    }
    for (party, name) in [("killer", "killer"), ("victim", "victim"), ("player", "player_name")] {
        let player = row.remove(party).filter(|v| !v.is_null());
        let npc = row.remove(&format!("{party}_npc")).filter(|v| !v.is_null());
        let is_npc = player.is_none();
        if let Some(name_text) = player.or(npc) {
            line.insert(name.into(), name_text);
            line.insert(format!("{party}_is_npc"), is_npc.into());
        }
    }
    if let Some(Value::Array(mut witnesses)) = row.remove("witnesses")
        && !witnesses.is_empty()
    {
        for witness in witnesses.iter_mut().filter_map(Value::as_object_mut) {
            witness.retain(|_, value| !value.is_null());
        }
        witnesses.sort_by_key(Value::to_string);
        line.insert("witnesses".into(), witnesses.into());
    }
    line.extend(row.into_iter().filter(|(_, value)| !value.is_null()));
    line
}

/// Another reader that reported the event.
#[derive(Debug, Deserialize)]
pub struct Witness {
    pub reader: String,
    pub identity: String,
    pub event_time: i64,
    pub received_at: Option<i64>,
    pub differs: Option<String>,
    pub report: Option<String>,
    pub is_void: Option<i64>,
    /// The code of a [`Provenance`](crate::domain::trust::Provenance).
    #[serde(default)]
    pub provenance: i16,
    /// The reader's id of the log.
    pub log: Option<String>,
}

/// Fields of a stored event that a reader does not send.
#[derive(Debug, Deserialize)]
pub struct StoredFields {
    pub identity: Option<String>,
    pub fight: Option<i64>,
    pub reader: Option<String>,
    #[serde(default, deserialize_with = "grade")]
    pub grade: Option<Grade>,
    pub received_at: Option<i64>,
    /// Bits of [`Reasons`](crate::domain::trust::Reasons).
    #[serde(default)]
    pub reasons: i32,
    /// Bits of [`CountedSides`](crate::domain::trust::CountedSides).
    pub counts: Option<i16>,
    /// The code of a [`Provenance`](crate::domain::trust::Provenance).
    #[serde(default)]
    pub provenance: i16,
    /// The reader's id of the log.
    pub log: Option<String>,
    #[serde(default)]
    pub witnesses: Vec<Witness>,
}

fn grade<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Grade>, D::Error> {
    let name = String::deserialize(deserializer)?;
    let names = || Grade::ALL.map(Grade::as_str).join(", ");
    let unknown = || serde::de::Error::custom(format!("invalid grade '{name}': expected one of {}", names()));
    Grade::parse(&name).map(Some).ok_or_else(unknown)
}

/// An event of a file: as a reader sends it, or as another database stored it.
#[derive(Debug)]
pub enum ParsedEvent {
    New(ValidEvent),
    Stored(ValidEvent, StoredFields),
}

/// Parses the fields of a line. The error is a sentence for the operator.
pub fn parse(mut line: Map<String, Value>, now: EpochMillis) -> Result<ParsedEvent, String> {
    line.retain(|_, value| !value.is_null());
    for (name, value) in &mut line {
        let Value::String(text) = &*value else { continue };
        // CSV fields are text.
        let typed = match name.as_str() {
            "event_time" | "fight" | "received_at" | "reasons" | "counts" | "provenance" => {
                text.trim().parse::<i64>().ok().map(Value::from)
            }
            "killer_is_npc" | "victim_is_npc" | "player_is_npc" => match text.as_str() {
                "true" | "1" => Some(true.into()),
                "false" | "0" => Some(false.into()),
                _ => return Err(format!("invalid {name}: expected true or false")),
            },
            "witnesses" => serde_json::from_str(text).ok(),
            _ => None,
        };
        if let Some(typed) = typed {
            *value = typed;
        }
    }
    let line = Value::Object(line);
    let stored = StoredFields::deserialize(&line).map_err(|e| e.to_string())?;
    let event = Event::deserialize(&line).map_err(|e| e.to_string())?;
    let Some(identity_text) = &stored.identity else {
        return Ok(ParsedEvent::New(validate(event, now).map_err(|e| e.to_string())?));
    };
    let mut event = validate_stored(event, now).map_err(|e| e.to_string())?;
    event.identity = identity(identity_text).ok_or("invalid identity: expected 32 hexadecimal digits")?;
    event.fight = stored.fight;
    if stored.witnesses.iter().any(|w| identity(&w.identity).is_none()) {
        return Err("invalid identity of a witness: expected 32 hexadecimal digits".into());
    }
    Ok(ParsedEvent::Stored(event, stored))
}

/// Parses 32 hexadecimal digits.
pub fn identity(text: &str) -> Option<Identity> {
    let mut identity = Identity::default();
    if text.len() != 32 || !text.is_ascii() {
        return None;
    }
    for (i, byte) in identity.0.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(identity)
}

//! Events as lines: the fields of an ingest request, and the stored fields of exported events.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::domain::events::{Event, Identifier, Identity, ValidEvent, mode_from_code, validate, validate_stored};
use crate::domain::times::EpochMillis;

/// Fields of a line, in order. Only exports contain the last seven.
pub const COLUMNS: [&str; 26] = [
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
    "received_at",
    "reported_sides",
    "state",
    "log",
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
    for (party, name) in [("killer", "killer"), ("victim", "victim"), ("player", "player_name")] {
        let player = row.remove(party).filter(|v| !v.is_null());
        let npc = row.remove(&format!("{party}_npc")).filter(|v| !v.is_null());
        let is_npc = player.is_none();
        if let Some(name_text) = player.or(npc) {
            line.insert(name.into(), name_text);
            line.insert(format!("{party}_is_npc"), is_npc.into());
        }
    }
    line.extend(row.into_iter().filter(|(_, value)| !value.is_null()));
    line
}

/// Fields of a stored event that a reader does not send.
#[derive(Debug, Deserialize)]
pub struct StoredFields {
    pub identity: Option<String>,
    pub fight: Option<i64>,
    pub reader: Option<String>,
    pub received_at: Option<i64>,
    /// Bits of [`Sides`](crate::domain::trust::Sides); all if the file does not say.
    pub reported_sides: Option<i16>,
    /// The code of a [`ReportState`](crate::domain::trust::ReportState).
    #[serde(default)]
    pub state: i16,
    /// The reader's id of the log.
    pub log: Option<String>,
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
            "event_time" | "fight" | "received_at" | "reported_sides" | "state" => {
                text.trim().parse::<i64>().ok().map(Value::from)
            }
            "killer_is_npc" | "victim_is_npc" | "player_is_npc" => match text.as_str() {
                "true" | "1" => Some(true.into()),
                "false" | "0" => Some(false.into()),
                _ => return Err(format!("invalid {name}: expected true or false")),
            },
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
    Ok(ParsedEvent::Stored(event, stored))
}

/// Parses 32 hexadecimal digits.
fn identity(text: &str) -> Option<Identity> {
    let mut identity = Identity::default();
    if text.len() != 32 || !text.is_ascii() {
        return None;
    }
    for (i, byte) in identity.0.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()?;
    }
    Some(identity)
}

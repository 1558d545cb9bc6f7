//! Events as lines: the fields of an ingest request, and the stored fields of exported events.

use std::collections::HashMap;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::domain::events::{Event, Identity, ValidEvent, validate, validate_stored};
use crate::domain::hex;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{ReportState, Sides};
use crate::features::ingest::{self, StoredReport};
use crate::store::conn::AnyConn;
use crate::store::ingest::EventRow;
use crate::store::transfer;

use super::TransferError;

/// Leaves room for new events, and is exact in JSON.
const MAX_ID: i64 = 1 << 52;

/// Fields of a stored event that a reader does not send.
#[derive(Debug, Serialize, Deserialize)]
pub struct StoredFields {
    /// The number of the event; absent in files that an operator writes.
    pub id: Option<i64>,
    /// 32 hexadecimal digits; absent in files that an operator writes.
    pub identity: Option<String>,
    pub fight: Option<i64>,
    pub reader: Option<String>,
    pub received_at: Option<i64>,
    /// Bits of [`Sides`]; all if the file does not say.
    pub reported_sides: Option<i16>,
    /// The code of a [`ReportState`](crate::domain::trust::ReportState); 0 if the file does not say.
    pub state: Option<i16>,
    /// The reader's id of the log.
    pub log: Option<String>,
}

#[derive(Serialize)]
struct ExportedEvent {
    #[serde(flatten)]
    event: Event,
    #[serde(flatten)]
    stored: StoredFields,
}

/// Names of the fields of a line, in order.
pub fn columns() -> Vec<&'static str> {
    // The id of a player's game entity is a column of the player.
    let event = field_names::<Event>().iter().filter(|name| **name != "player_geid");
    event.chain(field_names::<StoredFields>()).copied().collect()
}

/// The names of a struct's fields in JSON.
fn field_names<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    struct Names<'a>(&'a mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Names<'_> {
        type Error = serde::de::value::Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
            Err(serde::de::Error::custom("not a struct"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, Self::Error> {
            *self.0 = fields;
            self.deserialize_any(visitor)
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    let mut names: &[&str] = &[];
    // The value is not wanted, so there is none.
    let _ = T::deserialize(Names(&mut names));
    names
}

/// The lines of stored reports.
///
/// # Errors
/// If a report has a code that this version does not know: a newer one has stored it.
pub fn to_lines(conn: &mut AnyConn, rows: &[EventRow]) -> Result<Vec<Map<String, Value>>, TransferError> {
    let events = ingest::events_of(conn, rows)?;
    let keys = transfer::key_hashes(conn, &rows.iter().filter_map(|row| row.ingest_key_id).collect())?;
    let logs = transfer::log_names(conn, &rows.iter().filter_map(|row| row.log_id).collect())?;
    let name = |names: &HashMap<i64, String>, id: Option<i64>| names.get(&id?).cloned();
    let lines = rows.iter().zip(events).map(|(row, event)| {
        let event = event.ok_or_else(|| {
            let id = row.id;
            TransferError::unwritable(format!(
                "a newer version of Apogee has stored report {id}: export with that version"
            ))
        })?;
        let stored = StoredFields {
            id: Some(row.id),
            identity: Some(hex::encode(&row.identity)),
            fight: row.fight,
            reader: name(&keys, row.ingest_key_id),
            received_at: row.received_at,
            reported_sides: Some(row.reported_sides).filter(|sides| *sides != Sides::ALL.bits()),
            state: Some(row.state).filter(|state| *state != ReportState::COUNTED.code()),
            log: name(&logs, row.log_id),
        };
        let line = serde_json::to_value(ExportedEvent { event: event.into(), stored });
        let mut line: Map<String, Value> = line.and_then(serde_json::from_value).map_err(TransferError::unwritable)?;
        line.retain(|_, value| !value.is_null());
        Ok(line)
    });
    lines.collect()
}

/// An event of a file: as a reader sends it, or as another database stored it.
#[derive(Debug)]
pub enum ParsedEvent {
    New(ValidEvent),
    Stored(StoredReport),
}

/// Parses the fields of a line. The error is a sentence for the operator.
pub fn parse(mut line: Map<String, Value>, now: EpochMillis) -> Result<ParsedEvent, String> {
    line.retain(|_, value| !value.is_null());
    for (name, value) in &mut line {
        let Value::String(text) = &*value else { continue };
        // CSV fields are text.
        let typed = match name.as_str() {
            "event_time" | "seconds" | "amount" | "id" | "fight" | "received_at" | "reported_sides" | "state" => {
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
    if stored.id.is_some_and(|id| !(1..=MAX_ID).contains(&id)) {
        return Err(format!("invalid id: expected 1 to {MAX_ID}"));
    }
    let mut event = validate_stored(event, now).map_err(|e| e.to_string())?;
    let identity = hex::decode(identity_text).filter(|bytes| bytes.len() == 16);
    event.identity = identity
        .and_then(|bytes| Identity::from_bytes(&bytes))
        .ok_or("invalid identity: expected 32 hexadecimal digits")?;
    event.fight = stored.fight;
    Ok(ParsedEvent::Stored(StoredReport {
        event,
        id: stored.id,
        reader: stored.reader,
        received_at: stored.received_at,
        reported: stored.reported_sides.map_or(Sides::ALL, Sides::from_bits),
        state: ReportState::from_code(stored.state.unwrap_or(0)),
        log: stored.log,
    }))
}

//! Converts a line of a file to a table row: parses fields, normalizes names and fills in defaults.

use serde_json::{Map, Value};

use crate::domain::names::{GuildTag, fold_imported};
use crate::store::transfer::{Column, ColumnType, Table};

/// Tag that means no guild, as in exports of other sites.
const NO_GUILD: &str = "NONE";
/// Limit of names and texts of players and guilds.
const MAX_NAME_CHARS: usize = 200;
/// Columns that contain the URL of an image.
const IMAGE_COLUMNS: [&str; 3] = ["profile_image", "banner_image", "guild_image"];

/// A row that is ready to be written.
#[derive(Debug)]
pub struct Row {
    /// Conflict key: equal for lines about the same entry.
    pub key: String,
    pub fields: Map<String, Value>,
    /// The fields that are written only for a new row.
    pub defaulted: Vec<&'static str>,
}

impl Row {
    /// The value of a text field.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.fields.get(name).and_then(Value::as_str)
    }
}

/// Parses the fields of a line. The error is a sentence for the operator.
pub fn parse_row(table: &Table, mut line: Map<String, Value>, now_ms: i64) -> Result<Row, String> {
    let mut fields = Map::new();
    for column in table.columns.iter().filter(|c| c.column_type != ColumnType::Folded) {
        let Some(value) = line.remove(column.name) else { continue };
        let value = parse_value(column, value)?;
        // An empty value of a required column counts as missing.
        if column.is_nullable || !value.is_null() {
            fields.insert(column.name.to_owned(), value);
        }
    }
    let mut defaulted = normalize_names(table, &mut fields)?;
    for (name, default) in defaults(table.kind, now_ms) {
        if !fields.contains_key(name) {
            defaulted.push(name);
            fields.insert(name.to_owned(), default);
        }
    }
    for column in table.columns {
        let has_default = matches!(column.name, "views" | "is_hidden" | "shares_pay" | "shares_places");
        if !column.is_nullable && !has_default && !fields.contains_key(column.name) {
            return Err(format!("{} is missing", column.name));
        }
    }
    let keys = table.columns.iter().filter(|column| table.is_key(column));
    let key: Vec<String> = keys.filter_map(|column| fields.get(column.name)).map(Value::to_string).collect();
    // Case-insensitive, so that two lines that may be about the same entry never share a statement.
    Ok(Row { key: key.join(" ").to_lowercase(), fields, defaulted })
}

fn defaults(kind: &str, now_ms: i64) -> Vec<(&'static str, Value)> {
    match kind {
        "guild" | "player" => vec![("created_at", now_ms.into())],
        "commit" => vec![("message", "".into()), ("branch", "main".into()), ("repository", "".into())],
        _ => Vec::new(),
    }
}

/// Validates handles and tags, and derives folded columns. Returns the fields that are written only for a new row.
fn normalize_names(table: &Table, fields: &mut Map<String, Value>) -> Result<Vec<&'static str>, String> {
    let text = |fields: &Map<String, Value>, name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let mut defaulted = Vec::new();
    match table.kind {
        "guild" => {
            let Some(tag) = text(fields, "org_short") else { return Ok(defaulted) };
            let tag = parse_tag(&tag)?;
            fields.insert("org_short".into(), tag.clone().into());
            let name = text(fields, "org_name").unwrap_or_else(|| {
                defaulted.extend(["name_folded", "org_name"]);
                tag
            });
            check_text("org_name", &name)?;
            fields.insert("name_folded".into(), name.to_lowercase().into());
            fields.insert("org_name".into(), name.into());
        }
        "player" | "former_handle" | "log" => {
            if table.kind == "player" {
                // A file of the operator lists its names.
                fields.entry("is_listed").or_insert(true.into());
            }
            let Some(handle) = text(fields, "handle") else { return Ok(defaulted) };
            fields.insert("handle_folded".into(), folded_handle("handle", &handle)?.into());
            if table.kind == "player" {
                let name = text(fields, "player_name").unwrap_or_else(|| {
                    defaulted.push("player_name");
                    handle
                });
                check_text("player_name", &name)?;
                fields.insert("player_name".into(), name.into());
            }
        }
        _ => {}
    }
    for column in table.columns {
        let Some(name) = text(fields, column.name) else { continue };
        if IMAGE_COLUMNS.contains(&column.name) {
            check_image_path(column.name, &name)?;
        }
        match column.column_type {
            ColumnType::Guild => {
                fields.insert(column.name.to_owned(), parse_tag(&name)?.into());
            }
            ColumnType::GuildName => check_text(column.name, &name)?,
            ColumnType::Player => {
                folded_handle(column.name, &name)?;
            }
            _ => {}
        }
    }
    Ok(defaulted)
}

fn parse_tag(text: &str) -> Result<String, String> {
    if text.trim().eq_ignore_ascii_case(NO_GUILD) {
        return Err(format!("org_short '{NO_GUILD}' means no guild and cannot be imported as one"));
    }
    GuildTag::parse(text.trim()).map(String::from).map_err(|e| format!("org_short '{}': {e}", excerpt(text)))
}

fn folded_handle(field: &str, text: &str) -> Result<String, String> {
    fold_imported(text)
        .ok_or_else(|| format!("invalid {field} '{}': expected letters, digits, '-' or '_'", excerpt(text)))
}

fn check_text(field: &str, text: &str) -> Result<(), String> {
    if text.chars().nth(MAX_NAME_CHARS).is_some() {
        return Err(format!("{field} is longer than {MAX_NAME_CHARS} characters"));
    }
    if text.chars().any(char::is_control) {
        return Err(format!("{field} has control characters"));
    }
    Ok(())
}

/// Rejects images of other sites, which the content security policy of the pages blocks.
fn check_image_path(field: &str, text: &str) -> Result<(), String> {
    let lower = text.trim().to_ascii_lowercase();
    if ["http://", "https://", "//"].iter().any(|start| lower.starts_with(start)) {
        let shown = excerpt(text);
        return Err(format!(
            "{field} '{shown}' is on another site: expected a path of this site, such as /uploads/…, or nothing"
        ));
    }
    Ok(())
}

fn excerpt(text: &str) -> String {
    text.chars().take(60).collect()
}

fn parse_value(column: &Column, value: Value) -> Result<Value, String> {
    let expected = |expected: &str| Err(format!("invalid {}: expected {expected}", column.name));
    match (column.column_type, value) {
        (_, Value::Null) => Ok(Value::Null),
        (ColumnType::Int | ColumnType::Ordinal, Value::Number(n)) if n.is_i64() => Ok(Value::Number(n)),
        (ColumnType::Int | ColumnType::Ordinal, Value::String(text)) => match text.trim().parse::<i64>() {
            Ok(n) => Ok(n.into()),
            Err(_) => expected("a whole number"),
        },
        (ColumnType::Int | ColumnType::Ordinal, _) => expected("a whole number"),
        (ColumnType::Bool, Value::Bool(b)) => Ok(b.into()),
        (ColumnType::Bool, Value::String(text)) => match text.as_str() {
            "true" | "1" => Ok(true.into()),
            "false" | "0" => Ok(false.into()),
            _ => expected("true or false"),
        },
        (ColumnType::Bool, _) => expected("true or false"),
        (_, Value::String(text)) if text.contains('\0') => expected("text without NUL characters"),
        // An empty reference means none.
        (
            ColumnType::Guild | ColumnType::GuildName | ColumnType::Player | ColumnType::User | ColumnType::Key,
            Value::String(text),
        ) if text.is_empty() => Ok(Value::Null),
        (ColumnType::Guild, Value::String(text)) if text.trim().eq_ignore_ascii_case(NO_GUILD) => Ok(Value::Null),
        (_, Value::String(text)) => Ok(text.into()),
        (_, Value::Number(n)) => Ok(n.to_string().into()),
        (_, _) => expected("text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::transfer::PLAYERS;

    fn player(json: &str) -> Result<Row, String> {
        parse_row(&PLAYERS, serde_json::from_str(json).unwrap(), 5)
    }

    #[test]
    fn missing_fields_are_not_provided() {
        let row = player(r#"{"handle":"Test_Pilot","org_short":"abc"}"#).unwrap();
        let is_provided = |name: &&str| row.fields.contains_key(*name) && !row.defaulted.contains(name);
        let provided: Vec<&str> = PLAYERS.columns.iter().map(|column| column.name).filter(is_provided).collect();
        assert_eq!(provided, ["handle", "handle_folded", "org_short", "is_listed"]);
        assert_eq!(row.fields["org_short"], "ABC");
        assert_eq!(row.fields["player_name"], "Test_Pilot");
        assert_eq!(row.key, "\"test_pilot\"");
    }

    #[test]
    fn invalid_fields_are_named() {
        assert_eq!(player("{}").unwrap_err(), "handle is missing");
        assert!(player(r#"{"handle":"no handle"}"#).unwrap_err().contains("handle 'no handle'"));
        assert!(player(r#"{"handle":"Abc","org_short":"?"}"#).unwrap_err().contains("org_short '?'"));
        assert!(player(r#"{"handle":"Abc","views":"many"}"#).unwrap_err().contains("views"));
    }

    #[test]
    fn the_tag_none_means_no_guild() {
        for tag in ["NONE", "none", " None "] {
            let row = player(&format!(r#"{{"handle":"Test_Pilot","org_short":"{tag}","org_name":"No Organization"}}"#))
                .unwrap();
            assert_eq!(row.fields["org_short"], Value::Null, "{tag}");
        }
    }
}

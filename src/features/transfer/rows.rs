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
    /// Columns that the line contains.
    pub provided: Vec<usize>,
    /// Columns that are written only for a new row.
    pub defaulted: Vec<usize>,
    pub fields: Map<String, Value>,
}

/// Parses the fields of a line. The error is a sentence for the operator.
pub fn parse_row(table: &Table, mut line: Map<String, Value>, now_ms: i64) -> Result<Row, String> {
    let mut fields = Map::new();
    let mut provided = Vec::new();
    for (place, column) in table.columns.iter().enumerate().filter(|(_, c)| c.column_type != ColumnType::Folded) {
        let Some(value) = line.remove(column.name) else { continue };
        match parse_value(column, value)? {
            // An empty value of a required column counts as missing.
            Value::Null if !column.is_nullable => {}
            value => {
                provided.push(place);
                fields.insert(column.name.to_owned(), value);
            }
        }
    }
    let mut defaulted = Vec::new();
    normalize_names(table, &mut fields, &mut provided, &mut defaulted)?;
    for (name, default) in defaults(table.kind, now_ms) {
        if let Some(place) =
            table.position(name).filter(|place| !provided.contains(place) && !defaulted.contains(place))
        {
            defaulted.push(place);
            fields.insert(name.to_owned(), default);
        }
    }
    for (place, column) in table.columns.iter().enumerate() {
        let has_default = matches!(column.name, "views" | "is_hidden" | "shares_pay" | "shares_places");
        if !column.is_nullable && !has_default && !provided.contains(&place) && !defaulted.contains(&place) {
            return Err(format!("{} is missing", column.name));
        }
    }
    provided.sort_unstable();
    let key = table.key_positions().filter_map(|place| fields.get(table.columns[place].name)).map(Value::to_string);
    // Case-insensitive, so that two lines that may be about the same entry never share a statement.
    Ok(Row { key: key.collect::<Vec<_>>().join(" ").to_lowercase(), provided, defaulted, fields })
}

fn defaults(kind: &str, now_ms: i64) -> Vec<(&'static str, Value)> {
    match kind {
        "guild" | "player" => vec![("created_at", now_ms.into())],
        "commit" => vec![("message", "".into()), ("branch", "main".into()), ("repository", "".into())],
        _ => Vec::new(),
    }
}

/// Validates handles and tags, and derives folded columns.
fn normalize_names(
    table: &Table,
    fields: &mut Map<String, Value>,
    provided: &mut Vec<usize>,
    defaulted: &mut Vec<usize>,
) -> Result<(), String> {
    let text = |fields: &Map<String, Value>, name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    let add = |fields: &mut Map<String, Value>, places: &mut Vec<usize>, name: &str, value: String| {
        places.extend(table.position(name));
        fields.insert(name.to_owned(), value.into());
    };
    match table.kind {
        "guild" => {
            let Some(tag) = text(fields, "org_short") else { return Ok(()) };
            let tag = parse_tag(&tag)?;
            fields.insert("org_short".into(), tag.clone().into());
            if let Some(name) = text(fields, "org_name") {
                check_text("org_name", &name)?;
                add(fields, provided, "name_folded", name.to_lowercase());
            } else {
                add(fields, defaulted, "name_folded", tag.to_lowercase());
                add(fields, defaulted, "org_name", tag);
            }
        }
        "player" | "former_handle" | "log" => {
            if table.kind == "player" && !fields.contains_key("is_listed") {
                // A file of the operator lists its names.
                provided.extend(table.position("is_listed"));
                fields.insert("is_listed".into(), true.into());
            }
            let Some(handle) = text(fields, "handle") else { return Ok(()) };
            let folded_handle = folded_handle("handle", &handle)?;
            add(fields, provided, "handle_folded", folded_handle);
            if table.kind == "player" {
                match text(fields, "player_name") {
                    Some(name) => check_text("player_name", &name)?,
                    None => add(fields, defaulted, "player_name", handle),
                }
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
    Ok(())
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
        let provided: Vec<&str> = row.provided.iter().map(|place| PLAYERS.columns[*place].name).collect();
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

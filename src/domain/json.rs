//! Parses JSON objects with error messages for people: they name the field and the accepted values, never a Rust type.

use serde::Serializer;
use serde::de::Deserialize;
use serde_json::error::Category;

/// Values in error messages are truncated to this length.
const MAX_VALUE_CHARS: usize = 40;

/// Why a text is not the expected JSON object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonError(String);

/// Parses a JSON object. `whole` names the document in error messages, for example `The body`.
pub fn read<'de, T: Deserialize<'de>>(text: &'de [u8], whole: &str) -> Result<T, JsonError> {
    // serde would read a list as the fields of a struct in order.
    let first = text.trim_ascii_start().first();
    if let Some(given) = first.and_then(|byte| not_an_object(*byte)) {
        return Err(JsonError(format!("{whole} must be a JSON object, not {given}")));
    }
    serde_json::from_slice(text).map_err(|error| {
        // Parse again to find the path of the field, which costs more than the first pass.
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let failed = serde_path_to_error::deserialize::<_, T>(&mut deserializer).err();
        let path = failed.map_or_else(|| ".".to_owned(), |failed| failed.path().to_string());
        JsonError(sentence(&error, &path, whole))
    })
}

/// Serializes epoch milliseconds as epoch seconds.
pub fn as_secs<S: Serializer>(ms: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_i64(ms.div_euclid(1_000))
}

/// Describes a text that is valid JSON but not an object, by its first byte.
fn not_an_object(first: u8) -> Option<&'static str> {
    match first {
        b'[' => Some("a list"),
        b'"' => Some("text"),
        b'-' | b'0'..=b'9' => Some("a number"),
        _ => None,
    }
}

fn sentence(error: &serde_json::Error, path: &str, whole: &str) -> String {
    match error.classify() {
        Category::Data => {}
        Category::Eof => return format!("{whole} is not valid JSON: it ends too early"),
        Category::Syntax | Category::Io => {
            return format!("{whole} is not valid JSON (line {}, column {})", error.line(), error.column());
        }
    }
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    let field = if path == "." || path == "?" { whole } else { path };
    if let Some(name) = quoted_after(text, "missing field `") {
        return if field == whole { format!("{name} is missing") } else { format!("{field}.{name} is missing") };
    }
    if let Some(name) = quoted_after(text, "duplicate field `") {
        return format!("duplicate field {name}");
    }
    if let Some((_, expected)) = text.split_once(", expected ") {
        if text.starts_with("unknown variant") || text.starts_with("unknown field") {
            let words: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
            return format!("invalid {field}: expected one of {}", words.join(", "));
        }
        let given = text.strip_prefix("invalid type: ").or_else(|| text.strip_prefix("invalid value: "));
        if let Some((given, expected)) = given.and_then(|rest| rest.rsplit_once(", expected ")) {
            let (expected, found) = (described(expected), given_value(given));
            return if field == whole {
                format!("{whole} must be {expected}, not {found}")
            } else {
                format!("invalid {field}: expected {expected}, found {found}")
            };
        }
        if text.starts_with("invalid length") {
            return format!("invalid {field}: expected {}", described(expected));
        }
    }
    // The message may already name its field.
    let last = field.rsplit('.').next().unwrap_or(field);
    if text.contains(last.split('[').next().unwrap_or(last)) { text.to_owned() } else { format!("{field}: {text}") }
}

fn quoted_after<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    text.strip_prefix(start)?.split('`').next()
}

/// Translates serde's names of types to words for people.
fn described(expected: &str) -> String {
    let words = match expected {
        "a string" | "a borrowed string" | "a character" | "string" | "str" => "text",
        "a boolean" | "bool" => "true or false",
        "a sequence" | "an array" => "a list",
        "a map" | "unit" => "an object",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number from 0",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        _ if expected.starts_with("struct ") || expected.starts_with("any valid JSON") => "an object",
        _ if expected.starts_with("a tuple") || expected.starts_with("tuple") => "a list",
        _ if expected.starts_with("enum ") || expected.contains("variant") => "one of its words",
        other => other,
    };
    words.to_owned()
}

/// Describes the given value in the spelling of the caller, truncated if it is long.
fn given_value(given: &str) -> String {
    let value = given.split_once('`').and_then(|(_, rest)| rest.strip_suffix('`'));
    match (given, value) {
        ("sequence", _) => "a list".into(),
        ("map", _) => "an object".into(),
        ("null" | "unit value" | "Option value", _) => "null".into(),
        (_, Some(value)) if given.starts_with("boolean") => value.into(),
        (_, Some(value)) => format!("the number {value}"),
        _ => match given.strip_prefix("string ") {
            Some(text) if text.chars().count() > MAX_VALUE_CHARS => {
                format!("the text {}…\"", text.chars().take(MAX_VALUE_CHARS).collect::<String>())
            }
            Some(text) => format!("the text {text}"),
            None => "another value".into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use gamelog::text_or_number::TextOrNumber;

    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[allow(dead_code)]
    struct Order {
        name: String,
        #[serde(default)]
        count: u32,
        #[serde(default)]
        delta: i64,
        #[serde(default)]
        is_open: bool,
        #[serde(default)]
        ids: Vec<TextOrNumber>,
        kind: Option<Kind>,
        parts: Option<Vec<Part>>,
    }

    #[derive(Debug, serde::Deserialize)]
    enum Kind {
        Small,
        Large,
    }

    #[derive(Debug, serde::Deserialize)]
    #[allow(dead_code)]
    struct Part {
        weight: f64,
    }

    #[test]
    fn an_error_names_the_field_and_its_accepted_values() {
        for (text, sentence) in [
            ("{}", "name is missing"),
            (r#"{"name": 5}"#, "invalid name: expected text, found the number 5"),
            (r#"{"name": null}"#, "invalid name: expected text, found null"),
            (r#"{"name": {}}"#, "invalid name: expected text, found an object"),
            (r#"{"name": "a", "name": "b"}"#, "duplicate field name"),
            (r#"{"name": "a", "count": -1}"#, "invalid count: expected a whole number from 0, found the number -1"),
            (r#"{"name": "a", "delta": 1.5}"#, "invalid delta: expected a whole number, found the number 1.5"),
            (r#"{"name": "a", "is_open": "yes"}"#, "invalid is_open: expected true or false, found the text \"yes\""),
            (r#"{"name": "a", "ids": 7}"#, "invalid ids: expected a list, found the number 7"),
            (r#"{"name": "a", "ids": ["b", null]}"#, "invalid ids[1]: expected text or a whole number, found null"),
            (r#"{"name": "a", "ids": [-1]}"#, "invalid ids[0]: expected text or a whole number, found the number -1"),
            (r#"{"name": "a", "kind": "huge"}"#, "invalid kind: expected one of Small, Large"),
            (r#"{"name": "a", "parts": [{"weight": 1}, {}]}"#, "parts[1].weight is missing"),
            (r#"{"name": "a", "parts": [{"weight": true}]}"#, "invalid parts[0].weight: expected a number, found true"),
            (r#"{"name": "a", "parts": [7]}"#, "invalid parts[0]: expected an object, found the number 7"),
            ("[]", "The body must be a JSON object, not a list"),
            (" 5", "The body must be a JSON object, not a number"),
            ("\"x\"", "The body must be a JSON object, not text"),
            ("null", "The body must be an object, not null"),
            ("{\"name\"", "The body is not valid JSON: it ends too early"),
            ("", "The body is not valid JSON: it ends too early"),
            ("hello", "The body is not valid JSON (line 1, column 1)"),
            ("{\"name\": \"a\"}}", "The body is not valid JSON (line 1, column 14)"),
        ] {
            let error = read::<Order>(text.as_bytes(), "The body").unwrap_err();
            assert_eq!(error.to_string(), sentence, "{text}");
        }
    }

    #[test]
    fn a_long_value_is_cut() {
        let error = read::<Order>(format!("{{\"name\":\"a\",\"count\":\"{}\"}}", "é".repeat(500)).as_bytes(), "It");
        let sentence = error.unwrap_err().to_string();
        assert!(
            sentence.starts_with("invalid count: expected a whole number from 0, found the text \"éé"),
            "{sentence}"
        );
        assert!(sentence.chars().count() < 120, "{sentence}");
    }
}

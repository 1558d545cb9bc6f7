//! Lines of the log: JSON in the canonical form of RFC 8785, without empty fields.

use std::collections::BTreeMap;

use serde_json::Value;

/// The version of the fields. A line keeps its version; a new field needs a new one.
const VERSION: i64 = 1;

/// Builds a line. Fields are sorted by name; numbers are whole and below 2^53.
#[derive(Debug, Clone)]
pub struct Line(BTreeMap<&'static str, Value>);

impl Line {
    /// A line about a row of this type.
    pub fn new(kind: &'static str, id: i64) -> Self {
        Self(BTreeMap::from([("v", VERSION.into()), ("type", kind.into()), ("id", id.into())]))
    }

    #[must_use]
    pub fn number(self, name: &'static str, value: impl Into<Option<i64>>) -> Self {
        self.field(name, value.into().map(Value::from))
    }

    #[must_use]
    pub fn text(self, name: &'static str, value: Option<&str>) -> Self {
        self.field(name, value.map(Value::from))
    }

    #[must_use]
    pub fn numbers(self, name: &'static str, values: Option<Vec<i64>>) -> Self {
        self.field(name, values.map(Value::from))
    }

    fn field(mut self, name: &'static str, value: Option<Value>) -> Self {
        self.0.extend(value.map(|value| (name, value)));
        self
    }

    pub fn finish(self) -> String {
        let fields: Vec<String> = self.0.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", fields.join(","))
    }
}

/// The players that a line names, in lower case; `None` if it cannot be read.
pub fn names(line: &str) -> Option<Vec<String>> {
    let fields: Value = serde_json::from_str(line).ok()?;
    let fields = fields.as_object()?;
    let name = |field: &str| fields.get(field).and_then(Value::as_str).map(ToOwned::to_owned);
    Some(["killer", "victim", "player"].into_iter().filter_map(name).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_canonical_and_name_their_players() {
        let line = Line::new("event", 7)
            .text("victim", Some("ann-1"))
            .text("killer", None)
            .text("text", Some("\"\n\u{1}é/"))
            .number("event_time", -5)
            .number("patch", None)
            .numbers("events", Some(vec![3, 1]));
        let line = line.finish();
        assert_eq!(
            line,
            "{\"event_time\":-5,\"events\":[3,1],\"id\":7,\"text\":\"\\\"\\n\\u0001é/\",\"type\":\"event\",\"v\":1,\"victim\":\"ann-1\"}"
        );
        assert_eq!(names(&line), Some(vec!["ann-1".to_owned()]));
        assert_eq!(names("no line"), None);
    }
}

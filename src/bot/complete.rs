//! Names while somebody types them.

use serde_json::{Value, json};

use super::interaction::Interaction;
use crate::app::App;
use crate::features::search;
use crate::search::Kind;

/// Discord shows at most 25.
const CHOICES: usize = 20;

pub fn choices(app: &App, call: &Interaction) -> Value {
    let found = call.typed().map(|(option, text)| {
        let kind = if matches!(option, "tag" | "guild") { Kind::Guild } else { Kind::Player };
        // A list that cannot be made is an empty one: the caller can still type the name.
        search::suggest(app, kind, text, CHOICES).unwrap_or_default()
    });
    let choices: Vec<Value> = found
        .unwrap_or_default()
        .into_iter()
        .filter_map(|hit| {
            let value = hit.handle.or(hit.short)?;
            let name = match (&hit.name, &hit.org_short) {
                (Some(name), _) if *name != value => format!("{value} – {name}"),
                (_, Some(tag)) if *tag != value => format!("{value} [{tag}]"),
                _ => value.clone(),
            };
            Some(json!({ "name": name.chars().take(100).collect::<String>(), "value": value }))
        })
        .collect();
    json!({ "type": 8, "data": { "choices": choices } })
}

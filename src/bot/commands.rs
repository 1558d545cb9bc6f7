//! The slash commands as they are registered with Discord.

use serde_json::{Value, json};

use super::top::title;
use crate::domain::scores::Metric;

/// Name and description of each.
pub const LIST: [(&str, &str); 7] = [
    ("player", "The figures of a player"),
    ("guild", "The figures of a guild"),
    ("top", "The best players"),
    ("compare", "Two players side by side"),
    ("statsfeed", "Turn this channel into a feed of events"),
    ("link", "Link your account"),
    ("help", "What this bot can do"),
];

const SUBCOMMAND: u8 = 1;
const TEXT: u8 = 3;
const YES_NO: u8 = 5;
const MANAGE_SERVER: &str = "32";

/// The description of all commands.
pub fn registration() -> Value {
    LIST.iter().map(|(name, description)| command(name, description)).collect()
}

fn command(name: &str, description: &str) -> Value {
    let private = json!({ "type": YES_NO, "name": "private", "description": "Only you see the answer" });
    let named = |name: &str, what: &str| json!({ "type": TEXT, "name": name, "description": what, "required": true, "autocomplete": true });
    let options = match name {
        "player" => json!([named("handle", "Handle of the player"), private]),
        "guild" => json!([named("tag", "Tag of the guild"), private]),
        "compare" => {
            json!([named("first", "Handle of a player"), named("second", "Handle of another player"), private])
        }
        "top" => json!([
            { "type": TEXT, "name": "by", "description": "Figure", "choices": figures() },
            { "type": TEXT, "name": "window", "description": "Over what time", "choices": windows() },
            private,
        ]),
        "statsfeed" => statsfeed(),
        _ => json!([private]),
    };
    let mut command = json!({ "name": name, "description": description, "options": options });
    if name == "statsfeed" {
        command["default_member_permissions"] = MANAGE_SERVER.into();
        command["contexts"] = json!([0]);
    }
    command
}

fn figures() -> Vec<Value> {
    Metric::ALL.into_iter().map(|metric| json!({ "name": title(metric), "value": metric.as_str() })).collect()
}

fn windows() -> Vec<Value> {
    [("All time", "all"), ("24 hours", "24h"), ("7 days", "7d"), ("30 days", "30d"), ("This patch", "patch")]
        .into_iter()
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect()
}

fn statsfeed() -> Value {
    let kinds: Vec<Value> = ["general-statsfeed", "arena-commander", "pu-npc-missions"]
        .into_iter()
        .map(|kind| json!({ "name": kind, "value": kind }))
        .collect();
    json!([
        { "type": SUBCOMMAND, "name": "set", "description": "Post events to this channel", "options": [
            { "type": TEXT, "name": "kind", "description": "Which events", "required": true, "choices": kinds },
            { "type": TEXT, "name": "guild", "description": "Only of this guild", "autocomplete": true },
            { "type": TEXT, "name": "player", "description": "Only of this player", "autocomplete": true },
        ] },
        { "type": SUBCOMMAND, "name": "remove", "description": "Stop posting to this channel" },
        { "type": SUBCOMMAND, "name": "list", "description": "The feeds of this server" },
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_descriptions_fit_what_discord_takes() {
        for command in registration().as_array().unwrap() {
            let name = command["name"].as_str().unwrap();
            assert!(name.len() <= 32 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-'), "{name}");
            assert!(command["description"].as_str().unwrap().len() <= 100);
        }
    }
}

//! Responses to Discord: one embed, an optional link button, and no mentions.

use serde_json::{Value, json};

use crate::views::chat::{ACCENT_COLOR, format_number};

/// Message flag: only the caller sees the response.
const EPHEMERAL: u32 = 64;

/// The reply of a command.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    embed: Value,
    /// Label and URL of a link button.
    button: Option<(String, String)>,
}

impl Reply {
    /// Adds an image below the fields.
    pub fn with_image(mut self, url: &str) -> Self {
        self.embed["image"] = json!({ "url": url });
        self
    }

    pub fn with_button(mut self, label: &str, url: &str) -> Self {
        self.button = Some((label.to_owned(), url.to_owned()));
        self
    }
}

/// A complete response to a command.
pub fn immediate(reply: Reply, is_private: bool) -> Value {
    let mut data = data(reply);
    data["flags"] = flags(is_private).into();
    json!({ "type": 4, "data": data })
}

/// A deferred response. Its visibility cannot change when it is completed.
pub fn deferred(is_private: bool) -> Value {
    json!({ "type": 5, "data": { "flags": flags(is_private) } })
}

fn flags(is_private: bool) -> u32 {
    if is_private { EPHEMERAL } else { 0 }
}

/// The message of a reply.
pub fn data(reply: Reply) -> Value {
    let mut data = json!({ "embeds": [reply.embed], "allowed_mentions": { "parse": [] } });
    if let Some((label, url)) = reply.button {
        data["components"] =
            json!([{ "type": 1, "components": [{ "type": 2, "style": 5, "label": label, "url": url }] }]);
    }
    data
}

/// A reply of one sentence.
pub fn sentence(text: &str) -> Reply {
    Reply { embed: json!({ "description": text, "color": ACCENT_COLOR }), button: None }
}

/// A reply with a linked title and inline fields.
pub fn figures(title: &str, url: &str, description: &str, fields: &[(&str, String)]) -> Reply {
    let fields: Vec<Value> =
        fields.iter().map(|(name, value)| json!({ "name": name, "value": value, "inline": true })).collect();
    let embed =
        json!({ "title": title, "url": url, "description": description, "color": ACCENT_COLOR, "fields": fields });
    Reply { embed, button: None }
}

/// Formats a value with its rank.
pub fn ranked(value: i64, rank: Option<i64>) -> String {
    rank.map_or_else(|| format_number(value), |rank| format!("{} (#{})", format_number(value), format_number(rank)))
}

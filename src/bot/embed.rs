//! Answers in the form of Discord: one embed, perhaps a button that leads to the page, nobody pinged.

use serde_json::{Value, json};

use crate::views::chat::{ACCENT_COLOR, format_number};

/// Only the caller sees it.
const EPHEMERAL: u32 = 64;

/// What a command says.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    embed: Value,
    /// Label and address of a button.
    button: Option<(String, String)>,
}

impl Reply {
    /// With a picture below the figures.
    pub fn with_image(mut self, url: &str) -> Self {
        self.embed["image"] = json!({ "url": url });
        self
    }

    pub fn with_button(mut self, label: &str, url: &str) -> Self {
        self.button = Some((label.to_owned(), url.to_owned()));
        self
    }
}

/// The answer to a command, given at once.
pub fn now(reply: Reply, is_private: bool) -> Value {
    let mut data = data(reply);
    data["flags"] = flags(is_private).into();
    json!({ "type": 4, "data": data })
}

/// The promise of an answer. Whether all will see it is settled here, and cannot be changed with the answer.
pub fn later(is_private: bool) -> Value {
    json!({ "type": 5, "data": { "flags": flags(is_private) } })
}

fn flags(is_private: bool) -> u32 {
    if is_private { EPHEMERAL } else { 0 }
}

/// A message of a reply.
pub fn data(reply: Reply) -> Value {
    let mut data = json!({ "embeds": [reply.embed], "allowed_mentions": { "parse": [] } });
    if let Some((label, url)) = reply.button {
        data["components"] =
            json!([{ "type": 1, "components": [{ "type": 2, "style": 5, "label": label, "url": url }] }]);
    }
    data
}

/// An embed with nothing but a sentence.
pub fn sentence(text: &str) -> Reply {
    Reply { embed: json!({ "description": text, "color": ACCENT_COLOR }), button: None }
}

/// An embed with a title that links to a page, and figures side by side.
pub fn figures(title: &str, url: &str, description: &str, fields: &[(&str, String)]) -> Reply {
    let fields: Vec<Value> =
        fields.iter().map(|(name, value)| json!({ "name": name, "value": value, "inline": true })).collect();
    let embed =
        json!({ "title": title, "url": url, "description": description, "color": ACCENT_COLOR, "fields": fields });
    Reply { embed, button: None }
}

/// A figure and the rank it gives.
pub fn ranked(value: i64, rank: Option<i64>) -> String {
    rank.map_or_else(|| format_number(value), |rank| format!("{} (#{})", format_number(value), format_number(rank)))
}

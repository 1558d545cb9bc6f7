//! Responses to Discord: one embed, an optional link button, and no mentions.

use i18n::format_number;
use serde_json::{Value, json};

use crate::views::chat::{
    ACCENT_COLOR, MAX_DESCRIPTION_UNITS, MAX_FIELD_NAME_UNITS, MAX_FIELD_VALUE_UNITS, MAX_LABEL_UNITS, MAX_TITLE_UNITS,
    truncate,
};

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
        self.button = Some((truncate(label, MAX_LABEL_UNITS).to_owned(), url.to_owned()));
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
    Reply {
        embed: json!({ "description": truncate(text, MAX_DESCRIPTION_UNITS), "color": ACCENT_COLOR }),
        button: None,
    }
}

/// A reply with a linked title and inline fields.
pub fn figures(title: &str, url: &str, description: &str, fields: &[(&str, String)]) -> Reply {
    let field = |(name, value): &(&str, String)| {
        let (name, value) = (truncate(name, MAX_FIELD_NAME_UNITS), truncate(value, MAX_FIELD_VALUE_UNITS));
        json!({ "name": name, "value": value, "inline": true })
    };
    let fields: Vec<Value> = fields.iter().map(field).collect();
    let (title, description) = (truncate(title, MAX_TITLE_UNITS), truncate(description, MAX_DESCRIPTION_UNITS));
    let embed =
        json!({ "title": title, "url": url, "description": description, "color": ACCENT_COLOR, "fields": fields });
    Reply { embed, button: None }
}

/// Formats a value with its rank.
pub fn ranked(value: i64, rank: Option<i64>) -> String {
    rank.map_or_else(|| format_number(value), |rank| format!("{} (#{})", format_number(value), format_number(rank)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::chat::utf16_len;

    #[test]
    fn replies_stay_within_discords_limits_whatever_the_names_are() {
        let long = "\u{1d519}x".repeat(3_000);
        let reply = figures(&long, "https://example.org", &long, &[(&long, long.clone())])
            .with_button(&long, "https://example.org");
        let reply = data(reply);
        let (embed, button) = (&reply["embeds"][0], &reply["components"][0]["components"][0]);
        let field = &embed["fields"][0];
        for (text, most) in [
            (&embed["title"], 256),
            (&embed["description"], 4_096),
            (&field["name"], 256),
            (&field["value"], 1_024),
            (&button["label"], 80),
            (&data(sentence(&long))["embeds"][0]["description"], 4_096),
        ] {
            let length = utf16_len(text.as_str().unwrap());
            assert!((most - 1..=most).contains(&length), "{length} of {most}");
        }
    }
}

//! Answers in the form of Discord: one embed, nobody pinged.

use serde_json::{Value, json};

/// The site's amber.
const COLOUR: u32 = 0x00ff_b347;
/// Only the caller sees it.
const EPHEMERAL: u32 = 64;

/// Wraps an embed as the answer to a command.
pub fn message(embed: Value, is_private: bool) -> Value {
    let flags = if is_private { EPHEMERAL } else { 0 };
    json!({ "type": 4, "data": { "embeds": [embed], "flags": flags, "allowed_mentions": { "parse": [] } } })
}

/// An embed with nothing but a sentence.
pub fn sentence(text: &str) -> Value {
    json!({ "description": text, "color": COLOUR })
}

/// An embed with a title that links to a page, and figures side by side.
pub fn figures(title: &str, url: &str, description: &str, fields: &[(&str, String)]) -> Value {
    let fields: Vec<Value> =
        fields.iter().map(|(name, value)| json!({ "name": name, "value": value, "inline": true })).collect();
    json!({ "title": title, "url": url, "description": description, "color": COLOUR, "fields": fields })
}

/// Names as text: what Discord reads as markup or mention stays as it is written.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if matches!(c, '\\' | '*' | '_' | '~' | '`' | '|' | '>' | '[' | ']' | '(' | ')' | '#' | '@' | '<') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// `12,345`
pub fn number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0 {
        out.push('-');
    }
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A figure and the rank it gives.
pub fn ranked(value: i64, rank: Option<i64>) -> String {
    rank.map_or_else(|| number(value), |rank| format!("{} (#{})", number(value), number(rank)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(number(0), "0");
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(number(-999), "-999");
    }

    #[test]
    fn names_cannot_become_markup_or_mentions() {
        assert_eq!(plain("a_b*c"), "a\\_b\\*c");
        assert_eq!(plain("@everyone"), "\\@everyone");
    }
}

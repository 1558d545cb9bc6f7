//! The fixed texts of shapes, which redaction keeps.

use std::ops::Range;

/// The texts of a shape that are the same in every line.
#[derive(Clone)]
pub(super) struct FixedTexts {
    pub tag: String,
    /// The text after the tag, and the beginning of it that names code, such as ` CActor::`.
    head: String,
    code: String,
    /// The texts between fields that contain words.
    between: Vec<String>,
}

impl FixedTexts {
    pub fn of(tag: &str, shape: &str) -> Self {
        let mut parts = shape.split('{');
        let whole = parts.next().unwrap_or_default();
        let code = whole.rfind("::").map_or("", |at| &whole[..at + "::".len()]);
        let between = parts.filter_map(|part| part.split_once('}')).map(|(_, text)| whole_words(text));
        Self {
            tag: tag.to_owned(),
            head: whole_words(whole),
            code: code.to_owned(),
            between: between.filter(|text| !text.is_empty()).collect(),
        }
    }

    /// Where the text after the tag contains these texts, in their order. A text with the word `own` does not count.
    pub fn spans(&self, rest: &str, own: Option<&str>) -> Vec<Range<usize>> {
        let is_own =
            |text: &str| own.is_some_and(|own| text.split(|c| !is_word(c)).any(|w| w.eq_ignore_ascii_case(own)));
        let begin = [&self.head, &self.code].into_iter().find(|text| !text.is_empty() && rest.starts_with(*text));
        let mut spans: Vec<Range<usize>> =
            begin.filter(|text| !is_own(text)).map(|text| 0..text.len()).into_iter().collect();
        let mut from = begin.map_or(0, String::len);
        for text in self.between.iter().filter(|text| !is_own(text)) {
            // The first word of a text is not the end of another word.
            let is_begin = |at: &usize| !text.starts_with(is_word) || !rest[..*at].ends_with(is_word);
            let mut found = rest[from..].match_indices(text.as_str()).map(|(at, _)| from + at);
            if let Some(at) = found.find(is_begin) {
                from = at + text.len();
                spans.push(at..from);
            }
        }
        spans
    }
}

/// A text without the beginning of a word that a field continues; empty if it then has no words, or has numbers.
fn whole_words(text: &str) -> String {
    let whole = text.trim_end_matches(is_word);
    let is_kept = whole.contains(char::is_alphabetic) && !whole.contains(|c: char| c.is_ascii_digit());
    if is_kept { whole.to_owned() } else { String::new() }
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

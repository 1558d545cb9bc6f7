//! The characters that a field of a shape may contain. A line does not match a shape if a value contains others.

/// Maximum length of a name or class.
const MAX_WORD_BYTES: usize = 128;
/// Maximum number of spaces in a class.
const MAX_CLASS_SPACES: usize = 2;

/// The set of characters of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// Skipped text that no code reads.
    Ignored,
    /// Decimal digits: ids of entities and accounts, levels, counts.
    Number,
    /// One word: handles, UUIDs, states, versions.
    Word,
    /// A class of the game's data: one word, or up to three in some builds (`BEHR P6_LR_Sniper_Rifle`).
    Class,
    /// Words separated by `|`.
    Flags,
    /// The text of a notification, in any language.
    Text,
}

impl FieldKind {
    /// The kind of the field with this name. Unknown names are words.
    pub fn of(name: &str) -> Self {
        match name {
            "" => Self::Ignored,
            "text" => Self::Text,
            "flags" => Self::Flags,
            "geid" | "victim_id" | "killer_id" | "causer_id" | "id" | "body" | "entity" | "number" | "from" | "to" => {
                Self::Number
            }
            "weapon" | "class" | "damage" | "cause" | "vehicle" | "ship" | "zone" | "contract" => Self::Class,
            _ => Self::Word,
        }
    }

    /// The value at the beginning of the last text of a line. Builds end a line with different tags or further fields. A word that
    /// a sentence follows is not a value, so that a site cannot read texts as names.
    pub fn value_at_end(self, text: &[u8]) -> Option<&[u8]> {
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        let (value, tail) = match self {
            Self::Ignored | Self::Text => return Some(text),
            Self::Number => text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count()),
            Self::Word => text.split_at(text.iter().take_while(is_word).count()),
            Self::Class | Self::Flags => text.split_at(memchr::memchr(b'[', text).unwrap_or(text.len())),
        };
        if value.is_empty() && matches!(self, Self::Number | Self::Word) {
            return None;
        }
        let tail = tail.trim_ascii_start();
        let is_tail = match self {
            Self::Number => !tail.first().is_some_and(|byte| value.len() + tail.len() == text.len() && is_word(&byte)),
            _ => tail.is_empty() || [b"[".as_slice(), b",", b"- "].iter().any(|begin| tail.starts_with(begin)),
        };
        is_tail.then(|| value.trim_ascii_end())
    }

    /// Returns true if the value contains only characters of this kind. Empty values match, because the game leaves
    /// fields empty.
    pub fn matches(self, value: &[u8]) -> bool {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        match self {
            Self::Ignored | Self::Text => true,
            Self::Number => value.len() <= 20 && value.iter().all(u8::is_ascii_digit),
            Self::Word => value.len() <= MAX_WORD_BYTES && value.iter().all(is_word),
            Self::Class => {
                let spaces = value.iter().filter(|byte| **byte == b' ').count();
                value.len() <= MAX_WORD_BYTES
                    && spaces <= MAX_CLASS_SPACES
                    && value.iter().all(|byte| is_word(byte) || *byte == b' ')
            }
            Self::Flags => {
                value.len() <= MAX_WORD_BYTES && value.iter().all(|byte| is_word(byte) || matches!(byte, b'|' | b' '))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_field_ends_before_any_tail() {
        for tail in ["", " [Team_X][Y]", "[Team_X]", "[X", ", causes: a", " - state B"] {
            for (kind, value) in [(FieldKind::Word, "Tester-One_1"), (FieldKind::Number, "201000000001")] {
                let text = format!("{value}{tail}");
                assert_eq!(kind.value_at_end(text.as_bytes()), Some(value.as_bytes()), "{text}");
            }
        }
        assert_eq!(FieldKind::Number.value_at_end(b"201 uptime_secs=1"), Some(b"201".as_slice()));
        assert_eq!(FieldKind::Number.value_at_end(b"201x"), None);
        assert_eq!(FieldKind::Word.value_at_end(b"a secret, word for word"), None);
        assert_eq!(FieldKind::Word.value_at_end(b"[X] a secret"), None);
        assert_eq!(FieldKind::Flags.value_at_end(b"A|B| [Team_X]"), Some(b"A|B|".as_slice()));
    }

    #[test]
    fn fields_accept_names_and_reject_sentences() {
        for (field, value) in [
            ("killer", "PU_Pilots-Human-Criminal-Pilot_Light_2597483240720"),
            ("zone", ""),
            ("class", "BEHR P6_LR_Sniper_Rifle"),
            ("mission", "addd0f67-0000-4173-a212-7a8f46e4b3fd"),
            ("patch", "sc-alpha-4.1.0"),
            ("geid", "201000000001"),
            ("flags", "ShowInLog|Hidden | x"),
            ("text", "Neues Ziel: Töte „alle“"),
        ] {
            assert!(FieldKind::of(field).matches(value.as_bytes()), "{field} {value}");
        }
        for (field, value) in [
            ("killer", "hello there"),
            ("zone", "any words of a line"),
            ("zone", "a@example.org"),
            ("class", "x=1"),
            ("geid", "0x1F"),
            ("flags", "mail: a"),
            ("anything", "with spaces"),
            ("handle", &"x".repeat(200)),
        ] {
            assert!(!FieldKind::of(field).matches(value.as_bytes()), "{field} {value}");
        }
    }
}

//! What the fields of a shape may hold: a value with other characters does not fit its shape, whoever wrote the shape.

/// A name or a class is never longer, in bytes.
const WORD_MAX: usize = 128;
/// A class has no more spaces.
const CLASS_SPACES_MAX: usize = 2;

/// The characters that a field takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Skipped text that is never read.
    Ignored,
    /// Decimal digits: ids of entities and accounts, levels, counts.
    Number,
    /// One word: handles, UUIDs, states, versions.
    Word,
    /// A class of the game's data: a word, in some builds a few of them (`BEHR P6_LR_Sniper_Rifle`).
    Class,
    /// Words separated by `|`.
    Flags,
    /// The text of a notification, in any language.
    Text,
}

impl Kind {
    /// The kind of a field by its name; a name that no meaning reads is a word too.
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

    /// The value has only characters of this kind. An empty value fits: the game leaves fields empty.
    pub fn fits(self, value: &[u8]) -> bool {
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
        match self {
            Self::Ignored | Self::Text => true,
            Self::Number => value.len() <= 20 && value.iter().all(u8::is_ascii_digit),
            Self::Word => value.len() <= WORD_MAX && value.iter().all(is_word),
            Self::Class => {
                let spaces = value.iter().filter(|byte| **byte == b' ').count();
                value.len() <= WORD_MAX
                    && spaces <= CLASS_SPACES_MAX
                    && value.iter().all(|byte| is_word(byte) || *byte == b' ')
            }
            Self::Flags => {
                value.len() <= WORD_MAX && value.iter().all(|byte| is_word(byte) || matches!(byte, b'|' | b' '))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_takes_names_and_no_sentences() {
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
            assert!(Kind::of(field).fits(value.as_bytes()), "{field} {value}");
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
            assert!(!Kind::of(field).fits(value.as_bytes()), "{field} {value}");
        }
    }
}

//! A log reader that asks for its key: the short code it shows, how long it is good, and how often it may be guessed.

/// A code dies after this time, in milliseconds.
pub const LOGIN_MS: i64 = 600_000;
/// How long a reader waits between two questions, in seconds.
pub const ASK_EVERY_SECS: u64 = 3;
/// So many wrong codes may be typed by one user within [`TRIES_SECS`].
pub const WRONG_CODES: usize = 10;
/// So many logins may be begun from one address within [`TRIES_SECS`].
pub const STARTS: usize = 20;
/// So many lots of unknown lines are taken from one address within [`TRIES_SECS`].
pub const SAMPLE_LOTS: usize = 10;
pub const TRIES_SECS: u64 = 600;

/// Letters that make no words and that nobody mistakes for one another.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
const CODE_LETTERS: usize = 8;
const NAME_MAX: usize = 60;
const NO_NAME: &str = "Log reader";

/// How a login stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginState {
    Waiting,
    Confirmed,
    Refused,
}

impl LoginState {
    /// As in the table `reader_logins`.
    pub fn code(self) -> i16 {
        match self {
            Self::Waiting => 0,
            Self::Confirmed => 1,
            Self::Refused => 2,
        }
    }

    pub fn from_code(code: i16) -> Self {
        match code {
            1 => Self::Confirmed,
            2 => Self::Refused,
            _ => Self::Waiting,
        }
    }
}

/// Eight letters (34 bits) out of random bytes, such as `BCDF-GHJK`.
pub fn code(chance: [u8; 32]) -> String {
    // Of each byte the range that all letters share equally is used; 32 bytes are more than enough for eight of these.
    let fair = chance.into_iter().filter(|byte| *byte < 240).map(|byte| char::from(LETTERS[usize::from(byte) % 20]));
    let letters: String = fair.chain(std::iter::repeat('Z')).take(CODE_LETTERS).collect();
    format!("{}-{}", &letters[..4], &letters[4..])
}

/// A code as people type it: in any case, with blanks or without the dash. `None` when it cannot be one.
pub fn typed_code(text: &str) -> Option<String> {
    let letters: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect::<String>().to_uppercase();
    let is_code = letters.len() == CODE_LETTERS && letters.bytes().all(|byte| LETTERS.contains(&byte));
    is_code.then(|| format!("{}-{}", &letters[..4], &letters[4..]))
}

/// The name of a machine as it may stand in a list; one that says nothing becomes `Log reader`.
pub fn name(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control()).take(NAME_MAX).collect();
    let clean = clean.trim();
    if clean.is_empty() { NO_NAME.to_owned() } else { clean.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_back_however_they_are_typed() {
        let made = code(std::array::from_fn(|i| (i * 53) as u8));
        assert_eq!(made.len(), 9);
        for typed in [made.clone(), made.to_lowercase(), made.replace('-', ""), format!(" {} ", made.replace('-', " "))]
        {
            assert_eq!(typed_code(&typed).as_deref(), Some(made.as_str()), "{typed}");
        }
        for wrong in ["", "BCDF-GHJ", "BCDF-GHJKL", "ACDF-GHJK", "BCDF_GHJK", "ßCDF-GHJK"] {
            assert_eq!(typed_code(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_name_is_never_empty_and_never_long() {
        assert_eq!(name(" \n "), NO_NAME);
        assert_eq!(name("GAMING\u{7}-PC "), "GAMING-PC");
        assert_eq!(name(&"ü".repeat(99)).chars().count(), NAME_MAX);
    }
}

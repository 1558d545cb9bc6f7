//! Rules of the device login: format and lifetime of the code that a log reader shows, and its rate limits.

use serde::Serialize;
use utoipa::ToSchema;

/// Lifetime of a code.
pub const LOGIN_LIFETIME_MS: i64 = 600_000;
/// Interval between two requests of a reader for the state of its login.
pub const POLL_INTERVAL_SECS: u64 = 3;
/// Maximum number of wrong codes per user within [`ATTEMPT_WINDOW_SECS`].
pub const MAX_WRONG_CODES: usize = 10;
/// Maximum number of logins started per address within [`ATTEMPT_WINDOW_SECS`].
pub const MAX_LOGIN_STARTS: usize = 20;
/// Maximum number of batches of unknown lines per address within [`ATTEMPT_WINDOW_SECS`].
pub const MAX_SAMPLE_BATCHES: usize = 10;
pub const ATTEMPT_WINDOW_SECS: u64 = 600;

/// Consonants only, so that codes form no words; similar letters are left out.
const LETTERS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
const CODE_LENGTH: usize = 8;
const MAX_NAME_CHARS: usize = 60;
const DEFAULT_NAME: &str = "Log reader";

// The state of a login, without a description in the API document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = LoginStateName)]
pub enum LoginState {
    Waiting = 0,
    Confirmed = 1,
    Refused = 2,
}

impl LoginState {
    /// The value in the table `reader_logins`.
    pub fn code(self) -> i16 {
        self as i16
    }

    pub fn from_code(code: i16) -> Self {
        match code {
            1 => Self::Confirmed,
            2 => Self::Refused,
            _ => Self::Waiting,
        }
    }
}

/// Creates a code of eight letters (34 bits) from random bytes, such as `BCDF-GHJK`.
pub fn code(random: [u8; 32]) -> String {
    // Bytes from 240 on are dropped, so that all letters are equally likely. 32 bytes are more than enough for eight
    // letters.
    let unbiased =
        random.into_iter().filter(|byte| *byte < 240).map(|byte| char::from(LETTERS[usize::from(byte) % 20]));
    let letters: String = unbiased.chain(std::iter::repeat('Z')).take(CODE_LENGTH).collect();
    format!("{}-{}", &letters[..4], &letters[4..])
}

/// Parses a code as users type it: any case, with spaces, with or without the dash. Returns `None` if it is invalid.
pub fn parse_code(text: &str) -> Option<String> {
    let letters: String = text.chars().filter(|c| !c.is_whitespace() && *c != '-').collect::<String>().to_uppercase();
    let is_code = letters.len() == CODE_LENGTH && letters.bytes().all(|byte| LETTERS.contains(&byte));
    is_code.then(|| format!("{}-{}", &letters[..4], &letters[4..]))
}

/// The displayed name of a machine: cleaned and shortened, or `Log reader` if it is empty.
pub fn name(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect();
    let clean = clean.trim();
    if clean.is_empty() { DEFAULT_NAME.to_owned() } else { clean.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_recognized_in_any_spelling() {
        let made = code(std::array::from_fn(|i| (i * 53) as u8));
        assert_eq!(made.len(), 9);
        for typed in [made.clone(), made.to_lowercase(), made.replace('-', ""), format!(" {} ", made.replace('-', " "))]
        {
            assert_eq!(parse_code(&typed).as_deref(), Some(made.as_str()), "{typed}");
        }
        for wrong in ["", "BCDF-GHJ", "BCDF-GHJKL", "ACDF-GHJK", "BCDF_GHJK", "ßCDF-GHJK"] {
            assert_eq!(parse_code(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_name_is_neither_empty_nor_too_long() {
        assert_eq!(name(" \n "), DEFAULT_NAME);
        assert_eq!(name("GAMING\u{7}-PC "), "GAMING-PC");
        assert_eq!(name(&"ü".repeat(99)).chars().count(), MAX_NAME_CHARS);
    }
}

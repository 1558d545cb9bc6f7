//! Player handles and guild tags as validated types.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why a text is not a valid name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("invalid handle: expected 3 to 60 letters, digits, '-' or '_'")]
    Handle,
    #[error("invalid guild tag: expected 2 to 10 letters and digits")]
    GuildTag,
}

/// A player's handle in the spelling of the game. Compare handles by [`Handle::folded`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Handle(String);

impl Handle {
    /// Parses 3 to 60 characters of `A-Z a-z 0-9 _ -`.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let fits = (3..=60).contains(&text.len()) && text.bytes().all(is_handle_byte);
        if fits { Ok(Self(text.to_owned())) } else { Err(NameError::Handle) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form that the database compares: ASCII lower case.
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

fn is_handle_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

impl TryFrom<String> for Handle {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}

impl From<Handle> for String {
    fn from(handle: Handle) -> Self {
        handle.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Folds an imported handle, which may be shorter than [`Handle`] allows; `None` if no handle can have this form.
pub fn fold_imported(text: &str) -> Option<String> {
    let fits = (1..=60).contains(&text.len()) && text.bytes().all(is_handle_byte);
    fits.then(|| text.to_ascii_lowercase())
}

/// Folds a handle from a URL for a lookup; `None` if no handle can have this form. An `@` before it is left out.
pub fn fold_for_lookup(text: &str) -> Option<String> {
    fold_imported(text.strip_prefix('@').unwrap_or(text))
}

/// Words that stand in the place of a handle in paths of the site or of the API.
pub const PATH_WORDS: [&str; 5] = ["claim", "me", "settings", "unlink", "update-profile"];

/// The path of a player's page. A handle that is a word of another path has an `@` before it.
pub fn player_path(handle: &str) -> String {
    let sign = if PATH_WORDS.contains(&handle) { "@" } else { "" };
    format!("/player/{sign}{handle}")
}

/// A guild's tag (the SID of the game's site) in upper case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GuildTag(String);

impl GuildTag {
    /// Parses 2 to 10 characters of `A-Z 0-9` after conversion to upper case.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let fits = (2..=10).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric());
        if fits { Ok(Self(text.to_ascii_uppercase())) } else { Err(NameError::GuildTag) }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for GuildTag {
    type Error = NameError;
    fn try_from(text: String) -> Result<Self, NameError> {
        Self::parse(&text)
    }
}

impl From<GuildTag> for String {
    fn from(tag: GuildTag) -> Self {
        tag.0
    }
}

impl fmt::Display for GuildTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_keep_their_case_and_compare_without_it() {
        let handle = Handle::parse("O-C-C-a_7").unwrap();
        assert_eq!(handle.as_str(), "O-C-C-a_7");
        assert_eq!(handle.folded(), "o-c-c-a_7");
    }

    #[test]
    fn invalid_handles_are_rejected() {
        for text in ["", "ab", "a b c", "Zoë", "a'; --", "x\0yz", &"a".repeat(61)] {
            assert_eq!(Handle::parse(text), Err(NameError::Handle), "{text:?}");
        }
    }

    #[test]
    fn short_handles_of_imported_data_can_be_looked_up() {
        assert_eq!(fold_for_lookup("Ab"), Some("ab".to_owned()));
        assert_eq!(fold_for_lookup("a/b"), None);
    }

    #[test]
    fn tags_are_upper_cased() {
        assert_eq!(GuildTag::parse("frinauts").unwrap().as_str(), "FRINAUTS");
        assert!(GuildTag::parse("A").is_err());
        assert!(GuildTag::parse("ABCDEFGHIJK").is_err());
        assert!(GuildTag::parse("A-B").is_err());
    }
}

//! The header `Apogee-Log` of an upload: which log of the game its events come from.
//!
//! ```text
//! Apogee-Log: id=9f2c, handle=Tester_One, build=9687209, branch=sc-alpha-4.1.0, channel=LIVE, reader=Apogee%2F0.1.0,
//!     first=1744385053958, last=1744391653000
//! ```
//!
//! Parameters are separated by commas with optional spaces. Bytes other than letters, digits, `-`, `.`, `_` and `~` are
//! percent-encoded. `id`, `first` and `last` are required; unknown parameters are ignored; `head` and `offset` are reserved.

use std::fmt::{self, Write};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use crate::hex;
use crate::names::Handle;
use crate::times::EpochMillis;

/// The name of the header.
pub const LOG_HEADER: &str = "Apogee-Log";
/// The channels whose events count.
pub const LIVE_CHANNELS: [&str; 2] = ["LIVE", "HOTFIX"];
/// Maximum length of the header's value.
pub const MAX_HEADER_BYTES: usize = 1024;
/// Maximum length of an id or a text.
const MAX_TEXT_BYTES: usize = 64;
/// Maximum number of digits of a time in epoch milliseconds: more than 30,000 years.
const MAX_TIME_DIGITS: usize = 15;
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Identifies a log among those of one sender, independently of its path: 1 to 64 characters of `A-Z a-z 0-9 _ -`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LogId(String);

impl LogId {
    /// Parses an id; `None` if it has another form.
    pub fn parse(text: &str) -> Option<Self> {
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        ((1..=MAX_TEXT_BYTES).contains(&text.len()) && text.bytes().all(is_valid)).then(|| Self(text.to_owned()))
    }

    /// The first 12 bytes of a hash as hexadecimal text.
    pub fn of_hash(hash: [u8; 32]) -> Self {
        Self(hex::encode(&hash[..12]))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for LogId {
    type Error = LogHeaderError;
    fn try_from(text: String) -> Result<Self, LogHeaderError> {
        Self::parse(&text).ok_or_else(|| LogHeaderError::value("id", &text, ID_FORM))
    }
}

impl From<LogId> for String {
    fn from(id: LogId) -> Self {
        id.0
    }
}

/// A text of a log: 1 to 64 printable ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LogText(String);

impl LogText {
    /// Parses a text; `None` if it has another form.
    pub fn parse(text: &str) -> Option<Self> {
        let is_valid = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        ((1..=MAX_TEXT_BYTES).contains(&text.len()) && text.bytes().all(is_valid)).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for LogText {
    type Error = LogHeaderError;
    fn try_from(text: String) -> Result<Self, LogHeaderError> {
        Self::parse(&text).ok_or_else(|| LogHeaderError::value("text", &text, TEXT_FORM))
    }
}

impl From<LogText> for String {
    fn from(text: LogText) -> Self {
        text.0
    }
}

/// The log that the events of one batch come from. Its text, by `to_string`, is at most [`MAX_HEADER_BYTES`] long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogHeader {
    pub id: LogId,
    /// The handle that the log names as the local player's.
    pub handle: Option<Handle>,
    /// The build of the game, as its changelist number.
    pub build: Option<LogText>,
    /// The branch of the build, such as `sc-alpha-4.1.0`.
    pub branch: Option<LogText>,
    /// The channel of the installation, such as `LIVE` or `PTU`.
    pub channel: Option<LogText>,
    /// Name and version of the log reader.
    pub reader: Option<LogText>,
    /// The first timestamp of the log.
    pub first: EpochMillis,
    /// The last timestamp of the log so far; not before `first`.
    pub last: EpochMillis,
}

/// Why a header is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LogHeaderError {
    #[error("invalid Apogee-Log of {0} bytes: expected at most {MAX_HEADER_BYTES}")]
    TooLong(usize),
    #[error(
        "invalid Apogee-Log parameter '{0}': expected name=value, with other characters than letters, digits, '-', '.', '_' and '~' \
         percent-encoded"
    )]
    Syntax(String),
    #[error("invalid Apogee-Log {name} '{value}': expected {expected}")]
    Value { name: &'static str, value: String, expected: &'static str },
    #[error("invalid Apogee-Log: '{0}' occurs twice, expected each parameter once")]
    Repeated(&'static str),
    #[error("invalid Apogee-Log: '{0}' is missing, expected at least id, first and last")]
    Missing(&'static str),
    #[error("invalid Apogee-Log: 'last' is before 'first', expected the first and the last timestamp of the log")]
    Order,
}

const ID_FORM: &str = "1 to 64 letters, digits, '-' or '_'";
const HANDLE_FORM: &str = "3 to 60 letters, digits, '-' or '_'";
const TEXT_FORM: &str = "1 to 64 printable ASCII characters";
const TIME_FORM: &str = "epoch milliseconds";

impl LogHeaderError {
    fn value(name: &'static str, value: &str, expected: &'static str) -> Self {
        Self::Value { name, value: excerpt(value), expected }
    }
}

/// The known parameters that a header contains, decoded.
#[derive(Default)]
struct Parameters {
    values: [Option<String>; NAMES.len()],
}

const NAMES: [&str; 8] = ["id", "handle", "build", "branch", "channel", "reader", "first", "last"];

impl Parameters {
    fn parse(text: &str) -> Result<Self, LogHeaderError> {
        let mut parameters = Self::default();
        for parameter in text.split(',').map(|part| part.trim_matches([' ', '\t'])) {
            let syntax = || LogHeaderError::Syntax(excerpt(parameter));
            let (name, value) = parameter.split_once('=').filter(|(name, _)| is_name(name)).ok_or_else(syntax)?;
            let value = decode(value).ok_or_else(syntax)?;
            let Some(at) = NAMES.iter().position(|known| *known == name) else { continue };
            if parameters.values[at].replace(value).is_some() {
                return Err(LogHeaderError::Repeated(NAMES[at]));
            }
        }
        Ok(parameters)
    }

    /// Parses the value of a parameter with `parse`, if the header contains it.
    fn optional<T>(
        &self,
        name: &'static str,
        parse: impl Fn(&str) -> Option<T>,
        expected: &'static str,
    ) -> Result<Option<T>, LogHeaderError> {
        let value = NAMES.iter().position(|known| *known == name).and_then(|at| self.values[at].as_deref());
        value.map(|value| parse(value).ok_or_else(|| LogHeaderError::value(name, value, expected))).transpose()
    }

    fn required<T>(
        &self,
        name: &'static str,
        parse: impl Fn(&str) -> Option<T>,
        expected: &'static str,
    ) -> Result<T, LogHeaderError> {
        self.optional(name, parse, expected)?.ok_or(LogHeaderError::Missing(name))
    }
}

impl LogHeader {
    /// Whether the log comes from LIVE, whose events count, or from an unknown channel. The hotfix channel is the same universe.
    pub fn is_live(&self) -> bool {
        self.channel.as_ref().is_none_or(|channel| LIVE_CHANNELS.contains(&channel.as_str()))
    }

    /// Parses the value of the header.
    pub fn parse(text: &str) -> Result<Self, LogHeaderError> {
        if text.len() > MAX_HEADER_BYTES {
            return Err(LogHeaderError::TooLong(text.len()));
        }
        let given = Parameters::parse(text)?;
        let header = Self {
            id: given.required("id", LogId::parse, ID_FORM)?,
            handle: given.optional("handle", |text| Handle::parse(text).ok(), HANDLE_FORM)?,
            build: given.optional("build", LogText::parse, TEXT_FORM)?,
            branch: given.optional("branch", LogText::parse, TEXT_FORM)?,
            channel: given.optional("channel", LogText::parse, TEXT_FORM)?,
            reader: given.optional("reader", LogText::parse, TEXT_FORM)?,
            first: given.required("first", time, TIME_FORM)?,
            last: given.required("last", time, TIME_FORM)?,
        };
        if header.last < header.first { Err(LogHeaderError::Order) } else { Ok(header) }
    }
}

impl fmt::Display for LogHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "id={}", self.id.as_str())?;
        let handle = self.handle.as_ref().map(Handle::as_str);
        let texts =
            [&self.build, &self.branch, &self.channel, &self.reader].map(|text| text.as_ref().map(LogText::as_str));
        let names = ["handle", "build", "branch", "channel", "reader"];
        for (name, value) in names.into_iter().zip([handle].into_iter().chain(texts)) {
            if let Some(value) = value {
                write!(f, ", {name}={}", utf8_percent_encode(value, ENCODED))?;
            }
        }
        write!(f, ", first={}, last={}", self.first.0, self.last.0)
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// Decodes a percent-encoded value; `None` if it is empty or contains bytes that have to be encoded.
fn decode(value: &str) -> Option<String> {
    let is_hex = |escape: &str| escape.len() == 2 && escape.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_valid_escapes = value.split('%').skip(1).all(|rest| rest.get(..2).is_some_and(is_hex));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte);
    if value.is_empty() || !has_valid_escapes || !value.bytes().all(is_plain) {
        return None;
    }
    percent_decode_str(value).decode_utf8().ok().map(Into::into)
}

fn time(digits: &str) -> Option<EpochMillis> {
    let fits = digits.len() <= MAX_TIME_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| fits).map(EpochMillis)
}

/// The beginning of a sender's text, for an error message.
fn excerpt(text: &str) -> String {
    let mut shown: String = text.chars().filter(|c| !c.is_control()).take(MAX_TEXT_BYTES).collect();
    if text.chars().nth(MAX_TEXT_BYTES).is_some() {
        // Writing to a String cannot fail.
        let _ = shown.write_str("…");
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FULL: &str = "id=a_B-9, handle=Tester-One_1, build=9687209, branch=sc-alpha-4.1.0, channel=TECH-PREVIEW, \
         reader=Apogee%2F0.1.0, first=1744385053958, last=1744391653000";

    fn error(text: &str) -> String {
        LogHeader::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_header_names_the_log() {
        let header = LogHeader::parse(FULL).unwrap();
        assert_eq!(header.id.as_str(), "a_B-9");
        assert_eq!(header.handle.as_ref().map(Handle::as_str), Some("Tester-One_1"));
        let text = |text: &Option<LogText>| text.as_ref().map(|text| text.as_str().to_owned()).unwrap_or_default();
        assert_eq!(
            [&header.build, &header.branch, &header.channel, &header.reader].map(text),
            ["9687209", "sc-alpha-4.1.0", "TECH-PREVIEW", "Apogee/0.1.0"]
        );
        assert_eq!((header.first.0, header.last.0), (1_744_385_053_958, 1_744_391_653_000));
        assert_eq!(header.to_string(), FULL);
    }

    #[test]
    fn only_id_and_times_are_required_and_unknown_parameters_are_ignored() {
        let header = LogHeader::parse("last=2,id=x ,\tfirst=1, head=00ff, offset=12, x-9=%20").unwrap();
        assert_eq!(header.to_string(), "id=x, first=1, last=2");
        for name in ["id", "first", "last"] {
            let without: Vec<&str> =
                ["id=x", "first=1", "last=2"].into_iter().filter(|part| !part.starts_with(name)).collect();
            assert_eq!(
                error(&without.join(",")),
                format!("invalid Apogee-Log: '{name}' is missing, expected at least id, first and last")
            );
        }
    }

    #[test]
    fn invalid_values_are_named_with_what_is_expected() {
        let with = |parameter: &str| error(&format!("first=1, last=2, {parameter}"));
        assert_eq!(with("id=a.b"), "invalid Apogee-Log id 'a.b': expected 1 to 64 letters, digits, '-' or '_'");
        assert_eq!(
            with("id=x, handle=No%20Handle"),
            "invalid Apogee-Log handle 'No Handle': expected 3 to 60 letters, digits, '-' or '_'"
        );
        for build in ["%0A", "%C3%A4", &"x".repeat(65)] {
            assert!(with(&format!("id=x, build={build}")).ends_with("expected 1 to 64 printable ASCII characters"));
        }
        for first in ["-1", "soon", "1234567890123456", "1.5"] {
            let error = error(&format!("id=x, last=2, first={first}"));
            assert_eq!(error, format!("invalid Apogee-Log first '{first}': expected epoch milliseconds"));
        }
        assert!(error("id=x, first=2, last=1").contains("'last' is before 'first'"));
        assert!(with("id=x, id=x").contains("'id' occurs twice"));
    }

    #[test]
    fn other_syntax_is_rejected() {
        for part in ["", "id", "=x", "id=", "Id=x", "id=\"x\"", "id=%4", "id=%zz", "id=%ff", "id=a b", "id=ä", "x=;"] {
            let error = error(&format!("first=1, {part}, last=2"));
            assert!(
                error.starts_with(&format!("invalid Apogee-Log parameter '{part}': expected name=value")),
                "{error}"
            );
        }
        assert_eq!(error(&"x".repeat(1025)), "invalid Apogee-Log of 1025 bytes: expected at most 1024");
    }

    #[test]
    fn the_longest_header_fits() {
        let text = LogText::parse(&"%".repeat(64));
        let header = LogHeader {
            id: LogId::parse(&"x".repeat(64)).unwrap(),
            handle: Handle::parse(&"x".repeat(60)).ok(),
            build: text.clone(),
            branch: text.clone(),
            channel: text.clone(),
            reader: text,
            first: EpochMillis(999_999_999_999_999),
            last: EpochMillis(999_999_999_999_999),
        };
        assert_eq!(LogHeader::parse(&header.to_string()), Ok(header));
    }

    proptest! {
        #[test]
        fn headers_round_trip(id in "[A-Za-z0-9_-]{1,64}", text in "[ -~]{1,64}", first in 0..1_000_000_000_000_000i64) {
            let header = LogHeader {
                id: LogId::parse(&id).unwrap(),
                handle: None,
                build: None,
                branch: LogText::parse(&text),
                channel: None,
                reader: None,
                first: EpochMillis(first),
                last: EpochMillis(first),
            };
            prop_assert_eq!(LogHeader::parse(&header.to_string()), Ok(header));
        }

        #[test]
        fn any_text_is_parsed_or_rejected(text in any::<String>()) {
            let _ = LogHeader::parse(&text);
        }
    }
}

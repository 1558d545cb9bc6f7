//! Errors of the validation of events.

/// Why an event is rejected. The message is returned to the sender.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    #[error("unknown identifier '{0}'")]
    UnknownIdentifier(String),
    #[error("event_time is more than 5 minutes ahead of the server's clock: check the clock of the sending machine")]
    ClockAhead,
    #[error("event_time is before 2012: check the clock of the sending machine")]
    ClockBehind,
    #[error("invalid {field} '{value}': expected a handle of 3 to 60 letters, digits, '-' or '_'")]
    InvalidHandle { field: &'static str, value: String },
    #[error("missing {0}, which this identifier requires")]
    Missing(&'static str),
    #[error("{field} is longer than {max} characters")]
    TooLong { field: &'static str, max: usize },
    #[error("{0} contains control characters")]
    ControlCharacter(&'static str),
    #[error("invalid patch '{0}': expected a version such as 'ALPHA 4.3.2' or '4.3.2-hotfix'")]
    InvalidPatch(String),
    #[error("invalid {field} '{value}': expected a class name of 1 to 80 letters, digits, spaces, '_', '.' or '-'")]
    InvalidClass { field: &'static str, value: String },
    #[error("invalid {field} '{value}': expected one of {}", .values.join(", "))]
    NotOneOf { field: &'static str, value: String, values: &'static [&'static str] },
    #[error("invalid {field} '{value}': expected 0 to {max}")]
    OutOfRange { field: &'static str, value: i64, max: i64 },
    #[error("invalid player_geid '{0}': expected 6 to 20 digits")]
    InvalidGeid(String),
}

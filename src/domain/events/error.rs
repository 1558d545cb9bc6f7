//! Errors of the validation of events.

/// Why an event is rejected. The message is returned to the sender.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    #[error("identifier '{0}' is not known")]
    UnknownIdentifier(String),
    #[error("event_time is more than 5 minutes ahead of the server's clock: check the clock of the sending machine")]
    ClockAhead,
    #[error("event_time is before 2012: check the clock of the sending machine")]
    ClockBehind,
    #[error("{field} '{value}' is not a handle: expected 3 to 60 letters, digits, '-' or '_'")]
    InvalidHandle { field: &'static str, value: String },
    #[error("{0} is missing for this identifier")]
    Missing(&'static str),
    #[error("{field} is longer than {max} characters")]
    TooLong { field: &'static str, max: usize },
    #[error("{0} contains control characters")]
    ControlCharacter(&'static str),
    #[error("patch '{0}' has no version number")]
    PatchWithoutVersion(String),
}

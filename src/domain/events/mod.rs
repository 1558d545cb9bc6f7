//! What a reader tells of a session: the event as it travels, and the same event once it has been checked.

mod event;
mod identifier;
mod valid_event;
mod validate;

pub use event::Event;
pub use identifier::{EventKind, GameMode, Identifier, mode_code, mode_from_code};
pub use valid_event::{Party, ValidEvent};
pub use validate::{EventError, MAX_CLOCK_SKEW_MS, MIN_EVENT_TIME, validate};

//! Events: their JSON form, their validation, and the validated form.

mod event;
mod identifier;
mod valid_event;
mod validate;

pub use event::Event;
pub use identifier::{EventKind, GameMode, Identifier, mode_code, mode_from_code};
pub use valid_event::{Party, ValidEvent};
pub use validate::{EventError, MAX_CLOCK_SKEW_MS, MIN_EVENT_TIME, validate};

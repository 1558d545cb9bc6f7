//! What a reader tells of a session: the event as it travels, and the same event once it has been checked.

mod check;
mod checked;
mod event;
mod identifier;

pub use check::{CLOCK_AHEAD_MS, EventError, OLDEST_EVENT, check};
pub use checked::{CheckedEvent, Party};
pub use event::Event;
pub use identifier::{EventKind, GameMode, Identifier, mode_code, mode_from_code};

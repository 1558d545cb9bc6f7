//! Events: their JSON form, their validation, and the validated form.

mod category;
mod error;
mod event;
mod identifier;
mod identity;
mod valid_event;
mod validate;

pub use category::{CONNECTION, DEPARTURE, LOGIN, LOGOUT, OPT_IN, UNLISTED, category, is_listed};
pub use error::EventError;
pub use event::{Event, EventDetails};
pub use identifier::{EventKind, GameMode, Identifier, OptIn, mode_code, mode_from_code};
pub use valid_event::{Identity, Party, ValidEvent, is_contract_class};
pub use validate::{MAX_CLOCK_SKEW_MS, MIN_EVENT_TIME, validate, validate_stored};

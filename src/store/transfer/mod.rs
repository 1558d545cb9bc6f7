//! Tables as lines of JSON: every column that is not derived, references by the names they have outside.
//!
//! One description per table serves both directions and both databases; events have their own way (`features::transfer`).

mod read;
mod tables;
mod write;

pub use read::{counts, each, each_event, snapshot};
pub use tables::*;
pub use write::{add_missing_guilds, keys_by_hash, known_users, no_time_limit, put, settle};

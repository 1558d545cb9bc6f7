//! Rules of Apogee as pure values and functions: names, events and their counting rules, scores, ranks and permissions.
//!
//! The crate's other modules call this one; it calls none of them. It does no I/O, and functions take
//! the time as an argument; only [`clock`] reads one. What the parser of logs needs as well is defined in the crate `gamelog`.

pub mod addresses;
pub mod baseline;
pub mod career;
pub mod claims;
pub mod clock;
pub mod content_encoding;
pub mod counters;
pub mod day_start_ranks;
pub mod device_login;
pub mod devices;
pub mod fights;
mod hs256;
pub mod html;
pub mod json;
pub mod quota;
pub mod ranks;
pub mod scores;
pub mod sequencer;
pub mod stickers;
pub mod tokens;
pub mod top_n;
pub mod trust;
pub mod user_locks;
pub mod viewer;
pub mod windows;

pub use gamelog::{events, hex, log_header, names, npcs, patches, play_sessions, times};

//! The parser of `Game.log`: takes the bytes that the game writes and emits events.
//! The site, its log reader and the page share it, with what it needs: the events and their validation, names of players and classes,
//! patches and times.
//! It accesses no files, clocks, network or settings, and emits no events about other players except in fights.

pub mod catalogue;
mod collisions;
mod deaths;
mod emitter;
mod encoding;
mod envelope;
pub mod evening;
pub mod events;
mod fields;
mod fights;
mod fixed_texts;
mod grammar;
pub mod hex;
mod log_facts;
pub mod log_header;
mod missions;
pub mod names;
mod notice;
pub mod npcs;
mod parser;
pub mod patches;
mod phrases;
mod places;
pub mod play_sessions;
mod redact;
mod releases;
mod session;
mod stays;
#[cfg(test)]
mod tests;
mod text;
pub mod text_or_number;
pub mod times;
mod timestamp;
pub mod upload;
mod vehicles;

pub use grammar::{Grammar, GrammarError};
pub use log_facts::{CHANNELS, LogFacts};
pub use parser::{Counts, Parser};
pub use phrases::Phrases;
pub use redact::{MAX_REDACTED_BYTES, UnknownLine, redact};
pub use session::Ending;

//! The parser of `Game.log`: takes the bytes that the game writes and emits events.
//! The log reader (`reader`) calls it.
//! It accesses no files, clocks, network or settings, and emits no events about other players except in fights.

mod deaths;
mod emitter;
mod encoding;
mod envelope;
mod fields;
mod fights;
mod grammar;
mod log_facts;
mod missions;
mod parser;
mod redact;
mod releases;
mod session;
#[cfg(test)]
mod tests;
mod text;
mod timestamp;
mod vehicles;

pub use grammar::{Grammar, GrammarError};
pub use log_facts::{CHANNELS, LogFacts};
pub use parser::{Counts, Parser};
pub use redact::{MAX_REDACTED_BYTES, UnknownLine, redact};
pub use session::Ending;

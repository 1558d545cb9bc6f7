//! The grammar of `Game.log`: bytes as the game writes them in, events out.
//! The log reader (`watch`) calls it; anybody with the bytes of a log can.
//! Never here: files, clocks, the network, settings, and lines that name strangers outside of a fight.

mod deaths;
mod encoding;
mod fields;
mod fights;
mod grammar;
mod hud;
mod missions;
mod reader;
mod samples;
mod seats;
mod session;
mod stamps;
#[cfg(test)]
mod tests;

pub use grammar::{Grammar, GrammarError};
pub use reader::{Counts, Ending, Reader};
pub use samples::{SAMPLE_MAX_BYTES, Unknown, mask};

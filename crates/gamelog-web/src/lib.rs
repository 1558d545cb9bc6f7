//! The parser of `Game.log` for the page: reads one log after another, marks which events are sent, and counts what the page shows.
//!
//! `build.rs` of the site compiles it to WebAssembly. The page feeds the bytes of a log and takes lines of JSON, see `abi`.

#[cfg(target_arch = "wasm32")]
mod abi;
mod log_reading;
mod tally;

pub use log_reading::{LogReading, log_head};

//! The log reader: finds the logs of the game, follows them, and shows and uploads their events.
//! The command `apogee watch` and the reader's own page use it. Parsing is in `gamelog`.
//! Nothing is sent before the user has named a site and seen the privacy notice.

// `println!` panics on a closed pipe or a full device; a `Sink` reports it.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod browser;
pub mod claims;
pub mod control;
pub mod dashboard;
pub mod error;
pub mod feed;
pub mod filter;
pub mod follow;
pub mod grammar_store;
pub mod import;
pub mod installs;
pub mod log_file;
pub mod login;
pub mod mutex;
pub mod note;
pub mod once;
pub mod privacy;
pub mod queue;
pub mod read_ahead;
pub mod run;
pub mod settings;
pub mod status;
pub mod unknown_lines;
pub mod upload;

mod append_log;
mod open_log;
mod queue_state;
#[cfg(test)]
mod tests;
mod upload_task;

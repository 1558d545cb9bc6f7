//! Checks of a site from outside, with what it publishes.

mod entries;
mod tiles;
mod watch;

pub use watch::{Problem, WatchError, WatchReport, Watcher};

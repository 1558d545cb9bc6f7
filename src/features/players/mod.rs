//! A player's own page: who, which figures, which ranks, what was used, what happened.

mod profile;
mod usage;

pub use profile::{PlayerLookup, find_visible, history, profile, view};
pub use usage::{missions, vehicles, weapons};

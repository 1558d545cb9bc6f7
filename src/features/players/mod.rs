//! A player's page: profile, scores, ranks, equipment and history.

mod listing;
mod profile;
mod usage;

pub use listing::{list, unlist};
pub use profile::{PlayerLookup, find_visible, history, profile, view};
pub use usage::{missions, vehicles, weapons};

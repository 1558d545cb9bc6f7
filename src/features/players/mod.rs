//! A player's page: profile, scores, ranks, equipment and history.

mod career;
mod listing;
mod profile;
mod usage;

pub use career::{career, feats_of};
pub use listing::{list, unlist};
pub use profile::{PlayerLookup, find_visible, history, profile, view};
pub use usage::{missions, vehicles, weapons};

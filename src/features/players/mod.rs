//! A player's page: profile, scores, ranks, equipment and history.

mod career;
mod listing;
mod profile;
mod usage;

pub use career::{career, feats_of};
pub use listing::{list, unlist};
pub use profile::{history, profile, require_visible, view};
pub use usage::{grouped, missions, vehicles, weapons};

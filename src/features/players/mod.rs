//! A player's own page: who, which figures, which ranks, what was used, what happened, what the game's site says.

mod profile;
pub mod refresh;
mod usage;

pub use profile::{Visible, find_visible, history, profile, view};
pub use refresh::REFRESH_REST;
pub use usage::{missions, vehicles, weapons};

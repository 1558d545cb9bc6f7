//! The commands beside `serve`: what they promise, on both databases.

mod archives;
mod beside;
mod check;
mod copies;
mod demo;
mod forms;
mod locks;
mod output;
mod upgrades;
mod usage;

pub use archives::lived_in as with_content;
pub use upgrades::{undo_from as undo_migrations_from, undo_newest as undo_newest_migrations};

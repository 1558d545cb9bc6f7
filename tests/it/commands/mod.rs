//! The commands beside `serve`: what they promise, on both databases.

mod archives;
mod check;
mod copies;
mod locks;
mod upgrades;
mod usage;

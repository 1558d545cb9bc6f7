//! Contracts of the routes, one file per file of `routes`.
//! Run by `cargo test --test it api::`.
//! Never here: starting a server or building events; that is in `support`.

mod account;
mod activity;
mod backend_parity;
mod bodies;
mod caching;
mod cards;
mod career;
mod claims;
mod commits;
mod everywhere;
mod examples;
mod guilds;
mod health;
mod hiding;
mod ingest;
mod keys;
mod leaderboard;
mod links;
pub mod openapi;
mod patch;
mod permissions;
mod players;
pub mod rate_limits;
mod schemathesis;
mod search;
mod sessions;
mod settings;
mod site;
mod stickers;
mod uploads;

pub use leaderboard::insert_guilds;
pub use settings::People;

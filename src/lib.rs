//! Apogee: statistics, rankings and profiles of Star Citizen's players and guilds, in one binary.
//!
//! The rooms, in the order to read them: what things are (`domain`, `catalogue`), where they lie (`store`, `search`,
//! `live`), how they are told (`views`, `error`), what can be done (`features`), and the doors (`routes`, `cli`).

pub mod app;
pub mod catalogue;
pub mod config;
pub mod domain;
pub mod error;
pub mod features;
pub mod live;
pub mod search;
pub mod store;
pub mod views;

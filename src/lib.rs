//! Apogee: statistics, rankings and profiles of Star Citizen's players and guilds, in one binary.

pub mod catalogue;
pub mod demo;
pub mod domain;

//! Apogee: statistics, rankings and profiles of Star Citizen's players and guilds, in one binary.

pub mod domain;
pub mod gamelog;
pub mod watch;

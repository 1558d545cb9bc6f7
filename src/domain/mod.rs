//! The rules of Apogee as pure values and functions: names, events and what they count, scores, ranks, viewers.
//! Every other room calls it; it calls none of them.
//! Never here: I/O, SQL, HTTP, settings, or a reading of the clock (the time is always an argument).

pub mod addresses;
pub mod claims;
pub mod counters;
pub mod day_start_ranks;
pub mod device_login;
pub mod devices;
pub mod events;
pub mod fights;
pub mod json;
pub mod names;
pub mod npcs;
pub mod patches;
pub mod play_sessions;
pub mod ranks;
pub mod scores;
pub mod sequencer;
pub mod stickers;
pub mod times;
pub mod tokens;
pub mod top_n;
pub mod user_locks;
pub mod viewer;
pub mod windows;

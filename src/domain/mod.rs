//! The rules of Apogee as pure values and functions: names, events and what they count, scores, ranks, viewers.
//! Every other room calls it; it calls none of them.
//! Never here: I/O, SQL, HTTP, settings, or a reading of the clock (the time is always an argument).

pub mod addresses;
pub mod claims;
pub mod counters;
pub mod devices;
pub mod events;
pub mod fights;
pub mod json;
pub mod names;
pub mod npcs;
pub mod order;
pub mod patches;
pub mod ranks;
pub mod reader;
pub mod scores;
pub mod sessions;
pub mod standings;
pub mod stickers;
pub mod times;
pub mod tokens;
pub mod user_locks;
pub mod viewer;
pub mod windows;
pub mod yesterday;

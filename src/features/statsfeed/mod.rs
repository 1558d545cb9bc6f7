//! StatsFeed: Discord channels that receive a feed of events.
//!
//! `/statsfeed` subscribes a channel (`subscriptions`). A job turns new events into queued messages (`sender`, `render`),
//! posts them (`delivery`) and keeps leaderboard messages up to date (`board`).

mod board;
mod delivery;
mod feed;
mod message;
mod render;
mod sender;
mod subscriptions;

pub use delivery::{JOB, Sender};
pub use feed::{EventGroup, FeedFilter, FeedKind, parse_filter};
pub use subscriptions::{list, remove, set};

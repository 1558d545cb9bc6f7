//! The live feed: a ring of recent messages with ids, the current state of topics that have one, and subscriptions that read
//! both at their own pace.
//!
//! `features` publishes after each commit; `http` writes a subscription to its client. This module knows topics, ids and bytes,
//! not players or events.

mod hub;
mod hub_state;
mod ring;
mod states;
mod subscription;
#[cfg(test)]
mod tests;

pub use hub::{Hub, OutgoingMessage, Resume};
pub use ring::{Topic, event_id_of, message_id};
pub use states::StateUpdate;
pub use subscription::Subscription;

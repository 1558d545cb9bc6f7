//! The live feed: a ring of messages by id, and subscribers that read it from their own place; the current state of topics
//! that have one.
//! `features` publishes after a commit, `http` streams a subscription to a reader.
//! Never here: what a player or an event is; it knows topics, ids and bytes.

mod hub;
mod ring;
mod seats;
mod states;
mod subscription;
#[cfg(test)]
mod tests;

pub use hub::{Hub, OutgoingMessage, Resume};
pub use ring::{Topic, event_id_of, message_id};
pub use seats::{Seat, Seats};
pub use states::StateUpdate;
pub use subscription::Subscription;

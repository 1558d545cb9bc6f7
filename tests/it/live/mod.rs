//! The live stream: delivery of events, topics with a state, and connections.

pub mod connections;
pub mod events;
pub mod topics;

//! A batch of events, and the response to it.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::events::Event;

/// Events to store. An invalid one only affects itself.
#[derive(ToSchema)]
pub struct EventBatch {
    pub events: Vec<Event>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rejected {
    /// Index in the batch, from 0.
    pub index: usize,
    pub error: String,
}

/// The kind of an ingest key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyKind {
    /// Everything that the key reports counts.
    Operator,
    /// The key uploads the events of its account's player.
    Account,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct KeyAnswer {
    pub kind: KeyKind,
    /// The handle of the player that the account has claimed.
    pub player: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct IngestAnswer {
    /// New events, now on disk.
    pub accepted: usize,
    /// Events that this or another reader has uploaded before.
    pub duplicates: usize,
    /// Events of kinds that the owner of the player does not share. This is no failure: they are not stored.
    pub dropped: usize,
    pub rejected: Vec<Rejected>,
}

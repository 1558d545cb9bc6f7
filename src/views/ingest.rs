//! The response to a batch of events.

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rejected {
    /// Index in the batch, from 0.
    pub index: usize,
    pub error: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct IngestAnswer {
    /// New events, now on disk.
    pub accepted: usize,
    /// Events that this or another reader has uploaded before.
    pub duplicates: usize,
    pub rejected: Vec<Rejected>,
}

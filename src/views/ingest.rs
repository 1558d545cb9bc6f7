//! The answer to a batch of events.

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rejected {
    /// Place in the batch, from 0.
    pub index: usize,
    pub error: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct IngestAnswer {
    /// New events that are on disk now.
    pub accepted: usize,
    /// Events that were known already, by this reader or by another.
    pub duplicates: usize,
    pub rejected: Vec<Rejected>,
}

//! The response to a batch of events.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::trust::Reasons;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Rejected {
    /// Index in the batch, from 0.
    pub index: usize,
    pub error: String,
}

/// An event that is stored and does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Held {
    /// Index in the batch, from 0.
    pub index: usize,
    /// The first reason why it does not count, such as `unclaimed` or `third_party`.
    pub reason: &'static str,
}

impl From<(usize, Reasons)> for Held {
    fn from((index, reasons): (usize, Reasons)) -> Self {
        Self { index, reason: reasons.names().first().copied().unwrap_or_default() }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct IngestAnswer {
    /// New events, now on disk.
    pub accepted: usize,
    /// Events that this or another reader has uploaded before.
    pub duplicates: usize,
    /// Accepted events that are stored and do not count.
    pub held: Vec<Held>,
    pub rejected: Vec<Rejected>,
}

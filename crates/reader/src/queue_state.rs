//! The counters of a queue.

use std::collections::BTreeMap;

use gamelog::times::EpochMillis;
use serde::Serialize;

/// A log that is never sent, because another account has claimed its player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForeignLog {
    pub handle: String,
    /// The first timestamp of the log.
    pub first: Option<EpochMillis>,
}

/// Counters of a queue.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct QueueState {
    pub waiting: u64,
    pub sent: u64,
    pub logs: u64,
    /// Queued events by the lower-case handle of their log's player.
    #[serde(skip)]
    pub players: BTreeMap<String, u64>,
    /// Logs that are never sent.
    pub foreign_logs: Vec<ForeignLog>,
}

//! Batches of events that wait for a transaction.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::domain::events::ValidEvent;
use crate::domain::trust::{LogHeader, Reasons, Reporter};
use crate::error::AppError;

/// A batch of valid events that waits for a transaction.
pub struct WaitingBatch {
    pub reporter: Reporter,
    pub events: Vec<ValidEvent>,
    /// The log that the events come from.
    pub log: Option<LogHeader>,
    pub reply: oneshot::Sender<Result<BatchOutcome, AppError>>,
}

/// What became of one batch, for its response.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct BatchOutcome {
    pub accepted: usize,
    pub duplicates: usize,
    /// Events that are stored and do not count: index among the events of the batch, and why.
    pub held: Vec<(usize, Reasons)>,
}

/// The waiting batches, shared by their senders and the workers that commit them.
#[derive(Default)]
pub struct IngestQueue {
    state: Mutex<IngestQueueState>,
}

#[derive(Default)]
pub struct IngestQueueState {
    /// Oldest first.
    pub waiting: VecDeque<WaitingBatch>,
    pub active_workers: usize,
}

impl IngestQueue {
    pub fn lock(&self) -> MutexGuard<'_, IngestQueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Batches of events that wait for a transaction.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::domain::events::ValidEvent;
use crate::domain::trust::{LogHeader, Reporter};
use crate::error::AppError;

/// A batch of valid events that waits for a transaction.
pub struct WaitingBatch {
    pub reporter: Reporter,
    pub events: Vec<ValidEvent>,
    /// The log that the events come from.
    pub log: Option<LogHeader>,
    /// Receives `(accepted, duplicates)`.
    pub reply: oneshot::Sender<Result<(usize, usize), AppError>>,
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

//! Stopping and pausing a running reader, from a signal, the page, or a test.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Stops or pauses a running reader.
#[derive(Default)]
pub struct Control {
    is_stopped: AtomicBool,
    is_paused: AtomicBool,
    pub(super) changed: Notify,
}

impl Control {
    /// Stops the reader. Queued events remain on disk.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        self.changed.notify_waiters();
    }

    /// Pauses or resumes uploads. Reading continues.
    pub fn pause(&self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::SeqCst);
        self.changed.notify_waiters();
    }

    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }

    pub fn is_paused(&self) -> bool {
        self.is_paused.load(Ordering::SeqCst)
    }

    /// Awaits a future until [`Control::stop`]. Returns `None` if the reader is stopped first.
    pub async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            result = work => Some(result),
            () = self.stopped() => None,
        }
    }

    /// Waits for [`Control::stop`].
    pub async fn stopped(&self) {
        loop {
            // Created before the check, so that a stop in between is not missed.
            let changed = self.changed.notified();
            if self.is_stopped() {
                return;
            }
            changed.await;
        }
    }
}

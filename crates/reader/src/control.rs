//! Stopping and pausing a running reader, from a signal, the page, or a test.

use tokio::sync::watch;

#[derive(Default)]
struct State {
    is_stopped: bool,
    is_paused: bool,
}

/// Stops or pauses a running reader.
#[derive(Default)]
pub struct Control(watch::Sender<State>);

impl Control {
    /// Stops the reader. Queued events remain on disk.
    pub fn stop(&self) {
        self.0.send_modify(|state| state.is_stopped = true);
    }

    /// Pauses or resumes uploads. Reading continues.
    pub fn pause(&self, is_paused: bool) {
        self.0.send_modify(|state| state.is_paused = is_paused);
    }

    pub fn is_stopped(&self) -> bool {
        self.0.borrow().is_stopped
    }

    pub fn is_paused(&self) -> bool {
        self.0.borrow().is_paused
    }

    /// Awaits a future until [`Control::stop`]. Returns `None` if the reader is stopped first.
    pub async fn unless_stopped<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut state = self.0.subscribe();
        tokio::select! {
            result = work => Some(result),
            _ = state.wait_for(|state| state.is_stopped) => None,
        }
    }

    /// Waits for the next stop, pause or resumption; does not wait if the reader is stopped.
    pub(super) async fn changed(&self) {
        let mut state = self.0.subscribe();
        if !self.is_stopped() {
            // Cannot fail: the sender is `self`.
            let _ = state.changed().await;
        }
    }
}

//! The current time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::times::EpochMillis;

/// The clock of a site: that of the computer, and what tests add to it. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    added_ms: Arc<AtomicI64>,
}

impl Clock {
    /// The current time of the site.
    pub fn now(&self) -> EpochMillis {
        EpochMillis(now().0 + self.added_ms.load(Ordering::Relaxed))
    }

    /// Moves the clock forward.
    pub fn advance(&self, by: Duration) {
        self.added_ms.fetch_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX), Ordering::Relaxed);
    }
}

/// The current time of the computer. Features use that of the site, [`Clock::now`].
pub fn now() -> EpochMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    EpochMillis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

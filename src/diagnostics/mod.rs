//! What happened lately in this process: errors that were answered, how each job ran, and a bell to run one now.
//! `http` and `jobs` write into it; `features` read it for the admins' page.
//! Never here: a line of the log, the database, or anything a visitor told of themselves.

mod error_log;
mod job_stats;

use std::sync::atomic::{AtomicU64, Ordering};

pub use error_log::{ErrorEntry, ErrorLog};
pub use job_stats::{JobStats, JobTriggers};

/// Both lists and the number of panics, built once with the app.
#[derive(Debug, Default)]
pub struct Diagnostics {
    pub errors: ErrorLog,
    pub jobs: JobTriggers,
    panics: AtomicU64,
}

impl Diagnostics {
    /// Counts a handler, stream or job that panicked.
    pub fn record_panic(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// How many have until now.
    pub fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }
}

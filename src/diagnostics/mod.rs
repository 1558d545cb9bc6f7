//! Recent errors, job statistics and panics of this process, for the admin page, and the encoding of its metrics.
//!
//! `http` and `jobs` record them; `features` reads them and triggers jobs. Nothing is persisted, and no entry contains input of a
//! visitor.

mod error_log;
mod job_stats;
pub mod metrics;

use std::sync::atomic::{AtomicU64, Ordering};

use crate::domain::clock;

pub use error_log::{ErrorEntry, ErrorLog};
pub use job_stats::{JobStats, JobTriggers};

/// Errors, jobs and panics since the start of the process.
#[derive(Debug, Default)]
pub struct Diagnostics {
    pub errors: ErrorLog,
    pub jobs: JobTriggers,
    panics: AtomicU64,
}

impl Diagnostics {
    /// Records an error of a component, named by `code`.
    pub fn record_error(&self, code: &str, message: String) {
        self.errors.add(ErrorEntry { at: clock::now(), code: code.into(), message, request_id: None, path: None });
    }

    /// Counts a panic of a handler, stream or job.
    pub fn record_panic(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// Number of panics.
    pub fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }
}

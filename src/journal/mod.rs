//! What happened lately in this process: errors that were answered, how each job ran, and a bell to run one now.
//! `http` and `jobs` write into it; `features` read it for the admins' page.
//! Never here: a line of the log, the database, or anything a visitor told of themselves.

mod errors;
mod jobs;

use std::sync::atomic::{AtomicU64, Ordering};

pub use errors::{ErrorNote, Errors};
pub use jobs::{JobNote, Jobs};

/// Both lists and the number of panics, built once with the app.
#[derive(Debug, Default)]
pub struct Journal {
    pub errors: Errors,
    pub jobs: Jobs,
    panics: AtomicU64,
}

impl Journal {
    /// Counts a handler, stream or job that panicked.
    pub fn panicked(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// How many have until now.
    pub fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }
}

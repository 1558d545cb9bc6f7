//! What happened lately in this process: errors that were answered, how each job ran, and a bell to run one now.
//! `http` and `jobs` write into it; `features` read it for the admins' page.
//! Never here: a line of the log, the database, or anything a visitor told of themselves.

mod errors;
mod jobs;

pub use errors::{ErrorNote, Errors};
pub use jobs::{JobNote, Jobs};

/// Both lists, built once with the app.
#[derive(Debug, Default)]
pub struct Journal {
    pub errors: Errors,
    pub jobs: Jobs,
}

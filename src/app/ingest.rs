//! Turns of accounts that upload.

use crate::domain::user_locks::UserLocks;

/// What ingest keeps in a process.
#[derive(Debug, Default)]
pub struct Ingest {
    /// One batch of an account at a time, by the code of the account: its limits depend on what it has reported before.
    pub accounts: UserLocks,
}

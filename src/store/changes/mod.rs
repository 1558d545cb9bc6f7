//! Committed changes as plain data, and their log in the database.
//!
//! A transaction records its change as its last step and takes the next number of the log with it. After the commit this process applies
//! it; other processes receive it through PostgreSQL's `NOTIFY` or read it from the table `changes`. SQLite has one process, which applies
//! its own changes only.
//! Never here: the effects of a change; `projections` has them.

mod change;
mod ingest_change;
mod log;
mod position;

pub use change::{Change, EntityChange, RecordedChange};
pub use ingest_change::{GuildScoreChange, IngestChange};
pub use log::{
    CHANNEL, PublishedChange, ReadError, after, delete_old, lock_sequence, newest, parse_notification, read, record,
};
pub use position::ChangePosition;

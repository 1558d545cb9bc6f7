//! Replication between the processes of one database: committed changes as data, their log, and the follower.
//!
//! A transaction records its change as its last step and takes the next number of the log with it. After the commit the change
//! is applied in this process; other processes receive it through PostgreSQL's `NOTIFY` or read it from the table `changes`.
//! SQLite has one process, which applies its own changes only.
//! Never here: the effects of a change; `projections` has them.

mod change;
mod follower;
mod ingest_change;
mod log;
mod sequence;

pub use change::{Change, EntityChange, RecordedChange};
pub use follower::{Follower, Replica};
pub use ingest_change::{GuildScoreChange, IngestChange};
pub use log::{delete_old, record};
pub use sequence::ChangeSequence;

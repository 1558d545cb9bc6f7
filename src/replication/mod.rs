//! Delivers committed changes to the projections of this process, each once and in the order of the commits: its own, and those that the
//! follower receives from other processes of the same PostgreSQL database.
//! Never here: the effects of a change; `projections` has them.

mod follower;
mod sequence;

pub use follower::{Follower, Replica};
pub use sequence::ChangeSequence;

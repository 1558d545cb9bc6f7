//! Recurring jobs of the server. [`table::JOBS`] lists them with interval and lease; [`tasks`] holds the ones with state.
//!
//! Started by `server`. A job calls a feature or a projection and contains no other logic. Every job may run in several
//! processes at the same time, or again after a crash.

mod follower;
mod runner;
mod table;
mod tasks;

use std::sync::Arc;

use crate::app::App;
use crate::features;

pub use follower::start_follower;

/// Starts all jobs on the current runtime. They end with it.
pub fn start(app: &Arc<App>) {
    let shared = Arc::clone(app);
    tokio::task::spawn_blocking(move || features::cards::warm_up(&shared.cards));
    table::JOBS.iter().for_each(|job| runner::spawn(app, job));
}

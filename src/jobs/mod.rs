//! Timers: what happens by itself while the site runs.
//! Started by `server`; each is safe to run twice and in two processes.
//! Never here: what a job does; that is a feature.

mod changes;
mod commits;
mod live;
mod refresh;
mod statsfeed;
mod uploads;
mod visits;

use std::sync::Arc;

use crate::app::App;

/// Begins to hear what other processes on the same database commit; before anything is written.
pub fn follow(app: &Arc<App>) -> std::io::Result<()> {
    changes::follow(app)
}

/// Starts every job on the current runtime; they end with it.
pub fn start(app: &Arc<App>) {
    tokio::spawn(changes::forget(Arc::clone(app)));
    tokio::spawn(live::beat(Arc::clone(app)));
    tokio::spawn(live::figures(Arc::clone(app)));
    tokio::spawn(commits::poll(Arc::clone(app)));
    tokio::spawn(refresh::rounds(Arc::clone(app)));
    tokio::spawn(statsfeed::post(Arc::clone(app)));
    tokio::spawn(uploads::sweep(Arc::clone(app)));
    tokio::spawn(visits::forget(Arc::clone(app)));
}

//! Timers: what happens by itself while the site runs.
//! Started by `server`; each is safe to run twice and in two processes.
//! Never here: what a job does; that is a feature.

mod account;
mod commits;
mod live;
mod refresh;
mod search;
mod statsfeed;
mod uploads;
mod visits;
mod windows;

use std::sync::Arc;

use crate::app::App;
use crate::features;

/// Starts every job on the current runtime; they end with it.
pub fn start(app: &Arc<App>) {
    let cards = Arc::clone(app);
    tokio::task::spawn_blocking(move || features::cards::warm_up(&cards));
    tokio::spawn(live::beat(Arc::clone(app)));
    tokio::spawn(live::figures(Arc::clone(app)));
    tokio::spawn(commits::poll(Arc::clone(app)));
    tokio::spawn(refresh::rounds(Arc::clone(app)));
    tokio::spawn(search::follow(Arc::clone(app)));
    tokio::spawn(statsfeed::post(Arc::clone(app)));
    tokio::spawn(uploads::sweep(Arc::clone(app)));
    tokio::spawn(account::forget(Arc::clone(app)));
    tokio::spawn(visits::forget(Arc::clone(app)));
    tokio::spawn(windows::keep(Arc::clone(app)));
}

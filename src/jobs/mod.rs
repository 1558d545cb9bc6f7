//! Timers: what happens by itself while the site runs.
//! Started by `server`; each is safe to run twice and in two processes.
//! Never here: what a job does; that is a feature.

mod account;
mod backups;
mod changes;
mod commits;
mod live;
mod refresh;
mod search;
mod statsfeed;
mod uploads;
mod visits;
mod windows;

use std::sync::Arc;
use std::time::Instant;

use crate::app::App;
use crate::error::AppError;
use crate::features;
use crate::journal::ErrorNote;

/// Begins to hear what other processes on the same database commit; before anything is written.
pub fn follow(app: &Arc<App>) -> std::io::Result<()> {
    changes::follow(app)
}

/// Starts every job on the current runtime; they end with it.
pub fn start(app: &Arc<App>) {
    let cards = Arc::clone(app);
    tokio::task::spawn_blocking(move || features::cards::warm_up(&cards));
    tokio::spawn(backups::make(Arc::clone(app)));
    tokio::spawn(changes::forget(Arc::clone(app)));
    tokio::spawn(live::beat(Arc::clone(app)));
    tokio::spawn(live::figures(Arc::clone(app)));
    tokio::spawn(commits::poll(Arc::clone(app)));
    tokio::spawn(refresh::rounds(Arc::clone(app)));
    tokio::spawn(search::follow(Arc::clone(app)));
    tokio::spawn(statsfeed::post(Arc::clone(app)));
    tokio::spawn(statsfeed::count_servers(Arc::clone(app)));
    tokio::spawn(statsfeed::tell_webhooks(Arc::clone(app)));
    tokio::spawn(statsfeed::forget_deliveries(Arc::clone(app)));
    tokio::spawn(uploads::sweep(Arc::clone(app)));
    tokio::spawn(account::forget(Arc::clone(app)));
    tokio::spawn(visits::forget(Arc::clone(app)));
    tokio::spawn(windows::keep(Arc::clone(app)));
}

/// Runs a job once and notes how it went, for the log and the admins' page.
async fn run<T>(app: &App, name: &'static str, work: impl Future<Output = Result<T, AppError>>) {
    let began = Instant::now();
    let error = work.await.err().map(|error| match &error {
        AppError::Internal(source) => source.to_string(),
        other => other.to_string(),
    });
    if let Some(message) = &error {
        tracing::warn!(job = name, error = message, "a job failed");
        let note = ErrorNote {
            at: App::now(),
            code: "JOB".into(),
            message: format!("{name}: {message}"),
            request_id: None,
            path: None,
        };
        app.journal.errors.add(note);
    }
    app.journal.jobs.ran(name, App::now(), began.elapsed(), error);
}

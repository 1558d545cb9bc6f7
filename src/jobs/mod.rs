//! Timers: what happens by itself while the site runs.
//! Started by `server`; each is safe to run twice and in two processes.
//! Never here: what a job does; that is a feature.

mod account;
mod backups;
mod changes;
mod commits;
mod feeds;
mod live;
mod rebuild;
mod refresh;
mod rosters;
mod search;
mod statsfeed;
mod uploads;
mod visits;
mod windows;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::App;
use crate::diagnostics::ErrorEntry;
use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::features;

/// How long a job that panicked waits before it begins anew.
const REST: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 5 });

/// Begins to hear what other processes on the same database commit; before anything is written.
pub fn follow(app: &Arc<App>) -> std::io::Result<()> {
    changes::follow(app)
}

/// Starts every job on the current runtime; they end with it.
pub fn start(app: &Arc<App>) {
    let cards = Arc::clone(app);
    tokio::task::spawn_blocking(move || features::cards::warm_up(&cards));
    keep(app, "backups", backups::make);
    keep(app, "changes", changes::delete_old);
    keep(app, "heartbeat", live::beat);
    keep(app, "feeds", feeds::follow_hidden);
    keep(app, "figures", live::figures);
    keep(app, "boards", live::boards);
    keep(app, "window-boards", live::window_boards);
    keep(app, "commits", commits::poll);
    keep(app, "rebuild", rebuild::when_stale);
    keep(app, "refresh", refresh::refresh);
    keep(app, "rosters", rosters::read);
    keep(app, "search", search::follow);
    keep(app, "statsfeed", statsfeed::post);
    keep(app, "bot-servers", statsfeed::count_servers);
    keep(app, "webhooks", statsfeed::send_webhooks);
    keep(app, "webhook-log", statsfeed::forget_deliveries);
    keep(app, "uploads", uploads::sweep);
    keep(app, "account", account::forget);
    keep(app, "visits", visits::forget);
    keep(app, "windows", windows::keep);
}

/// Starts a job that goes on for as long as the process.
fn keep<F>(app: &Arc<App>, name: &'static str, job: impl Fn(Arc<App>) -> F + Send + 'static)
where
    F: Future<Output = ()> + Send + 'static,
{
    let (of_job, of_note) = (Arc::clone(app), Arc::clone(app));
    tokio::spawn(again(move || job(Arc::clone(&of_job)), move || panicked(&of_note, name)));
}

/// Runs a job until it ends by itself. One that panics is one run that failed: it begins anew after a rest.
async fn again<F>(job: impl Fn() -> F, panicked: impl Fn())
where
    F: Future<Output = ()> + Send + 'static,
{
    while tokio::spawn(job()).await.is_err_and(|end| end.is_panic()) {
        panicked();
        tokio::time::sleep(REST).await;
    }
}

fn panicked(app: &App, name: &str) {
    app.diagnostics.record_panic();
    tracing::error!(job = name, "a job panicked; it begins anew");
    app.diagnostics.errors.add(note(format!("{name}: it panicked")));
}

fn note(message: String) -> ErrorEntry {
    ErrorEntry { at: EpochMillis::now(), code: "JOB".into(), message, request_id: None, path: None }
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
        app.diagnostics.errors.add(note(format!("{name}: {message}")));
    }
    app.diagnostics.jobs.record_run(name, EpochMillis::now(), began.elapsed(), error);
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn t19_a_job_that_panics_is_one_run_that_failed_and_it_begins_anew() {
        let (begun, noted) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let job = || {
            let number = begun.fetch_add(1, Ordering::Relaxed);
            async move { assert!(number >= 2, "on purpose") }
        };
        again(job, || _ = noted.fetch_add(1, Ordering::Relaxed)).await;
        assert_eq!((begun.into_inner(), noted.into_inner()), (3, 2));
    }
}

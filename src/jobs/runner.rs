//! Runs jobs: waits for their intervals and leases, records each run, and restarts a job after a panic.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;

use crate::app::App;
use crate::diagnostics::Diagnostics;
use crate::domain::clock;
use crate::error::AppError;
use crate::features::leases::Lease;

/// The delay before a job restarts after a panic.
pub const RESTART_DELAY: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 5 });

/// A row of the table of jobs.
pub struct Job {
    /// The name in logs, on the admin page, and of the lease.
    pub name: &'static str,
    /// The delay between two runs, unless a run returns another one.
    pub interval: Duration,
    /// The longest delay between two runs, if only the process that holds the lease runs the job. Without it each process does; some
    /// tasks acquire a lease themselves, for each call or piece of work.
    pub lease: Option<Duration>,
    pub create: Create,
}

/// Creates the task of a job; `None` if the settings or the database do not need the job.
pub type Create = fn(&Arc<App>) -> Option<Box<dyn Task>>;

/// The outcome of a run: the delay before the next one, or `None` for the job's interval.
pub type Run<'a> = BoxFuture<'a, Result<Option<Duration>, AppError>>;

/// The work of a job, with the state between its runs.
pub trait Task: Send {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a>;

    /// The delay before the first run.
    fn first_delay(&self) -> Duration {
        Duration::ZERO
    }

    /// Discards unfinished work, because another process holds the lease.
    fn lease_lost(&mut self) {}
}

/// A state and the function of each run.
struct Stateful<S> {
    state: S,
    run: RunWith<S>,
}

type RunWith<S> = for<'a> fn(&'a mut S, &'a Arc<App>) -> Run<'a>;

impl<S: Send> Task for Stateful<S> {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a> {
        (self.run)(&mut self.state, app)
    }
}

/// Creates a task that passes this state from run to run.
pub fn task<S: Send + 'static>(state: S, run: RunWith<S>) -> Option<Box<dyn Task>> {
    Some(Box::new(Stateful { state, run }))
}

/// Starts a job that runs as long as the process. It is registered when this returns, so that an admin can request a run at once.
pub fn spawn(app: &Arc<App>, job: &'static Job) {
    if (job.create)(app).is_none() {
        return;
    }
    app.diagnostics.jobs.register(job.name);
    let (of_job, of_panic) = (Arc::clone(app), Arc::clone(app));
    let run = move || run_repeatedly(Arc::clone(&of_job), job);
    tokio::spawn(restart_on_panic(run, move || report_panic(&of_panic.diagnostics, job.name)));
}

async fn run_repeatedly(app: Arc<App>, job: &'static Job) {
    let Some(mut task) = (job.create)(&app) else { return };
    let mut lease = job.lease.map(|longest_delay| Lease::of_job(job.name, longest_delay));
    let first_delay = task.first_delay();
    if !first_delay.is_zero() {
        app.diagnostics.jobs.wait_for_trigger(job.name, first_delay).await;
    }
    loop {
        let is_ours = match &mut lease {
            Some(lease) => lease.is_held(&app).await,
            None => true,
        };
        let delay = if is_ours {
            run_once(&app.diagnostics, job.name, task.run(&app)).await
        } else {
            task.lease_lost();
            None
        };
        app.diagnostics.jobs.wait_for_trigger(job.name, delay.unwrap_or(job.interval)).await;
    }
}

/// Runs a task once and records the outcome for the log and the admin page.
async fn run_once(diagnostics: &Diagnostics, name: &'static str, run: Run<'_>) -> Option<Duration> {
    let began = Instant::now();
    let (delay, error) = match run.await {
        Ok(delay) => (delay, None),
        Err(AppError::Internal(source)) => (None, Some(source.to_string())),
        Err(error) => (None, Some(error.to_string())),
    };
    if let Some(message) = &error {
        tracing::warn!(job = name, error = message, "a job failed");
        diagnostics.record_error("JOB", format!("{name}: {message}"));
    }
    diagnostics.jobs.record_run(name, clock::now(), began.elapsed(), error);
    delay
}

/// Runs a job until it returns, and starts it again after each panic.
async fn restart_on_panic<F>(job: impl Fn() -> F, on_panic: impl Fn())
where
    F: Future<Output = ()> + Send + 'static,
{
    while tokio::spawn(job()).await.is_err_and(|end| end.is_panic()) {
        on_panic();
        tokio::time::sleep(RESTART_DELAY).await;
    }
}

pub fn report_panic(diagnostics: &Diagnostics, name: &str) {
    diagnostics.record_panic();
    tracing::error!(job = name, "a job panicked and is restarted");
    diagnostics.record_error("JOB", format!("{name}: it panicked"));
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn t19_a_job_that_panics_is_restarted() {
        let (started, reported) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let job = || {
            let number = started.fetch_add(1, Ordering::Relaxed);
            async move { assert!(number >= 2, "on purpose") }
        };
        restart_on_panic(job, || _ = reported.fetch_add(1, Ordering::Relaxed)).await;
        assert_eq!((started.into_inner(), reported.into_inner()), (3, 2));
    }
}

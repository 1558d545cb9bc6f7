//! Which of several processes on one database runs a timed job.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::app::App;
use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::store::leases;

/// A holder renews no more often than this, and whoever has none asks no more often.
const RENEW_INTERVAL: Duration = Duration::from_secs(5);
/// How much longer a lease ttl than the time between two runs: it is renewed with each.
const LEASE_MARGIN: Duration = Duration::from_secs(30);

/// A job's lease, taken and renewed as it is asked for. On SQLite, with its one process, it is always held.
pub struct Lease {
    app: Arc<App>,
    name: &'static str,
    ttl: Duration,
    /// What the last try gave, and when.
    last: Option<(bool, Instant)>,
}

impl Lease {
    /// For a job that runs every so often. A process that dies holds its jobs up until its leases run out.
    pub fn of(app: &Arc<App>, name: &'static str, every: Duration) -> Self {
        Self { app: Arc::clone(app), name, ttl: every + LEASE_MARGIN, last: None }
    }

    /// Whether this process is to run the job now. A database that does not answer gives nobody the job.
    pub async fn is_held(&mut self) -> bool {
        if !self.app.store.is_postgres() {
            return true;
        }
        if let Some((is_held, at)) = self.last
            && at.elapsed() < RENEW_INTERVAL
        {
            return is_held;
        }
        // Counted from before the call, so that it ends here no later than there.
        let began = Instant::now();
        let (name, holder, now) = (self.name, self.app.process.id().to_owned(), EpochMillis::now().0);
        let until = now + self.ttl.as_millis() as i64;
        let taken = self
            .app
            .store
            .write(move |tx| leases::renew_or_acquire(tx, name, &holder, now, until).map_err(AppError::from));
        let is_held = taken.await.unwrap_or_else(|error| {
            tracing::warn!(%error, job = self.name, "the lease of a job could not be taken");
            false
        });
        self.last = Some((is_held, began));
        is_held
    }
}

/// Gives everything back at a clean stop, so that another process goes on at once, or this one after a restart.
pub async fn release_all(app: &App) -> Result<(), AppError> {
    let holder = app.process.id().to_owned();
    app.store.write(move |tx| leases::release_all(tx, &holder).map_err(AppError::from)).await?;
    Ok(())
}

//! Leases, which decide which of several processes on one database runs a job.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::app::App;
use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::store::leases;

/// The minimum time between two attempts to take or renew a lease.
const RENEW_INTERVAL: Duration = Duration::from_secs(5);
/// How much longer a lease lasts than the interval of its job.
const LEASE_MARGIN: Duration = Duration::from_secs(30);

/// The lease of a job, taken and renewed when its holder is determined. On SQLite, which has a single process, it is always
/// held.
pub struct Lease {
    app: Arc<App>,
    name: &'static str,
    ttl: Duration,
    /// The result of the last attempt, and its time.
    last: Option<(bool, Instant)>,
}

impl Lease {
    /// Creates the lease of a job that runs at this interval. If a process dies, its jobs pause until their leases expire.
    pub fn of(app: &Arc<App>, name: &'static str, every: Duration) -> Self {
        Self { app: Arc::clone(app), name, ttl: every + LEASE_MARGIN, last: None }
    }

    /// Takes or renews the lease and returns whether this process holds it. Errors of the database count as not held.
    pub async fn is_held(&mut self) -> bool {
        if !self.app.store.is_postgres() {
            return true;
        }
        if let Some((is_held, at)) = self.last
            && at.elapsed() < RENEW_INTERVAL
        {
            return is_held;
        }
        // Measured before the call, so that the lease expires here no later than in the database.
        let began = Instant::now();
        let (name, holder, now) = (self.name, self.app.process.id().to_owned(), EpochMillis::now().0);
        let until = now + self.ttl.as_millis() as i64;
        let taken = self
            .app
            .store
            .write(move |tx| leases::renew_or_acquire(tx, name, &holder, now, until).map_err(AppError::from));
        let is_held = taken.await.unwrap_or_else(|error| {
            tracing::warn!(%error, job = self.name, "the lease of a job could not be acquired");
            false
        });
        self.last = Some((is_held, began));
        is_held
    }
}

/// Releases all leases of this process at a clean shutdown, so that others can continue immediately.
pub async fn release_all(app: &App) -> Result<(), AppError> {
    let holder = app.process.id().to_owned();
    app.store.write(move |tx| leases::release_all(tx, &holder).map_err(AppError::from)).await?;
    Ok(())
}

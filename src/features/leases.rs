//! Leases, which decide which of several processes on one database runs a job.

use std::time::Duration;

use tokio::time::Instant;

use crate::app::App;
use crate::error::AppError;
use crate::store::leases::{self, LeaseRow};

/// The minimum time between two attempts of a job to take or renew its lease.
const RENEW_INTERVAL: Duration = Duration::from_secs(5);
/// How much longer a lease lasts than the interval of its job.
const LEASE_MARGIN: Duration = Duration::from_secs(30);

/// A lease that this process takes and renews. If a process dies, its work pauses until its leases expire.
#[derive(Debug)]
pub struct Lease {
    name: &'static str,
    ttl: Duration,
    /// `None` for the process.
    holder: Option<String>,
    /// The result of the last attempt of [`Lease::is_held`], and its time.
    last: Option<(bool, Instant)>,
}

impl Lease {
    pub fn new(name: &'static str, ttl: Duration) -> Self {
        Self { name, ttl, holder: None, last: None }
    }

    /// The lease of a job that runs at this interval.
    pub fn of_job(name: &'static str, interval: Duration) -> Self {
        Self::new(name, interval + LEASE_MARGIN)
    }

    /// A lease with another holder than this process, which can neither renew it later nor releases it when it stops.
    pub fn with_holder(name: &'static str, ttl: Duration, holder: String) -> Self {
        Self { holder: Some(holder), ..Self::new(name, ttl) }
    }

    fn holder(&self, app: &App) -> String {
        self.holder.clone().unwrap_or_else(|| app.process.id.clone())
    }

    /// Acquires or renews the lease. Returns `None` if another process holds it, or if this one stops.
    pub async fn acquire(&self, app: &App) -> Result<Option<LeaseRow>, AppError> {
        let Some(_permit) = app.process.lease_permit().await else { return Ok(None) };
        let (name, holder, now) = (self.name, self.holder(app), app.store.now().0);
        let expires_at = now + self.ttl.as_millis() as i64;
        app.store.write(move |tx| leases::acquire(tx, name, &holder, now, expires_at).map_err(AppError::from)).await
    }

    /// Like [`Lease::acquire`], but writes only if less than half of the time remains, so that it can be called often.
    pub async fn acquire_if_due(&self, app: &App) -> Result<Option<LeaseRow>, AppError> {
        let (name, now) = (self.name, app.store.now().0);
        let Some(row) = app.store.read(move |conn| leases::find(conn, name)).await? else {
            return self.acquire(app).await;
        };
        let remaining_ms = row.expires_at - now;
        if row.holder != self.holder(app) {
            return if remaining_ms > 0 { Ok(None) } else { self.acquire(app).await };
        }
        if remaining_ms > self.ttl.as_millis() as i64 / 2 { Ok(Some(row)) } else { self.acquire(app).await }
    }

    /// Acquires or renews the lease of a job and returns whether this process holds it. On SQLite, which has a single process,
    /// it is always held. Errors of the database count as not held.
    pub async fn is_held(&mut self, app: &App) -> bool {
        if !app.store.is_postgres() {
            return true;
        }
        if let Some((is_held, at)) = self.last
            && at.elapsed() < RENEW_INTERVAL
        {
            return is_held;
        }
        // Measured before the call, so that the lease expires here no later than in the database.
        let began = Instant::now();
        let is_held = match self.acquire(app).await {
            Ok(row) => row.is_some(),
            Err(error) => {
                tracing::warn!(%error, job = self.name, "the lease of a job could not be acquired");
                false
            }
        };
        self.last = Some((is_held, began));
        is_held
    }

    /// Releases the lease before it expires.
    pub async fn release(&self, app: &App) -> Result<(), AppError> {
        let (name, holder) = (self.name, self.holder(app));
        app.store.write(move |tx| leases::release(tx, name, &holder).map(drop).map_err(AppError::from)).await
    }
}

/// Releases all leases of this process at a clean shutdown, so that others can continue immediately.
pub async fn release_all(app: &App) -> Result<(), AppError> {
    app.process.end_leases().await;
    let holder = app.process.id.clone();
    app.store.write(move |tx| leases::release_all(tx, &holder).map(drop).map_err(AppError::from)).await
}

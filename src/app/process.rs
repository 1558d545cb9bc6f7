//! The identity and state of this process.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{RwLock, RwLockReadGuard};

use crate::domain::times::EpochMillis;

/// The identity and state of this process.
pub struct Process {
    /// The name under which this process holds leases.
    pub id: String,
    pub started_at: EpochMillis,
    is_ready: AtomicBool,
    has_ended: AtomicBool,
    /// Whether the process takes leases; read while one is being taken.
    takes_leases: RwLock<bool>,
}

impl Process {
    pub fn new(id: String, started_at: EpochMillis) -> Self {
        Self {
            id,
            started_at,
            is_ready: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            takes_leases: RwLock::new(true),
        }
    }

    /// Permits taking a lease until the result is dropped; `None` once the process stops.
    pub async fn lease_permit(&self) -> Option<RwLockReadGuard<'_, bool>> {
        Some(self.takes_leases.read().await).filter(|takes_leases| **takes_leases)
    }

    /// Ends the taking of leases, once those that are being taken are.
    pub async fn end_leases(&self) {
        *self.takes_leases.write().await = false;
    }

    /// Whether the database is migrated, the index is open and the figures are loaded, and no stop signal was received.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    pub fn set_ready(&self, is_ready: bool) {
        self.is_ready.store(is_ready, Ordering::Release);
    }

    /// Whether the site is no longer served. Threads that follow other processes then end.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    pub fn set_ended(&self) {
        self.has_ended.store(true, Ordering::Release);
    }
}

//! Limits on attempts within a sliding window: to sign in, to log a reader in, to confirm a code, to send unknown lines.

use std::fmt::Display;
use std::net::IpAddr;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crate::app::{Accounts, Attempts};
use crate::domain::addresses::network;
use crate::error::AppError;

/// At most `max` attempts of one client within `window`.
pub struct Limit {
    /// Attempts of another kind are counted separately.
    pub kind: &'static str,
    pub max: usize,
    pub window: Duration,
    pub sentence: &'static str,
}

impl Limit {
    /// Counts an attempt of the network of this address, or rejects it.
    pub fn count(&self, accounts: &Accounts, address: Option<IpAddr>) -> Result<(), AppError> {
        let Some(address) = address else { return Ok(()) };
        let attempts = self.attempts(accounts, network(address));
        self.check(&attempts)?;
        record(&attempts);
        Ok(())
    }

    /// The recent attempts of a client.
    pub fn attempts(&self, accounts: &Accounts, client: impl Display) -> Attempts {
        accounts.attempts.get_with(format!("{} {client}", self.kind), Attempts::default)
    }

    /// Fails if the client may not try again yet.
    pub fn check(&self, attempts: &Attempts) -> Result<(), AppError> {
        let mut attempts = attempts.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        attempts.retain(|at| now.duration_since(*at) < self.window);
        match attempts.first().filter(|_| attempts.len() >= self.max) {
            Some(first) => Err(AppError::RateLimited {
                sentence: self.sentence.into(),
                retry_after_secs: (self.window - now.duration_since(*first)).as_secs() + 1,
            }),
            None => Ok(()),
        }
    }
}

/// Counts an attempt.
pub fn record(attempts: &Attempts) {
    attempts.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
}

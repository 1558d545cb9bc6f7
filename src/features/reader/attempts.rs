//! Rate limits of device logins and reports of unknown lines.

use std::net::IpAddr;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crate::app::{Accounts, Attempts};
use crate::domain::addresses;
use crate::domain::device_login::ATTEMPT_WINDOW_SECS;
use crate::error::AppError;

/// Records an attempt of the network of this address; an error if it had `max` within [`ATTEMPT_WINDOW_SECS`].
pub(super) fn limit_per_address(
    accounts: &Accounts,
    kind: &str,
    address: Option<IpAddr>,
    max: usize,
) -> Result<(), AppError> {
    let Some(address) = address else { return Ok(()) };
    let attempts = accounts.device_logins(format!("{kind} {}", addresses::network(address)));
    require_fewer_than(
        &attempts,
        max,
        "Too many attempts from this address. Please wait a few minutes before trying again.",
    )?;
    record(&attempts);
    Ok(())
}

/// Fails with `sentence` if `max` attempts were recorded within [`ATTEMPT_WINDOW_SECS`].
pub(super) fn require_fewer_than(attempts: &Attempts, max: usize, sentence: &str) -> Result<(), AppError> {
    let mut attempts = attempts.lock().unwrap_or_else(PoisonError::into_inner);
    let (now, window) = (Instant::now(), Duration::from_secs(ATTEMPT_WINDOW_SECS));
    attempts.retain(|at| now.duration_since(*at) < window);
    match attempts.first().filter(|_| attempts.len() >= max) {
        Some(first) => Err(AppError::RateLimited {
            sentence: sentence.to_owned(),
            retry_after_secs: (window - now.duration_since(*first)).as_secs() + 1,
        }),
        None => Ok(()),
    }
}

pub(super) fn record(attempts: &Attempts) {
    attempts.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
}

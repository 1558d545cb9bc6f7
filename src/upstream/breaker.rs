//! Circuit breaker: after repeated failures it rejects calls, except for a single probe after each pause.

use std::time::{Duration, Instant};

use net::Backoff;

/// Consecutive failures that open the breaker.
const FAILURE_THRESHOLD: u32 = 5;
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(5), Duration::from_secs(60));

/// Counts consecutive failures. Callers pass the current time, so tests need no clock.
#[derive(Debug, Default)]
pub struct Breaker {
    failures: u32,
    open_until: Option<Instant>,
}

impl Breaker {
    /// Allows a call, or returns the time until the next probe.
    pub fn admit(&mut self, now: Instant) -> Result<(), Duration> {
        match self.open_until {
            Some(until) if until > now => Err(until - now),
            Some(_) => {
                // This call is the probe. Other calls are rejected until it succeeds or the pause expires.
                self.open_until = Some(now + BACKOFF.delay(self.failures.saturating_sub(FAILURE_THRESHOLD) + 2));
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Records a response of the other side. A rejection counts as success, because the service works.
    pub fn record_success(&mut self) {
        *self = Self::default();
    }

    /// Records a missing response or a 5xx status.
    pub fn record_failure(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURE_THRESHOLD {
            self.open_until = Some(now + BACKOFF.delay(self.failures - FAILURE_THRESHOLD + 1));
        }
    }

    /// Returns the time until the next probe, or zero if the breaker is closed.
    pub fn open_for(&self, now: Instant) -> Duration {
        self.open_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_failures_open_the_breaker_and_a_successful_probe_closes_it() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        for _ in 0..4 {
            breaker.record_failure(now);
            assert_eq!(breaker.admit(now), Ok(()));
        }
        breaker.record_failure(now);
        assert_eq!(breaker.admit(now), Err(BACKOFF.initial));
        let later = now + BACKOFF.initial;
        assert_eq!(breaker.admit(later), Ok(()), "the probe");
        assert!(breaker.admit(later).is_err(), "one probe, not two");
        breaker.record_failure(later);
        assert_eq!(breaker.admit(later), Err(2 * BACKOFF.initial), "the pause doubles");
        let again = later + 2 * BACKOFF.initial;
        assert_eq!(breaker.admit(again), Ok(()));
        breaker.record_success();
        assert_eq!(breaker.admit(again), Ok(()));
    }

    #[test]
    fn a_success_resets_the_failure_count() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        for _ in 0..20 {
            (0..4).for_each(|_| breaker.record_failure(now));
            breaker.record_success();
        }
        assert_eq!(breaker.admit(now), Ok(()));
    }
}

//! A breaker: after repeated failures nobody is asked, except one probe now and then.

use std::time::{Duration, Instant};

/// Failures in a row that open it.
const FAILURES: u32 = 5;
const FIRST_REST: Duration = Duration::from_secs(5);
const LONGEST_REST: Duration = Duration::from_secs(60);

/// Counts failures in a row; time is always an argument.
#[derive(Debug, Default)]
pub struct Breaker {
    failures: u32,
    rests: u32,
    open_until: Option<Instant>,
}

impl Breaker {
    /// Whether a call may start; else how long until the next probe.
    pub fn admit(&mut self, now: Instant) -> Result<(), Duration> {
        match self.open_until {
            Some(until) if until > now => Err(until - now),
            Some(_) => {
                // This call is the probe: the others wait for what it finds, and no longer than one more rest.
                self.open_until = Some(now + self.rest());
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// The other side answered, be it with a refusal.
    pub fn answered(&mut self) {
        *self = Self::default();
    }

    /// No answer, or one that says that the other side is broken.
    pub fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= FAILURES {
            self.open_until = Some(now + self.rest());
            self.rests = self.rests.saturating_add(1);
        }
    }

    /// How long until the next probe; zero when it is closed.
    pub fn rest_left(&self, now: Instant) -> Duration {
        self.open_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    fn rest(&self) -> Duration {
        (FIRST_REST * 2u32.pow(self.rests.min(6))).min(LONGEST_REST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_failures_open_it_and_one_probe_closes_it() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        for _ in 0..4 {
            breaker.failed(now);
            assert_eq!(breaker.admit(now), Ok(()));
        }
        breaker.failed(now);
        assert_eq!(breaker.admit(now), Err(FIRST_REST));
        let later = now + FIRST_REST;
        assert_eq!(breaker.admit(later), Ok(()), "the probe");
        assert!(breaker.admit(later).is_err(), "one probe, not two");
        breaker.failed(later);
        assert_eq!(breaker.admit(later), Err(2 * FIRST_REST), "the rest grows");
        let again = later + 2 * FIRST_REST;
        assert_eq!(breaker.admit(again), Ok(()));
        breaker.answered();
        assert_eq!(breaker.admit(again), Ok(()));
    }

    #[test]
    fn an_answer_between_failures_starts_the_count_anew() {
        let now = Instant::now();
        let mut breaker = Breaker::default();
        for _ in 0..20 {
            (0..4).for_each(|_| breaker.failed(now));
            breaker.answered();
        }
        assert_eq!(breaker.admit(now), Ok(()));
    }
}

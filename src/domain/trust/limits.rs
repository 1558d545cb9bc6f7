//! How much one player can do in a time: beyond it, reports of accounts are held.
//!
//! Peaks in real logs: one killer fights 6 times in 60 s, 12 times in 10 min and 15 times in 171 min; one log has 30 fights an hour.
//! Times are those of the log, so that years of backups can be imported at once.

use crate::domain::times::{DAY_MS, EpochMillis};

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// At most `count` in any `window_ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub count: usize,
    pub window_ms: i64,
}

const fn limit(count: usize, window_ms: i64) -> Limit {
    Limit { count, window_ms }
}

/// Kills and vehicle losses of one killer.
pub const FIGHTS: &[Limit] = &[limit(20, MINUTE_MS), limit(60, 10 * MINUTE_MS), limit(200, HOUR_MS)];
/// Kills of players by one killer.
pub const PLAYER_KILLS: &[Limit] = &[limit(30, HOUR_MS), limit(100, DAY_MS)];
/// Completed contracts of one player.
pub const CONTRACTS: &[Limit] = &[limit(40, HOUR_MS), limit(200, DAY_MS)];
/// New names of one account.
pub const NEW_NAMES: &[Limit] = &[limit(60, HOUR_MS)];
/// The longest window of all limits.
pub const LONGEST_WINDOW_MS: i64 = DAY_MS;
/// Reports of one account on one day of the server's clock.
pub const REPORTS_A_DAY: i64 = 50_000;
/// New names of one account in 24 hours of the server's clock.
pub const NEW_NAMES_A_DAY: i64 = 1_000;

/// When one player or account did something that is limited.
#[derive(Debug, Clone, Default)]
pub struct Occurrences {
    /// In ascending order.
    times: Vec<i64>,
}

impl Occurrences {
    /// Adds an occurrence if the limits permit it; returns whether they do.
    pub fn add_within(&mut self, at: EpochMillis, limits: &[Limit]) -> bool {
        if limits.iter().any(|limit| self.is_reached(at.0, *limit)) {
            return false;
        }
        self.add(at);
        true
    }

    /// Adds an occurrence that counts already.
    pub fn add(&mut self, at: EpochMillis) {
        let place = self.times.partition_point(|time| *time <= at.0);
        self.times.insert(place, at.0);
    }

    /// Whether a window that contains `at` already has as many as the limit permits.
    fn is_reached(&self, at: i64, limit: Limit) -> bool {
        let from = self.times.partition_point(|time| *time <= at - limit.window_ms);
        let near = &self.times[from..self.times.partition_point(|time| *time < at + limit.window_ms)];
        near.windows(limit.count).any(|taken| {
            let (first, last) = (taken[0].min(at), taken[limit.count - 1].max(at));
            last - first < limit.window_ms
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ONE: &[Limit] = &[limit(3, 1_000)];

    fn admitted(times: &[i64]) -> Vec<i64> {
        let mut occurrences = Occurrences::default();
        times.iter().copied().filter(|at| occurrences.add_within(EpochMillis(*at), ONE)).collect()
    }

    #[test]
    fn as_many_as_the_limit_fit_into_a_window() {
        assert_eq!(admitted(&[0, 1, 2, 3]), [0, 1, 2]);
        assert_eq!(admitted(&[0, 1, 2, 1_000, 1_001]), [0, 1, 2, 1_000, 1_001]);
        assert_eq!(admitted(&[0, 500, 999, 999]), [0, 500, 999]);
    }

    #[test]
    fn an_earlier_time_that_arrives_later_is_limited_too() {
        assert_eq!(admitted(&[900, 1_000, 1_100, 800]), [900, 1_000, 1_100]);
        assert_eq!(admitted(&[900, 1_000, 1_100, 100]), [900, 1_000, 1_100, 100]);
    }

    #[test]
    fn real_peaks_are_within_the_limits() {
        let peaks = [(6, MINUTE_MS), (12, 10 * MINUTE_MS), (15, 171 * MINUTE_MS)];
        for (count, window) in peaks {
            let mut occurrences = Occurrences::default();
            for n in 0..count {
                assert!(occurrences.add_within(EpochMillis(n * window / count), FIGHTS));
            }
        }
    }

    proptest! {
        #[test]
        fn no_window_exceeds_the_limit(times in prop::collection::vec(0..5_000i64, 0..60)) {
            let mut kept = admitted(&times);
            kept.sort_unstable();
            for (place, first) in kept.iter().enumerate() {
                let inside = kept[place..].iter().filter(|at| **at < first + 1_000).count();
                prop_assert!(inside <= 3);
            }
        }
    }
}

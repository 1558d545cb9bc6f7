//! How much one account can report: rule 3. Times are those of the log, so that years of backups can be imported at once.
//!
//! Peaks in real logs: one killer fights 6 times in 60 s, 12 times in 10 min and 15 times in 171 min; one log has 30 fights an hour.

use std::fmt;

use crate::domain::times::DAY_MS;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
/// The longest window of all limits.
pub const LONGEST_WINDOW_MS: i64 = DAY_MS;

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limited {
    /// Kills and vehicle losses by one killer.
    Fights,
    /// Kills of players by one killer.
    PlayerKills,
    /// Completed contracts of one player.
    Contracts,
}

/// At most `count` in any `window_ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    pub limited: Limited,
    pub count: u32,
    pub window_ms: i64,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.limited {
            Limited::Fights => "fights of one killer",
            Limited::PlayerKills => "player kills of one killer",
            Limited::Contracts => "completed contracts",
        };
        let window = match self.window_ms {
            MINUTE_MS => "60 s",
            HOUR_MS => "an hour",
            DAY_MS => "a day",
            _ => "10 min",
        };
        write!(f, "{} {what} in {window}", self.count)
    }
}

/// The rules for accounts that the operator of a site can set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustRules {
    pub limits: [Limit; 7],
    /// Reports of one account in one UTC day of the server's clock.
    pub events_per_day: u32,
    /// The version of the last patch whose builds write kills and vehicle losses to the log; `None` if all do.
    pub last_fight_patch: Option<i64>,
}

impl Default for TrustRules {
    /// Builds since 4.4 write neither kills nor vehicle losses.
    fn default() -> Self {
        use Limited::{Contracts, Fights, PlayerKills};
        let limit = |limited, count, window_ms| Limit { limited, count, window_ms };
        Self {
            limits: [
                limit(Fights, 20, MINUTE_MS),
                limit(Fights, 60, 10 * MINUTE_MS),
                limit(Fights, 200, HOUR_MS),
                limit(PlayerKills, 30, HOUR_MS),
                limit(PlayerKills, 100, DAY_MS),
                limit(Contracts, 40, HOUR_MS),
                limit(Contracts, 200, DAY_MS),
            ],
            events_per_day: 50_000,
            last_fight_patch: Some(4_003_999),
        }
    }
}

/// When one player did what is limited, in ascending order of epoch milliseconds.
#[derive(Debug, Clone, Default)]
pub(super) struct Times(Vec<i64>);

impl Times {
    pub fn add(&mut self, at: i64) {
        let place = self.0.partition_point(|time| *time <= at);
        self.0.insert(place, at);
    }

    /// Whether a window that contains `at` already has as many as the limit permits.
    pub fn is_reached(&self, at: i64, limit: &Limit) -> bool {
        let from = self.0.partition_point(|time| *time <= at - limit.window_ms);
        let near = &self.0[from..self.0.partition_point(|time| *time < at + limit.window_ms)];
        let count = limit.count as usize;
        count == 0
            || near.windows(count).any(|taken| {
                let (first, last) = (taken[0].min(at), taken[count - 1].max(at));
                last - first < limit.window_ms
            })
    }
}

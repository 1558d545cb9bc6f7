//! The leaderboard of players, or of guilds: exact ranks now and at the start of the day, and the cached top.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::domain::clock::Clock;
use crate::domain::day_start_ranks::DayStartRanks;
use crate::domain::ranks::{RankedScore, Ranks};
use crate::domain::scores::{Metric, Scores};

use super::cache::LeaderboardCache;
use super::figures::Loaded;

/// The current rank, compared with the start of the UTC day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RankWithMovement {
    /// `None` without a score.
    pub rank: Option<i64>,
    /// How many ranks were gained since the start of the day; negative: lost. `None` without a rank now or then.
    pub movement: Option<i64>,
}

/// Ranks, counts and the cached top of players, or of guilds.
pub struct Leaderboard<E> {
    ranks: RwLock<Ranks>,
    day_start: RwLock<DayStartRanks>,
    /// How many players or guilds exist, hidden ones included.
    count: AtomicI64,
    pub(super) cache: LeaderboardCache<E>,
    clock: Clock,
}

impl<E> Leaderboard<E> {
    pub(super) fn new(loaded: Loaded, clock: Clock) -> Self {
        Self {
            ranks: RwLock::new(loaded.ranks),
            day_start: RwLock::new(loaded.day_start),
            count: AtomicI64::new(loaded.count),
            cache: LeaderboardCache::default(),
            clock,
        }
    }

    /// Replaces everything with what was loaded.
    pub(super) fn reset(&self, loaded: Loaded) {
        *self.day_start.write().unwrap_or_else(PoisonError::into_inner) = loaded.day_start;
        *self.write() = loaded.ranks;
        self.count.store(loaded.count, Ordering::Relaxed);
        self.cache.clear();
    }

    /// How many players or guilds exist, hidden ones included.
    pub fn count(&self) -> i64 {
        self.count.load(Ordering::Relaxed)
    }

    pub(super) fn add_count(&self, added: i64) {
        self.count.fetch_add(added, Ordering::Relaxed);
    }

    /// See `ScoreCounts::rank`.
    pub fn rank(&self, metric: Metric, score: i64) -> Option<i64> {
        self.read()[metric].rank(score)
    }

    /// See `ScoreCounts::percentile`.
    pub fn percentile(&self, metric: Metric, score: i64) -> Option<f64> {
        self.read()[metric].percentile(score)
    }

    /// How many have a rank, and the score at a position; `nth` gets the number of ranked and returns the position.
    pub fn nth(&self, metric: Metric, nth: impl FnOnce(i64) -> i64) -> (i64, Option<RankedScore>) {
        let ranks = self.read();
        let counts = &ranks[metric];
        (counts.ranked(), counts.nth(nth(counts.ranked())))
    }

    /// The ids of a page over all time, best first; `None` if they are not cached.
    pub fn cached_page(&self, metric: Metric, offset: i64, limit: i64) -> Option<Vec<i64>> {
        self.cache.page(metric, offset, limit)
    }

    /// The current ranks of `(id, current scores)`, and their movement since the start of the day.
    pub fn ranks_with_movement<'a>(
        &self,
        metric: Metric,
        entries: impl Iterator<Item = (i64, &'a Scores)>,
    ) -> Vec<RankWithMovement> {
        let today = self.clock.now().day();
        let mut then = self.day_start.read().unwrap_or_else(PoisonError::into_inner);
        if then.day() != today {
            drop(then);
            self.remember(std::iter::empty());
            then = self.day_start.read().unwrap_or_else(PoisonError::into_inner);
        }
        let ranks = self.read();
        entries
            .map(|(id, now)| {
                let rank = ranks[metric].rank(now.get(metric));
                let movement = rank.and_then(|rank| Some(then.rank(metric, id, now)? - rank));
                RankWithMovement { rank, movement }
            })
            .collect()
    }

    /// Stores figures of the start of the day: `(id, scores before a change, the part of the change that belongs to earlier
    /// days)`. Must be called before [`Leaderboard::change_ranks`].
    pub(super) fn remember(&self, before: impl Iterator<Item = (i64, Scores, Scores)>) {
        let mut day_start = self.day_start.write().unwrap_or_else(PoisonError::into_inner);
        day_start.start_day(self.clock.now().day(), &self.read());
        before.for_each(|(id, scores, late)| day_start.record_change(id, scores, late));
    }

    /// Applies changed figures: before, after.
    pub(super) fn change_ranks(&self, changes: impl Iterator<Item = (Scores, Scores)>) {
        let mut ranks = self.write();
        changes.for_each(|(before, now)| ranks.change(&before, &now));
    }

    fn read(&self) -> RwLockReadGuard<'_, Ranks> {
        self.ranks.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Ranks> {
        self.ranks.write().unwrap_or_else(PoisonError::into_inner)
    }
}

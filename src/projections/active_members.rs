//! The number of active members of each guild.
//!
//! Counting the members of a large guild reads thousands of rows, and a page shows a hundred guilds. On a large site all guilds
//! are counted in the background while there are requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;

use crate::domain::times::{DAY_MS, EpochMillis};
use crate::store::{StoreError, guilds};

use super::Projections;

/// A guild with more members is large: its number is cached.
const LARGE_GUILD: i64 = 200;
/// How long the number of a large guild, and the count of all guilds, is used.
const CACHE_TTL: Duration = Duration::from_secs(600);

/// Cached numbers of active members.
pub(super) struct ActiveMembers {
    /// Of large guilds.
    large: moka::sync::Cache<i64, i64>,
    /// Of all guilds of a large site.
    all: ArcSwapOption<AllMembers>,
    /// Whether a request has needed the numbers since the last count.
    is_requested: AtomicBool,
}

struct AllMembers {
    /// Guilds without active members are absent.
    counts: HashMap<i64, i64>,
    counted_at: Instant,
}

impl Default for ActiveMembers {
    fn default() -> Self {
        Self {
            large: moka::sync::Cache::builder().max_capacity(100_000).time_to_live(CACHE_TTL).build(),
            all: ArcSwapOption::default(),
            // Counted before the first request, which would wait for a hundred guilds.
            is_requested: AtomicBool::new(true),
        }
    }
}

/// A member is active if seen since this moment, in epoch milliseconds.
pub fn active_since(now: EpochMillis) -> i64 {
    now.0 - 30 * DAY_MS
}

impl Projections {
    /// The number of active members of guilds that are given as `(id, number of members)`. On a large site the numbers may be
    /// some minutes old.
    pub async fn active_members(
        &self,
        requested: impl Iterator<Item = (i64, i64)>,
    ) -> Result<HashMap<i64, i64>, StoreError> {
        let cache = &self.active_members;
        cache.is_requested.store(true, Ordering::Relaxed);
        let all = cache.all.load_full();
        if let Some(all) = all.filter(|_| self.is_large_site()) {
            return Ok(requested.map(|(id, _)| (id, all.counts.get(&id).copied().unwrap_or(0))).collect());
        }
        let mut active: HashMap<i64, i64> = HashMap::new();
        let (mut large, mut ids) = (Vec::new(), Vec::new());
        for (id, known_members) in requested {
            match cache.large.get(&id) {
                Some(count) => drop(active.insert(id, count)),
                None => {
                    ids.push(id);
                    large.extend((known_members > LARGE_GUILD).then_some(id));
                }
            }
        }
        if !ids.is_empty() {
            let since = active_since(self.store.now());
            active.extend(self.store.read(move |conn| guilds::active_members(conn, &ids, since)).await?);
        }
        for id in large {
            cache.large.insert(id, active.get(&id).copied().unwrap_or(0));
        }
        Ok(active)
    }

    /// Counts all guilds of a large site if there were requests and the last count is old.
    pub(super) async fn count_active_members(&self) -> Result<(), StoreError> {
        let cache = &self.active_members;
        let is_old = cache.all.load().as_ref().is_none_or(|all| all.counted_at.elapsed() > CACHE_TTL);
        if !self.is_large_site() || !is_old || !cache.is_requested.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let since = active_since(self.store.now());
        let counts = self.store.read(move |conn| guilds::all_active_members(conn, since)).await?.into_iter().collect();
        cache.all.store(Some(Arc::new(AllMembers { counts, counted_at: Instant::now() })));
        Ok(())
    }
}

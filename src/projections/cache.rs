//! In-memory caches of leaderboards: the order of the top players or guilds, and the data of their rows.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rustc_hash::FxHashMap;

use crate::domain::scores::{Metric, Scores};
use crate::domain::top_n::TopN;
use crate::views::guilds::GuildRow;
use crate::views::players::PlayerRow;

/// How many rows of each kind are cached. A row takes up to 600 bytes.
const MAX_ROWS: usize = 80_000;

/// The data of a player's row on a leaderboard.
#[derive(Debug)]
pub struct CachedPlayer {
    pub guild_id: Option<i64>,
    pub is_hidden: bool,
    pub scores: Scores,
    /// Each page sets rank, movement and guild.
    pub row: PlayerRow,
}

/// The data of a guild's row on a leaderboard.
#[derive(Debug)]
pub struct CachedGuild {
    pub id: i64,
    pub known_members: i64,
    pub scores: Scores,
    /// Each page sets rank, movement and active members.
    pub row: GuildRow,
}

/// The leaderboards of players, or of guilds, over all time.
#[derive(Debug)]
pub(super) struct LeaderboardCache<E> {
    /// By metric.
    orders: [MetricOrder; Metric::ALL.len()],
    pub rows: RowCache<E>,
}

/// The top of one metric.
#[derive(Debug, Default)]
struct MetricOrder {
    state: RwLock<OrderState>,
    is_requested: AtomicBool,
}

#[derive(Debug, Default)]
enum OrderState {
    #[default]
    Empty,
    /// The top is being read from the database. Changes `(id, name, score)` that arrive meanwhile are applied afterwards.
    Loading(Vec<(i64, Arc<str>, i64)>),
    Loaded(TopN),
}

impl<E> Default for LeaderboardCache<E> {
    fn default() -> Self {
        Self { orders: Default::default(), rows: RowCache::default() }
    }
}

impl<E> LeaderboardCache<E> {
    /// The ids of a page, best first. `None` if the cache does not hold them; then the order is requested.
    pub fn page(&self, metric: Metric, offset: i64, limit: i64) -> Option<Vec<i64>> {
        let order = &self.orders[metric as usize];
        match &*order.read() {
            OrderState::Loaded(top) => top.page(usize::try_from(offset).ok()?, usize::try_from(limit).ok()?),
            _ => {
                order.is_requested.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    /// Updates `(id, name, scores)`. Scores of 0 remove the entry: it is hidden or deleted.
    pub fn update(&self, changed: &[(i64, &str, Scores)]) {
        for metric in Metric::ALL {
            match &mut *self.orders[metric as usize].write() {
                OrderState::Empty => {}
                OrderState::Loading(late) => {
                    late.extend(changed.iter().map(|(id, name, now)| (*id, Arc::from(*name), now.get(metric))));
                }
                OrderState::Loaded(top) => {
                    changed.iter().for_each(|(id, name, now)| top.update(*id, name, now.get(metric)));
                }
            }
        }
    }

    /// Requests the orders of all metrics.
    pub fn request_all(&self) {
        self.orders.iter().for_each(|order| order.is_requested.store(true, Ordering::Relaxed));
    }

    /// The metrics whose order is requested and not loaded, or has become too short.
    pub fn requested(&self) -> Vec<Metric> {
        let is_requested = |metric: &Metric| {
            let order = &self.orders[*metric as usize];
            match &*order.read() {
                OrderState::Empty | OrderState::Loading(_) => order.is_requested.load(Ordering::Relaxed),
                OrderState::Loaded(top) => top.needs_reload(),
            }
        };
        Metric::ALL.into_iter().filter(is_requested).collect()
    }

    /// Must be called before the top is read from the database for [`LeaderboardCache::finish_loading`].
    pub fn start_loading(&self, metric: Metric) {
        *self.orders[metric as usize].write() = OrderState::Loading(Vec::new());
    }

    /// Stores the top with the changes since the loading started. Does nothing if the cache was cleared meanwhile.
    pub fn finish_loading(&self, metric: Metric, mut top: TopN) {
        let mut state = self.orders[metric as usize].write();
        if let OrderState::Loading(late) = &*state {
            late.iter().for_each(|(id, name, score)| top.update(*id, name, *score));
            *state = OrderState::Loaded(top);
        }
    }

    /// Removes everything.
    pub fn clear(&self) {
        self.orders.iter().for_each(|order| *order.write() = OrderState::Empty);
        self.rows.clear();
    }
}

impl MetricOrder {
    fn read(&self) -> RwLockReadGuard<'_, OrderState> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, OrderState> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rows by id. When the cache is full, rows that were not read for the longest time are dropped.
#[derive(Debug)]
pub(super) struct RowCache<E> {
    generations: RwLock<Generations<E>>,
}

#[derive(Debug)]
struct Generations<E> {
    /// Counts invalidations: a row that was read before one may be stale.
    invalidations: u64,
    young: FxHashMap<i64, Arc<E>>,
    old: FxHashMap<i64, Arc<E>>,
}

impl<E> Default for RowCache<E> {
    fn default() -> Self {
        let empty = Generations { invalidations: 0, young: FxHashMap::default(), old: FxHashMap::default() };
        Self { generations: RwLock::new(empty) }
    }
}

impl<E> RowCache<E> {
    /// The cached row of each id, and a number for [`RowCache::insert`].
    pub fn find(&self, ids: &[i64]) -> (Vec<Option<Arc<E>>>, u64) {
        let generations = self.generations.read().unwrap_or_else(PoisonError::into_inner);
        let row = |id| generations.young.get(id).or_else(|| generations.old.get(id)).map(Arc::clone);
        (ids.iter().map(row).collect(), generations.invalidations)
    }

    /// Stores rows that were read after [`RowCache::find`] returned `found_at`, unless a row was invalidated since.
    fn insert(&self, found_at: u64, rows: impl Iterator<Item = (i64, Arc<E>)>) {
        let mut generations = self.write();
        if generations.invalidations != found_at {
            return;
        }
        generations.young.extend(rows);
        if generations.young.len() > MAX_ROWS / 2 {
            generations.old = std::mem::take(&mut generations.young);
        }
    }

    /// Fills what [`RowCache::find`] did not find with rows that were read since, and stores them.
    pub fn complete(
        &self,
        ids: &[i64],
        mut found: Vec<Option<Arc<E>>>,
        found_at: u64,
        read: impl Iterator<Item = (i64, E)>,
    ) -> Vec<Option<Arc<E>>> {
        let read: FxHashMap<i64, Arc<E>> = read.map(|(id, row)| (id, Arc::new(row))).collect();
        for (id, row) in ids.iter().zip(&mut found).filter(|(_, row)| row.is_none()) {
            *row = read.get(id).map(Arc::clone);
        }
        self.insert(found_at, read.into_iter());
        found
    }

    /// Removes rows, after the commit that changed them.
    pub fn invalidate(&self, ids: impl Iterator<Item = i64>) {
        let mut generations = self.write();
        generations.invalidations += 1;
        for id in ids {
            generations.young.remove(&id);
            generations.old.remove(&id);
        }
    }

    fn clear(&self) {
        let mut generations = self.write();
        generations.invalidations += 1;
        generations.young.clear();
        generations.old.clear();
    }

    fn write(&self) -> RwLockWriteGuard<'_, Generations<E>> {
        self.generations.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_changes_during_its_read_is_not_cached() {
        let rows = RowCache::<i64>::default();
        let (found, found_at) = rows.find(&[1]);
        assert_eq!(found, [None]);
        rows.invalidate([1].into_iter());
        rows.insert(found_at, [(1, Arc::new(5))].into_iter());
        let (found, found_at) = rows.find(&[1]);
        assert_eq!(found, [None]);
        rows.insert(found_at, [(1, Arc::new(6))].into_iter());
        assert_eq!(rows.find(&[2, 1]).0, [None, Some(Arc::new(6))]);
        rows.invalidate([1].into_iter());
        assert_eq!(rows.find(&[1]).0, [None]);
    }

    #[test]
    fn the_row_cache_is_bounded() {
        let rows = RowCache::<i64>::default();
        for begin in (0..4 * MAX_ROWS as i64).step_by(100) {
            rows.insert(0, (begin..begin + 100).map(|id| (id, Arc::new(id))));
        }
        let (found, _) = rows.find(&(0..4 * MAX_ROWS as i64).collect::<Vec<_>>());
        let count = found.iter().flatten().count();
        assert!((MAX_ROWS / 2..=MAX_ROWS + 100).contains(&count), "{count}");
        assert_eq!(found.last(), Some(&Some(Arc::new(4 * MAX_ROWS as i64 - 1))));
    }

    #[test]
    fn changes_during_a_load_are_applied_to_the_loaded_order() {
        let cache = LeaderboardCache::<()>::default();
        let kills = |pve_kills| Scores { pve_kills, ..Scores::default() };
        assert_eq!(cache.page(Metric::PveKills, 0, 10), None);
        assert_eq!(cache.requested(), [Metric::PveKills]);
        cache.start_loading(Metric::PveKills);
        cache.update(&[(1, "ada", kills(30)), (3, "cy", kills(5))]);
        let read = [(2, 20, Arc::from("bo")), (1, 10, Arc::from("ada"))];
        cache.finish_loading(Metric::PveKills, TopN::new(read.into_iter()));
        assert_eq!(cache.page(Metric::PveKills, 0, 10), Some(vec![1, 2, 3]));
        cache.update(&[(2, "bo", kills(40)), (1, "ada", kills(0))]);
        assert_eq!(cache.page(Metric::PveKills, 0, 10), Some(vec![2, 3]));
        assert!(cache.requested().is_empty());
        // Cleared during a load: the loaded order is discarded.
        cache.start_loading(Metric::PveKills);
        cache.clear();
        cache.finish_loading(Metric::PveKills, TopN::default());
        assert_eq!(cache.page(Metric::PveKills, 0, 10), None);
    }
}

//! What boards are made of, in memory: who stands where, and what a line shows of each.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use crate::domain::scores::{Metric, Scores};
use crate::domain::top_n::TopN;
use crate::views::guilds::GuildRow;
use crate::views::players::PlayerRow;

/// How many lines of each kind may lie in memory: at most some 600 bytes each.
const LINES: usize = 80_000;

/// What a board shows of a player.
#[derive(Debug)]
pub struct PlayerLine {
    pub guild_id: Option<i64>,
    pub is_hidden: bool,
    pub scores: Scores,
    /// Rank, movement and guild are filled in on each page.
    pub row: PlayerRow,
}

/// What a board shows of a guild.
#[derive(Debug)]
pub struct GuildLine {
    pub id: i64,
    pub known_members: i64,
    pub scores: Scores,
    /// Rank, movement and active members are filled in on each page.
    pub row: GuildRow,
}

/// The boards of players, or of guilds.
#[derive(Debug)]
pub struct Boards<L> {
    /// By metric, over all time.
    orders: [Order; Metric::ALL.len()],
    pub lines: Lines<L>,
}

#[derive(Debug, Default)]
struct Order {
    known: RwLock<Known>,
    is_wanted: AtomicBool,
}

#[derive(Debug, Default)]
enum Known {
    #[default]
    Nothing,
    /// Somebody reads it from the database; what changes meanwhile is taken in afterwards.
    Reading(Vec<(i64, Arc<str>, i64)>),
    Best(TopN),
}

impl<L> Default for Boards<L> {
    fn default() -> Self {
        Self { orders: Default::default(), lines: Lines::default() }
    }
}

impl<L> Boards<L> {
    /// Ids of a page, best first; `None` when the database has to be asked.
    pub fn page(&self, metric: Metric, offset: i64, limit: i64) -> Option<Vec<i64>> {
        let order = &self.orders[metric as usize];
        match &*order.read() {
            Known::Best(standings) => standings.page(usize::try_from(offset).ok()?, usize::try_from(limit).ok()?),
            _ => {
                order.is_wanted.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    /// Notes the name and figures that some have by now; all figures 0: hidden or gone.
    pub fn put(&self, changed: &[(i64, &str, Scores)]) {
        for metric in Metric::ALL {
            match &mut *self.orders[metric as usize].write() {
                Known::Nothing => {}
                Known::Reading(late) => {
                    late.extend(changed.iter().map(|(id, name, now)| (*id, Arc::from(*name), now.get(metric))));
                }
                Known::Best(standings) => {
                    changed.iter().for_each(|(id, name, now)| standings.update(*id, name, now.get(metric)));
                }
            }
        }
    }

    /// Asks for all six orders, ahead of whoever comes.
    pub fn want_all(&self) {
        self.orders.iter().for_each(|order| order.is_wanted.store(true, Ordering::Relaxed));
    }

    /// Metrics whose order somebody has asked for and that is not known, or not far enough.
    pub fn wanted(&self) -> Vec<Metric> {
        let is_wanted = |metric: &Metric| {
            let order = &self.orders[*metric as usize];
            match &*order.read() {
                Known::Nothing | Known::Reading(_) => order.is_wanted.load(Ordering::Relaxed),
                Known::Best(standings) => standings.needs_reload(),
            }
        };
        Metric::ALL.into_iter().filter(is_wanted).collect()
    }

    /// To be called before the best are read from the database, which [`Boards::end_reading`] takes in.
    pub fn begin_reading(&self, metric: Metric) {
        *self.orders[metric as usize].write() = Known::Reading(Vec::new());
    }

    /// Takes the best in, and what has changed since the reading began. Nothing happens when all was forgotten meanwhile.
    pub fn end_reading(&self, metric: Metric, mut standings: TopN) {
        let mut known = self.orders[metric as usize].write();
        if let Known::Reading(late) = &*known {
            late.iter().for_each(|(id, name, score)| standings.update(*id, name, *score));
            *known = Known::Best(standings);
        }
    }

    /// Forgets all: more has changed than was told.
    pub fn forget(&self) {
        self.orders.iter().for_each(|order| *order.write() = Known::Nothing);
        self.lines.clear();
    }
}

impl Order {
    fn read(&self) -> std::sync::RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Known> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lines by id, until one changes. When there are too many, those that were not read for long are dropped.
#[derive(Debug)]
pub struct Lines<L> {
    shelves: RwLock<Shelves<L>>,
}

#[derive(Debug)]
struct Shelves<L> {
    /// Counts changes: what was read before one may be stale.
    changes: u64,
    new: FxHashMap<i64, Arc<L>>,
    old: FxHashMap<i64, Arc<L>>,
}

impl<L> Default for Lines<L> {
    fn default() -> Self {
        Self { shelves: RwLock::new(Shelves { changes: 0, new: FxHashMap::default(), old: FxHashMap::default() }) }
    }
}

impl<L> Lines<L> {
    /// Those that are here, each at the place of its id, and which change they stand at: to be handed to [`Lines::keep`].
    pub fn find(&self, ids: &[i64]) -> (Vec<Option<Arc<L>>>, u64) {
        let shelves = self.shelves.read().unwrap_or_else(PoisonError::into_inner);
        let line = |id| shelves.new.get(id).or_else(|| shelves.old.get(id)).map(Arc::clone);
        (ids.iter().map(line).collect(), shelves.changes)
    }

    /// Keeps lines that were read after [`Lines::find`] gave `read_at`, unless something has changed since.
    pub fn keep(&self, read_at: u64, lines: impl Iterator<Item = (i64, Arc<L>)>) {
        let mut shelves = self.shelves.write().unwrap_or_else(PoisonError::into_inner);
        if shelves.changes != read_at {
            return;
        }
        shelves.new.extend(lines);
        if shelves.new.len() > LINES / 2 {
            shelves.old = std::mem::take(&mut shelves.new);
        }
    }

    /// To be called after the commit that changed them.
    pub fn forget(&self, ids: impl Iterator<Item = i64>) {
        let mut shelves = self.shelves.write().unwrap_or_else(PoisonError::into_inner);
        shelves.changes += 1;
        for id in ids {
            shelves.new.remove(&id);
            shelves.old.remove(&id);
        }
    }

    fn clear(&self) {
        let mut shelves = self.shelves.write().unwrap_or_else(PoisonError::into_inner);
        *shelves = Shelves { changes: shelves.changes + 1, new: FxHashMap::default(), old: FxHashMap::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_while_it_was_read_is_not_kept() {
        let lines = Lines::<i64>::default();
        let (found, read_at) = lines.find(&[1]);
        assert_eq!(found, [None]);
        lines.forget([1].into_iter());
        lines.keep(read_at, [(1, Arc::new(5))].into_iter());
        let (found, read_at) = lines.find(&[1]);
        assert_eq!(found, [None]);
        lines.keep(read_at, [(1, Arc::new(6))].into_iter());
        assert_eq!(lines.find(&[2, 1]).0, [None, Some(Arc::new(6))]);
        lines.forget([1].into_iter());
        assert_eq!(lines.find(&[1]).0, [None]);
    }

    #[test]
    fn lines_never_become_more_than_there_is_room_for() {
        let lines = Lines::<i64>::default();
        for begin in (0..4 * LINES as i64).step_by(100) {
            lines.keep(0, (begin..begin + 100).map(|id| (id, Arc::new(id))));
        }
        let (found, _) = lines.find(&(0..4 * LINES as i64).collect::<Vec<_>>());
        let here = found.iter().flatten().count();
        assert!((LINES / 2..=LINES + 100).contains(&here), "{here}");
        assert_eq!(found.last(), Some(&Some(Arc::new(4 * LINES as i64 - 1))));
    }

    #[test]
    fn an_order_takes_in_what_changed_while_it_was_read() {
        let boards = Boards::<()>::default();
        let kills = |pve_kills| Scores { pve_kills, ..Scores::default() };
        assert_eq!(boards.page(Metric::PveKills, 0, 10), None);
        assert_eq!(boards.wanted(), [Metric::PveKills]);
        boards.begin_reading(Metric::PveKills);
        boards.put(&[(1, "ada", kills(30)), (3, "cy", kills(5))]);
        let read = [(2, 20, Arc::from("bo")), (1, 10, Arc::from("ada"))];
        boards.end_reading(Metric::PveKills, TopN::new(read.into_iter()));
        assert_eq!(boards.page(Metric::PveKills, 0, 10), Some(vec![1, 2, 3]));
        boards.put(&[(2, "bo", kills(40)), (1, "ada", kills(0))]);
        assert_eq!(boards.page(Metric::PveKills, 0, 10), Some(vec![2, 3]));
        assert!(boards.wanted().is_empty());
        // Forgotten while it is read: what was read is not taken.
        boards.begin_reading(Metric::PveKills);
        boards.forget();
        boards.end_reading(Metric::PveKills, TopN::default());
        assert_eq!(boards.page(Metric::PveKills, 0, 10), None);
    }
}

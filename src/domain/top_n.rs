//! The best entries of a leaderboard in order, so that its first pages need no query.
//!
//! Keeping all entries would take too much memory with millions of players, and few visitors open pages beyond the first ten
//! thousand rows.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The number of entries that are available at any time, if the leaderboard has as many.
pub const MIN_ENTRIES: usize = 10_000;
/// Entries beyond [`MIN_ENTRIES`], so that removals do not require a reload soon.
pub const SPARE_ENTRIES: usize = 2_000;

/// The entries with the highest scores above 0; equal scores are ordered by name.
#[derive(Debug, Default)]
pub struct TopN {
    /// `(score, name, id)`, best first.
    entries: BTreeSet<(Reverse<i64>, Arc<str>, i64)>,
    by_id: HashMap<i64, (i64, Arc<str>)>,
    /// Whether all entries of the leaderboard are held.
    is_complete: bool,
}

impl TopN {
    /// Creates the list from `(id, score, name)` of the best `MIN_ENTRIES + SPARE_ENTRIES`. Fewer means that there are no more.
    pub fn new(best: impl Iterator<Item = (i64, i64, Arc<str>)>) -> Self {
        let mut top = Self::default();
        best.for_each(|(id, score, name)| top.insert(id, score, name));
        top.is_complete = top.len() < MIN_ENTRIES + SPARE_ENTRIES;
        top
    }

    /// The number of entries that are held.
    fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether so many entries were removed that the list must be read from the database again.
    pub fn needs_reload(&self) -> bool {
        !self.is_complete && self.len() < MIN_ENTRIES
    }

    /// Sets the name and score of an id. An id with a score of 0 or less is removed.
    pub fn update(&mut self, id: i64, name: &str, score: i64) {
        match self.by_id.get(&id) {
            Some((had, was)) if *had == score && **was == *name => return,
            Some(_) => self.remove(id),
            None => {}
        }
        let last = self.entries.last();
        let is_among = last.is_some_and(|(least, of, last)| (Reverse(score), name, id) < (*least, &**of, *last));
        if score > 0 && (self.is_complete || is_among) {
            self.insert(id, score, name.into());
        }
        if self.len() > MIN_ENTRIES + SPARE_ENTRIES {
            self.is_complete = false;
            self.entries.pop_last().map(|(.., last)| self.by_id.remove(&last));
        }
    }

    /// Ids from `offset` on, best first. `None` if the range extends beyond the entries that are held.
    pub fn page(&self, offset: usize, limit: usize) -> Option<Vec<i64>> {
        let is_held = self.is_complete || offset.saturating_add(limit) <= self.len();
        is_held.then(|| self.ids().skip(offset).take(limit).collect())
    }

    /// All ids that are held, best first.
    pub fn ids(&self) -> impl Iterator<Item = i64> {
        self.entries.iter().map(|(.., id)| *id)
    }

    fn insert(&mut self, id: i64, score: i64, name: Arc<str>) {
        self.by_id.insert(id, (score, Arc::clone(&name)));
        self.entries.insert((Reverse(score), name, id));
    }

    fn remove(&mut self, id: i64) {
        if let Some((score, name)) = self.by_id.remove(&id) {
            self.entries.remove(&(Reverse(score), name, id));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn all(top: &TopN) -> Vec<i64> {
        top.page(0, top.len()).unwrap()
    }

    #[test]
    fn entries_are_ordered_as_by_sorting_after_any_updates() {
        let mut top = TopN::new(std::iter::empty());
        let mut players: BTreeMap<i64, (i64, String)> = BTreeMap::new();
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        for step in 0..20_000 {
            let id = random(3_000) as i64;
            let name = format!("name-{}", if random(50) == 0 { random(9) } else { id as u64 % 1_000 });
            let score = random(40) as i64;
            top.update(id, &name, score);
            players.insert(id, (score, name));
            if step % 997 == 0 {
                let mut sorted: Vec<_> = players.iter().filter(|(_, (score, _))| *score > 0).collect();
                sorted.sort_by_key(|(id, (score, name))| (Reverse(*score), name.clone(), **id));
                assert_eq!(all(&top), sorted.iter().map(|(id, _)| **id).collect::<Vec<_>>());
                assert_eq!(top.page(100, 50).unwrap(), all(&top)[100.min(top.len())..150.min(top.len())]);
            }
        }
        assert!(top.len() > 2_000, "too few entries for a meaningful test");
    }

    #[test]
    fn ranges_beyond_the_held_entries_need_the_database() {
        let best = (0..(MIN_ENTRIES + SPARE_ENTRIES) as i64).map(|n| (n, 100_000 - n, Arc::from(format!("p{n}"))));
        let mut top = TopN::new(best);
        assert_eq!(top.page(MIN_ENTRIES, 2).unwrap(), [MIN_ENTRIES as i64, MIN_ENTRIES as i64 + 1]);
        assert_eq!(top.page(MIN_ENTRIES + SPARE_ENTRIES, 1), None);
        // An unknown id with a lower score than the last entry may be anywhere below.
        top.update(-1, "low", 5);
        assert_eq!(top.page(MIN_ENTRIES + SPARE_ENTRIES, 1), None);
        top.update(-2, "high", 200_000);
        assert_eq!((top.page(0, 1).unwrap(), top.len()), (vec![-2], MIN_ENTRIES + SPARE_ENTRIES));
        assert!(!top.needs_reload());
        for id in 0..=SPARE_ENTRIES as i64 {
            top.update(id, &format!("p{id}"), 0);
        }
        assert!(top.needs_reload());
        assert_eq!(top.page(MIN_ENTRIES, 1), None);
    }

    #[test]
    fn a_complete_list_knows_its_end() {
        let top = TopN::new([(1, 9, Arc::from("b")), (2, 9, Arc::from("c"))].into_iter());
        assert_eq!(top.page(1, 30).unwrap(), [2]);
        assert_eq!(top.page(5, 30).unwrap(), [0; 0]);
    }
}

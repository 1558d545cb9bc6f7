//! The different people that a player fought in the last 90 days.

use std::collections::{BTreeSet, HashMap};

use super::REPEAT_WINDOW_MS;

/// A window over the fights of a player that moves forward in time.
pub(super) struct People<'a> {
    fights: &'a [(i64, i64)],
    first: usize,
    end: usize,
    /// Number of fights in the window, by opponent.
    opponents: HashMap<i64, usize>,
}

impl<'a> People<'a> {
    /// The window before all fights, which are `(time, opponent)` in order of time.
    pub fn of(fights: &'a [(i64, i64)]) -> Self {
        Self { fights, first: 0, end: 0, opponents: HashMap::new() }
    }

    /// The number of opponents in the 90 days up to and including `at`, without these players. `at` never decreases.
    pub fn count(&mut self, at: i64, without: &BTreeSet<i64>) -> usize {
        while let Some((_, opponent)) = self.fights.get(self.end).filter(|(time, _)| *time <= at) {
            *self.opponents.entry(*opponent).or_default() += 1;
            self.end += 1;
        }
        while self.first < self.end && self.fights[self.first].0 <= at - REPEAT_WINDOW_MS {
            let opponent = self.fights[self.first].1;
            if let Some(fights) = self.opponents.get_mut(&opponent) {
                *fights -= 1;
                if *fights == 0 {
                    self.opponents.remove(&opponent);
                }
            }
            self.first += 1;
        }
        self.opponents.len() - without.iter().filter(|player| self.opponents.contains_key(player)).count()
    }
}

//! Ranks as they stood when the UTC day began, for "three places up since start_ranks".
//!
//! Nothing is written down for it. The ranks of the day's beginning share their memory with those of now wherever nobody has
//! moved, and of each one whose figures changed since, the figures of before are kept.

use std::collections::HashMap;

use crate::domain::ranks::Ranks;
use crate::domain::scores::{Metric, Scores};
use crate::domain::times::Day;

/// The ranks of players, or of guilds, at the beginning of a day.
#[derive(Debug)]
pub struct DayStartRanks {
    day: Day,
    ranks: Ranks,
    /// What those had whose figures changed since.
    before: HashMap<i64, Scores>,
}

impl DayStartRanks {
    /// From the ranks of now and what has changed since the day began: who, figures then, figures now.
    pub fn new(day: Day, now: &Ranks, changed: impl Iterator<Item = (i64, Scores, Scores)>) -> Self {
        let mut start_ranks = Self { day, ranks: now.clone(), before: HashMap::new() };
        for (id, then, now) in changed {
            start_ranks.ranks.change(&now, &then);
            start_ranks.before.insert(id, then);
        }
        start_ranks
    }

    pub fn day(&self) -> Day {
        self.day
    }

    /// Begins a day with the ranks as they stand; nothing happens when it has begun already.
    pub fn start_day(&mut self, day: Day, now: &Ranks) {
        if day != self.day {
            *self = Self::new(day, now, std::iter::empty());
        }
    }

    /// One whose figures are about to change had these until now; `late` is what of the change was done on earlier days.
    pub fn record_change(&mut self, id: i64, before: Scores, late: Scores) {
        let then = self.before.entry(id).or_insert(before);
        if !late.is_zero() {
            let before = *then;
            *then += late;
            self.ranks.change(&before, then);
        }
    }

    /// The rank that one who has the figures `now` had when the day began.
    pub fn rank(&self, metric: Metric, id: i64, now: &Scores) -> Option<i64> {
        self.ranks.rank(metric, self.before.get(&id).unwrap_or(now).get(metric))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kills(pve_kills: i64) -> Scores {
        Scores { pve_kills, ..Scores::default() }
    }

    #[test]
    fn a_rank_of_the_mornings_stays_while_the_day_moves() {
        let mut now: Ranks = [9, 7, 5].map(kills).into_iter().collect();
        let mut start_ranks = DayStartRanks::new(Day(3), &now, std::iter::empty());
        // The third climbs twice and is first, one who is new is second.
        for (id, before, after) in [(3, 5, 8), (3, 8, 20), (4, 0, 12)] {
            start_ranks.record_change(id, kills(before), kills(0));
            now.change(&kills(before), &kills(after));
        }
        let then = |start_ranks: &DayStartRanks, id, now| start_ranks.rank(Metric::PveKills, id, &kills(now));
        assert_eq!(now.rank(Metric::PveKills, 20), Some(1));
        assert_eq!(
            (then(&start_ranks, 3, 20), then(&start_ranks, 1, 9), then(&start_ranks, 4, 12)),
            (Some(3), Some(1), None)
        );
        start_ranks.start_day(Day(3), &now);
        assert_eq!(then(&start_ranks, 3, 20), Some(3));
        start_ranks.start_day(Day(4), &now);
        assert_eq!((then(&start_ranks, 3, 20), then(&start_ranks, 4, 12)), (Some(1), Some(2)));
    }

    #[test]
    fn what_was_done_yesterday_and_is_told_today_counts_for_yesterday() {
        let mut now: Ranks = [9].map(kills).into_iter().collect();
        let mut start_ranks = DayStartRanks::new(Day(3), &now, std::iter::empty());
        // Somebody new did 12 start_ranks and 3 today, told in two batches.
        for (before, after, late) in [(0, 3, 0), (3, 15, 12)] {
            start_ranks.record_change(2, kills(before), kills(late));
            now.change(&kills(before), &kills(after));
        }
        let then = |id, now| start_ranks.rank(Metric::PveKills, id, &kills(now));
        assert_eq!((then(2, 15), then(1, 9)), (Some(1), Some(2)));
    }

    #[test]
    fn the_morning_is_found_again_after_a_start_in_the_middle_of_the_day() {
        let now: Ranks = [20, 9, 7].map(kills).into_iter().collect();
        let changed = [(3, kills(5), kills(20))];
        let start_ranks = DayStartRanks::new(Day(3), &now, changed.into_iter());
        assert_eq!(start_ranks.rank(Metric::PveKills, 3, &kills(20)), Some(3));
        assert_eq!(start_ranks.rank(Metric::PveKills, 2, &kills(7)), Some(2));
    }
}

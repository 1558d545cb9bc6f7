//! Ranks at the start of the current UTC day, from which a leaderboard computes how many places a row has moved.
//!
//! They are not stored. The ranks share memory with the current ranks where nothing has changed, and the scores at the start of
//! the day are remembered for each id whose scores have changed since.

use std::collections::HashMap;

use crate::domain::ranks::Ranks;
use crate::domain::scores::{Metric, Scores};
use crate::domain::times::Day;

/// The ranks of players, or of guilds, at the start of a day.
#[derive(Debug)]
pub struct DayStartRanks {
    day: Day,
    ranks: Ranks,
    /// Scores at the start of the day, of the ids whose scores have changed since.
    before: HashMap<i64, Scores>,
}

impl DayStartRanks {
    /// Derives the ranks from the current ones and from `(id, scores at the start of the day, current scores)` of each change
    /// since.
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

    /// Starts a new day with the current ranks. Does nothing if `day` is the current day.
    pub fn start_day(&mut self, day: Day, now: &Ranks) {
        if day != self.day {
            *self = Self::new(day, now, std::iter::empty());
        }
    }

    /// Records a change, before it is applied to the current ranks. `before` are the id's scores until now; `late` is the part
    /// of the change that happened on earlier days.
    pub fn record_change(&mut self, id: i64, before: Scores, late: Scores) {
        let then = self.before.entry(id).or_insert(before);
        if !late.is_zero() {
            let before = *then;
            *then += late;
            self.ranks.change(&before, then);
        }
    }

    /// The rank at the start of the day of an id whose current scores are `now`.
    pub fn rank(&self, metric: Metric, id: i64, now: &Scores) -> Option<i64> {
        self.ranks[metric].rank(self.before.get(&id).unwrap_or(now).get(metric))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kills(pve_kills: i64) -> Scores {
        Scores { pve_kills, ..Scores::default() }
    }

    #[test]
    fn start_of_day_ranks_do_not_change_with_scores() {
        let mut now: Ranks = [9, 7, 5].map(kills).into_iter().collect();
        let mut start_ranks = DayStartRanks::new(Day(3), &now, std::iter::empty());
        // The third climbs twice and is first; a new id is second.
        for (id, before, after) in [(3, 5, 8), (3, 8, 20), (4, 0, 12)] {
            start_ranks.record_change(id, kills(before), kills(0));
            now.change(&kills(before), &kills(after));
        }
        let then = |start_ranks: &DayStartRanks, id, now| start_ranks.rank(Metric::PveKills, id, &kills(now));
        assert_eq!(now[Metric::PveKills].rank(20), Some(1));
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
    fn events_of_earlier_days_change_start_of_day_ranks() {
        let mut now: Ranks = [9].map(kills).into_iter().collect();
        let mut start_ranks = DayStartRanks::new(Day(3), &now, std::iter::empty());
        // A new player did 12 yesterday and 3 today, reported in two batches.
        for (before, after, late) in [(0, 3, 0), (3, 15, 12)] {
            start_ranks.record_change(2, kills(before), kills(late));
            now.change(&kills(before), &kills(after));
        }
        let then = |id, now| start_ranks.rank(Metric::PveKills, id, &kills(now));
        assert_eq!((then(2, 15), then(1, 9)), (Some(1), Some(2)));
    }

    #[test]
    fn start_of_day_ranks_are_derived_again_after_a_restart() {
        let now: Ranks = [20, 9, 7].map(kills).into_iter().collect();
        let changed = [(3, kills(5), kills(20))];
        let start_ranks = DayStartRanks::new(Day(3), &now, changed.into_iter());
        assert_eq!(start_ranks.rank(Metric::PveKills, 3, &kills(20)), Some(3));
        assert_eq!(start_ranks.rank(Metric::PveKills, 2, &kills(7)), Some(2));
    }
}

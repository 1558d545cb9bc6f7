//! Exact ranks in every metric.

mod counts;

pub use counts::{RankedScore, ScoreCounts};

use std::ops::Index;

use crate::domain::scores::{Metric, Scores};

/// The ranks of players, or of guilds, in all metrics. A clone shares memory until either side changes.
#[derive(Debug, Clone, Default)]
pub struct Ranks {
    metrics: [ScoreCounts; Metric::ALL.len()],
}

impl Ranks {
    /// Replaces scores. All zero means that the player or guild is new, or gone.
    pub fn change(&mut self, old: &Scores, new: &Scores) {
        for metric in Metric::ALL {
            self.metrics[metric as usize].change(old.get(metric), new.get(metric));
        }
    }

    /// Adds all scores of another set. Loading two sets on two threads and merging them is faster than one.
    pub fn merge(&mut self, other: &Self) {
        self.metrics.iter_mut().zip(&other.metrics).for_each(|(own, other)| own.merge(other));
    }

    /// Size on the heap, in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.metrics.iter().map(ScoreCounts::heap_bytes).sum()
    }
}

impl Index<Metric> for Ranks {
    type Output = ScoreCounts;

    fn index(&self, metric: Metric) -> &ScoreCounts {
        &self.metrics[metric as usize]
    }
}

impl FromIterator<Scores> for Ranks {
    fn from_iter<I: IntoIterator<Item = Scores>>(all: I) -> Self {
        let mut ranks = Self::default();
        for scores in all {
            ranks.change(&Scores::default(), &scores);
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_metric_has_separate_ranks() {
        let best = Scores { pu_player_kills: 9, playtime: 100, ..Scores::default() };
        let other = Scores { pve_kills: 3, playtime: 200, ..Scores::default() };
        let mut ranks: Ranks = [best, other].into_iter().collect();
        assert_eq!(ranks[Metric::Overall].rank(9), Some(1));
        assert_eq!(ranks[Metric::Overall].rank(3), Some(2));
        assert_eq!(ranks[Metric::Playtime].rank(100), Some(2));
        assert_eq!(ranks[Metric::PveKills].ranked(), 1);
        assert_eq!(ranks[Metric::Playtime].percentile(200), Some(100.0));
        ranks.change(&best, &Scores::default());
        assert_eq!(ranks[Metric::Overall].rank(3), Some(1));
        assert_eq!(ranks[Metric::PuPlayerKills].ranked(), 0);
    }
}

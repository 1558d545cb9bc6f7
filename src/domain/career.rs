//! Figures of a career: stays in the Persistent Universe, lives, contracts and times in ships. Times are epoch milliseconds, durations
//! seconds.

use std::collections::BTreeMap;

use super::times::{DAY_MS, EpochMillis};

/// A stay in the Persistent Universe: `(arrival, departure)`.
pub type Stay = (i64, i64);

/// The longest life: the universe time between two deaths, or from the first arrival to a death, or since the last death. `stays` and
/// `deaths` are in order of time.
pub fn longest_life(stays: &[Stay], deaths: &[i64]) -> i64 {
    let lived_until = |at: i64| stays.iter().map(|(from, until)| ((*until).min(at) - from).max(0)).sum::<i64>();
    let (mut longest, mut born) = (0, 0);
    for lived in deaths.iter().map(|death| lived_until(*death)).chain([lived_until(i64::MAX)]) {
        longest = longest.max(lived - born);
        born = lived;
    }
    longest / 1000
}

/// The time at which the first of all lives had lasted this long. `stays` and `deaths` are in order of time.
pub fn life_reached(stays: &[Stay], deaths: &[i64], secs: i64) -> Option<i64> {
    let mut born = i64::MIN;
    for death in deaths.iter().copied().chain([i64::MAX]) {
        let mut missing = secs.saturating_mul(1000);
        for (from, until) in stays.iter().map(|(from, until)| ((*from).max(born), (*until).min(death))) {
            if from.saturating_add(missing) <= until {
                return Some(from + missing);
            }
            missing -= (until - from).max(0);
        }
        born = death;
    }
    None
}

/// When a player did what stickers are earned by. All times are in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Feats {
    pub contracts: Vec<i64>,
    /// Of the first contract completed for each giver.
    pub givers: Vec<i64>,
    /// Of the first flight of each ship.
    pub ships: Vec<i64>,
    /// Of each distinct blueprint.
    pub blueprints: Vec<i64>,
    /// Of ships and of the game.
    pub crashes: Vec<i64>,
    pub stays: Vec<Stay>,
    pub deaths: Vec<i64>,
}

/// The middle of these values, or the mean of the two in the middle.
pub fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    let middle = values.len() / 2;
    match (values.len() % 2, values.get(middle)) {
        (1, upper) => upper.copied(),
        (_, Some(upper)) => Some((values[middle - 1] + upper) / 2),
        (_, None) => None,
    }
}

/// How contracts of one giver, or of all, ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contracts {
    pub completed: i64,
    pub failed: i64,
    pub abandoned: i64,
    /// Those that ended in any other way.
    pub other: i64,
    /// From acceptance to end, of those of which a log tells both.
    pub durations: Vec<i64>,
}

impl Contracts {
    /// Adds the end of a contract; `outcome` is `None` if it was completed.
    pub fn end(&mut self, outcome: Option<&str>, duration: Option<i64>) {
        match outcome {
            None => self.completed += 1,
            Some("failed") => self.failed += 1,
            Some("abandoned") => self.abandoned += 1,
            Some(_) => self.other += 1,
        }
        self.durations.extend(duration);
    }

    /// The completed part of those that ended, as a percentage with one decimal.
    pub fn success(&self) -> Option<f64> {
        let ended = self.completed + self.failed + self.abandoned + self.other;
        (ended > 0).then(|| (self.completed as f64 * 1000.0 / ended as f64).round() / 10.0)
    }
}

/// An entry into a vehicle, or an exit: `(vehicle with its entity id, time, whether it is an entry)`.
pub type SeatMark<'a> = (&'a str, i64, bool);

/// The seconds in each vehicle, between entries and exits of which a log tells both. `marks` are in order of time.
pub fn seat_times<'a>(marks: &[SeatMark<'a>]) -> BTreeMap<&'a str, i64> {
    let (mut open, mut secs): (BTreeMap<&str, i64>, BTreeMap<&str, i64>) = Default::default();
    for (vehicle, at, is_entry) in marks {
        if *is_entry {
            open.insert(vehicle, *at);
        } else if let Some(entered) = open.remove(vehicle).filter(|entered| at - entered <= DAY_MS) {
            *secs.entry(vehicle).or_default() += (at - entered) / 1000;
        }
    }
    secs
}

/// The greatest number of these times on one UTC day.
pub fn most_in_a_day(times: impl Iterator<Item = i64>) -> i64 {
    let mut days: BTreeMap<i32, i64> = BTreeMap::new();
    times.for_each(|at| *days.entry(EpochMillis(at).day().0).or_default() += 1);
    days.into_values().max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_life_lasts_from_death_to_death_in_universe_time() {
        let stays = [(0, 10_000), (50_000, 90_000)];
        for (deaths, longest) in
            [(vec![], 50), (vec![5_000], 45), (vec![60_000], 30), (vec![20_000, 30_000], 40), (vec![95_000], 50)]
        {
            assert_eq!(longest_life(&stays, &deaths), longest, "{deaths:?}");
        }
        assert_eq!(longest_life(&[], &[1_000]), 0);
    }

    #[test]
    fn a_life_is_reached_at_the_first_time_that_it_has_lasted() {
        let stays = [(0, 10_000), (50_000, 90_000)];
        for (deaths, secs, reached) in [
            (vec![], 10, Some(10_000)),
            (vec![], 11, Some(51_000)),
            (vec![5_000], 11, Some(56_000)),
            (vec![60_000], 30, Some(90_000)),
            (vec![60_000], 31, None),
            (vec![20_000, 30_000], 40, Some(90_000)),
        ] {
            assert_eq!(life_reached(&stays, &deaths, secs), reached, "{deaths:?} {secs}");
            assert_eq!(reached.is_some(), longest_life(&stays, &deaths) >= secs, "{deaths:?} {secs}");
        }
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!([vec![], vec![7], vec![9, 1, 4], vec![4, 1, 9, 6]].map(median), [None, Some(7), Some(4), Some(5)]);
    }

    #[test]
    fn success_is_the_completed_part_of_all_endings() {
        let mut contracts = Contracts::default();
        assert_eq!(contracts.success(), None);
        contracts.end(None, Some(60));
        contracts.end(Some("failed"), None);
        contracts.end(Some("withdrawn"), Some(30));
        assert_eq!((contracts.success(), contracts.other, contracts.durations), (Some(33.3), 1, vec![60, 30]));
    }

    #[test]
    fn time_in_a_ship_needs_both_ends() {
        let marks = [("A_1", 0, true), ("B_2", 1_000, false), ("A_1", 9_000, false), ("A_1", 10_000, true)];
        assert_eq!(seat_times(&marks), BTreeMap::from([("A_1", 9)]));
    }

    #[test]
    fn the_best_day_is_a_utc_day() {
        assert_eq!(most_in_a_day([0, 1, DAY_MS, DAY_MS + 1, DAY_MS + 2].into_iter()), 3);
    }
}

//! Circles of claimed players who kill each other repeatedly.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{Kill, REPEAT_WINDOW_MS};

/// A group of this size is a circle. Two players are limited by the share, and larger groups are communities.
const CIRCLE_MEMBERS: std::ops::RangeInclusive<usize> = 3..=30;

/// The links between claimed players: each repeat links two of them for 90 days.
#[derive(Debug, Default)]
pub struct Links {
    /// The times of the repeats of each pair in ascending order, by player and opponent.
    times: HashMap<i64, BTreeMap<i64, Vec<i64>>>,
}

impl Links {
    /// Adds the repeat of two claimed players.
    pub fn add(&mut self, repeat: &Kill) {
        for (player, opponent) in [(repeat.killer, repeat.victim), (repeat.victim, repeat.killer)] {
            let times = self.times.entry(player).or_default().entry(opponent).or_default();
            times.insert(times.partition_point(|at| *at <= repeat.at), repeat.at);
        }
    }

    /// The members of a player's circle at a time, including the player; empty without a circle.
    pub fn circle(&self, player: i64, at: i64) -> BTreeSet<i64> {
        let is_linked = |times: &[i64]| {
            let until = times.partition_point(|time| *time <= at);
            until > 0 && times[until - 1] > at - REPEAT_WINDOW_MS
        };
        let mut members = BTreeSet::from([player]);
        let mut open = vec![player];
        while let Some(member) = open.pop() {
            for (opponent, _) in self.times.get(&member).into_iter().flatten().filter(|(_, times)| is_linked(times)) {
                if members.insert(*opponent) {
                    open.push(*opponent);
                }
            }
            if members.len() > *CIRCLE_MEMBERS.end() {
                return BTreeSet::new();
            }
        }
        if CIRCLE_MEMBERS.contains(&members.len()) { members } else { BTreeSet::new() }
    }

    /// The players whose circles may differ after changes, with the time of the first change. A change is the time from which on a
    /// link of the player differs.
    pub fn reach(&self, changes: &BTreeMap<i64, i64>) -> BTreeMap<i64, i64> {
        let mut by_time: Vec<(i64, i64)> = changes.iter().map(|(player, since)| (*since, *player)).collect();
        by_time.sort_unstable();
        let mut reached: BTreeMap<i64, i64> = BTreeMap::new();
        for (since, player) in by_time {
            let mut open = vec![player];
            while let Some(player) = open.pop() {
                // An earlier change reaches at least as many players.
                if reached.contains_key(&player) {
                    continue;
                }
                reached.insert(player, since);
                let linked = self.times.get(&player).into_iter().flatten();
                open.extend(linked.filter(|(_, times)| is_linked_since(times, since)).map(|(opponent, _)| *opponent));
            }
        }
        reached
    }

    /// All circles at a time.
    pub fn circles(&self, at: i64) -> Vec<BTreeSet<i64>> {
        let all: BTreeSet<BTreeSet<i64>> = self.times.keys().map(|player| self.circle(*player, at)).collect();
        all.into_iter().filter(|circle| !circle.is_empty()).collect()
    }
}

/// Whether two players are linked at `since` or later.
fn is_linked_since(times: &[i64], since: i64) -> bool {
    times.last().is_some_and(|last| *last > since.saturating_sub(REPEAT_WINDOW_MS))
}

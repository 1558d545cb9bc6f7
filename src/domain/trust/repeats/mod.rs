//! Repeated kills: which kills between the same two players count.
//!
//! Of the kills between two players, in either direction, the first two in 90 days count. Every further one is a *repeat*. It counts
//! while the killer's counted repeats of the last 90 days, itself included, are at most 5 % of the different people whom the killer
//! fought in that time and, if the victim is claimed, at most 5 % of the people whom the victim fought. Claimed players who are linked
//! by repeats of the last 90 days form a circle of 3 to 30 members: inside it repeats do not count, and members are not "different
//! people" for each other.
//!
//! Only kills of players in the persistent universe are compared. Kills in Arena Commander do not enter any board, and a match there
//! consists of repeats. Vehicle losses, kills of NPCs and suicides are not compared either.
//!
//! A decision depends on kills up to its own time only. Therefore a change decides later kills again and no earlier ones, and the
//! order in which reports arrive does not matter.

mod circles;
mod people;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

pub use circles::Links;
use people::People;

use crate::domain::times::DAY_MS;

/// The time in which kills are compared, in milliseconds.
pub const REPEAT_WINDOW_MS: i64 = 90 * DAY_MS;
/// The kills of a pair in that time that always count.
const FREE_KILLS: usize = 2;

/// A kill of one player by another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kill {
    /// The id of the event.
    pub id: i64,
    pub killer: i64,
    pub victim: i64,
    /// The time of the event in epoch milliseconds.
    pub at: i64,
}

impl Kill {
    /// The order in which kills are decided.
    fn order(&self) -> (i64, i64) {
        (self.at, self.id)
    }

    fn pair(&self) -> (i64, i64) {
        (self.killer.min(self.victim), self.killer.max(self.victim))
    }

    /// The opponent of a player in this kill.
    pub fn opponent(&self, player: i64) -> i64 {
        if self.killer == player { self.victim } else { self.killer }
    }
}

/// Returns the repeats among the kills of one pair, which are in order of time. Those before `since` are known.
pub fn repeats_of_pair(kills: &[Kill], since: i64, is_known_repeat: impl Fn(&Kill) -> bool) -> Vec<Kill> {
    let mut free: VecDeque<i64> = VecDeque::with_capacity(FREE_KILLS);
    let mut repeats = Vec::new();
    for kill in kills {
        while free.front().is_some_and(|at| *at <= kill.at - REPEAT_WINDOW_MS) {
            free.pop_front();
        }
        let is_repeat = if kill.at < since { is_known_repeat(kill) } else { free.len() >= FREE_KILLS };
        if is_repeat {
            repeats.push(*kill);
        } else {
            free.push_back(kill.at);
        }
    }
    repeats
}

/// What the decision about a killer's repeats depends on.
pub struct Surroundings<'a> {
    /// The fights of the killer and of claimed victims as `(time, opponent)`, in order of time, from 90 days before the first
    /// decision on.
    pub fights: &'a HashMap<i64, Vec<(i64, i64)>>,
    pub claimed: &'a HashSet<i64>,
    pub links: &'a Links,
    /// The share of repeats that counts, in percent of the different people.
    pub share: u32,
}

impl Surroundings<'_> {
    fn people(&self, player: i64) -> People<'_> {
        People::of(self.fights.get(&player).map(Vec::as_slice).unwrap_or_default())
    }

    /// The members of the player's circle; empty without one.
    fn circle(&self, player: i64, at: i64) -> BTreeSet<i64> {
        if self.claimed.contains(&player) { self.links.circle(player, at) } else { BTreeSet::new() }
    }

    fn allows(&self, counted: usize, people: usize) -> bool {
        counted.saturating_mul(100) <= people.saturating_mul(self.share as usize)
    }
}

/// Decides which of a killer's repeats, in order of time, count. Those before `since` are known. Returns whether each of the
/// others counts, by id.
pub fn decide_repeats(
    repeats: &[Kill],
    since: i64,
    is_known_to_count: impl Fn(&Kill) -> bool,
    surroundings: &Surroundings,
) -> BTreeMap<i64, bool> {
    let mut counted: VecDeque<i64> = VecDeque::new();
    let mut people: HashMap<i64, People> = HashMap::new();
    let mut decided = BTreeMap::new();
    for kill in repeats {
        while counted.front().is_some_and(|at| *at <= kill.at - REPEAT_WINDOW_MS) {
            counted.pop_front();
        }
        let counts = if kill.at < since {
            is_known_to_count(kill)
        } else {
            let counts = counts(kill, counted.len() + 1, &mut people, surroundings);
            decided.insert(kill.id, counts);
            counts
        };
        if counts {
            counted.push_back(kill.at);
        }
    }
    decided
}

/// Whether a repeat counts that would be the killer's `number`th counted one in 90 days.
fn counts<'a>(
    kill: &Kill,
    number: usize,
    people: &mut HashMap<i64, People<'a>>,
    surroundings: &'a Surroundings,
) -> bool {
    let circle = surroundings.circle(kill.killer, kill.at);
    if circle.contains(&kill.victim) {
        return false;
    }
    let mut people_of = |player: i64, circle: &BTreeSet<i64>| {
        people.entry(player).or_insert_with(|| surroundings.people(player)).count(kill.at, circle)
    };
    if !surroundings.allows(number, people_of(kill.killer, &circle)) {
        return false;
    }
    !surroundings.claimed.contains(&kill.victim)
        || surroundings.allows(number, people_of(kill.victim, &surroundings.circle(kill.victim, kill.at)))
}

/// Decides about all kills of a site at once; returns the ids of those that do not count.
pub fn withheld(kills: &[Kill], claimed: &HashSet<i64>, share: u32) -> BTreeSet<i64> {
    let mut kills = kills.to_vec();
    kills.sort_unstable_by_key(Kill::order);
    let mut pairs: BTreeMap<(i64, i64), Vec<Kill>> = BTreeMap::new();
    let mut fights: HashMap<i64, Vec<(i64, i64)>> = HashMap::new();
    for kill in &kills {
        pairs.entry(kill.pair()).or_default().push(*kill);
        fights.entry(kill.killer).or_default().push((kill.at, kill.victim));
        fights.entry(kill.victim).or_default().push((kill.at, kill.killer));
    }
    let mut links = Links::default();
    let mut by_killer: BTreeMap<i64, Vec<Kill>> = BTreeMap::new();
    for repeat in pairs.values().flat_map(|kills| repeats_of_pair(kills, i64::MIN, |_| false)) {
        if claimed.contains(&repeat.killer) && claimed.contains(&repeat.victim) {
            links.add(&repeat);
        }
        by_killer.entry(repeat.killer).or_default().push(repeat);
    }
    let surroundings = Surroundings { fights: &fights, claimed, links: &links, share };
    let mut withheld = BTreeSet::new();
    for repeats in by_killer.values_mut() {
        repeats.sort_unstable_by_key(Kill::order);
        let decided = decide_repeats(repeats, i64::MIN, |_| false, &surroundings);
        withheld.extend(decided.into_iter().filter(|(_, counts)| !counts).map(|(id, _)| id));
    }
    withheld
}

#[cfg(test)]
mod simulations;
#[cfg(test)]
mod tests;

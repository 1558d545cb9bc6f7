//! What the rule takes from those who feed each other, and from honest players.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

const SHARE: u32 = 5;
const HOUR_MS: i64 = 3_600_000;

/// A site of which every event is a kill.
#[derive(Default)]
struct Site {
    kills: Vec<Kill>,
    claimed: HashSet<i64>,
    next_stranger: i64,
}

impl Site {
    fn kill(&mut self, killer: i64, victim: i64, at: i64) {
        self.kills.push(Kill { id: self.kills.len() as i64, killer, victim, at });
    }

    /// Kills of different strangers, one an hour.
    fn meet_strangers(&mut self, killer: i64, people: i64) {
        for hour in 0..people {
            self.next_stranger += 1;
            self.kill(killer, 1_000_000 + self.next_stranger, hour * HOUR_MS);
        }
    }

    /// The share of kills between these players that count, in percent.
    fn counted_percent(&self, between: &HashSet<i64>) -> usize {
        let withheld = withheld(&self.kills, &self.claimed, SHARE);
        let face: Vec<&Kill> =
            self.kills.iter().filter(|kill| between.contains(&kill.killer) && between.contains(&kill.victim)).collect();
        face.iter().filter(|kill| !withheld.contains(&kill.id)).count() * 100 / face.len()
    }
}

#[test]
fn fifty_kills_of_a_claimed_alternate_account_count_as_two() {
    for strangers in [0, 20, 1_000] {
        let mut site = Site { claimed: HashSet::from([1, 2]), ..Site::default() };
        site.meet_strangers(1, strangers);
        (0..50).for_each(|n| site.kill(1, 2, 60 * DAY_MS + n * HOUR_MS / 4));
        assert_eq!(site.counted_percent(&HashSet::from([1, 2])), 4, "{strangers} strangers");
    }
}

#[test]
fn rings_of_up_to_twenty_count_at_most_four_percent() {
    for members in 2..=20i64 {
        // In a row, and everybody with everybody.
        for is_complete in [false, true] {
            // Strangers do not help a ring of three or more. They do raise the share of a pair: that is what the share means.
            for strangers in if members == 2 { 0..1 } else { 0..2 } {
                let ring: HashSet<i64> = (1..=members).collect();
                let mut site = Site { claimed: ring.clone(), ..Site::default() };
                (1..=members).for_each(|member| site.meet_strangers(member, strangers * 300));
                for round in 0..50 {
                    let at = 60 * DAY_MS + round * HOUR_MS / 4;
                    for killer in 1..=members {
                        let next = killer % members + 1;
                        let victims = if is_complete { (killer + 1)..=members } else { next..=next };
                        victims.for_each(|victim| site.kill(killer, victim, at));
                    }
                }
                let percent = site.counted_percent(&ring);
                let repeats_before_the_circle = usize::from(strangers > 0);
                assert!(
                    percent <= 4 + repeats_before_the_circle,
                    "{members} members, complete: {is_complete}, {strangers}: {percent} %"
                );
            }
        }
    }
}

/// Kills, and how many of them are withheld, in half a year of a community, half of it claimed. Players meet at random; after each
/// fight, the same two meet again within thirty days with the probability `returning`.
fn honest_play(players: i64, fights_each: i64, returning: f64, seed: u64) -> (usize, usize) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut site = Site { claimed: (1..=players).filter(|player| player % 2 == 0).collect(), ..Site::default() };
    for _ in 0..players * fights_each / 2 {
        let player = rng.random_range(1..=players);
        let opponent = (player + rng.random_range(1..players) - 1) % players + 1;
        let mut at = rng.random_range(0..180 * DAY_MS);
        loop {
            let (killer, victim) = if rng.random_bool(0.5) { (player, opponent) } else { (opponent, player) };
            site.kill(killer, victim, at);
            if !rng.random_bool(returning) {
                break;
            }
            at += rng.random_range(0..30 * DAY_MS);
        }
    }
    let withheld = withheld(&site.kills, &site.claimed, SHARE);
    (site.kills.len(), withheld.len())
}

/// The share falls on players who fight so few people that 5 % of them are less than one: without a share, 0.5 % would be lost.
#[test]
fn honest_play_loses_next_to_nothing() {
    for (fights_each, max_per_mille) in [(30, 5), (60, 2), (120, 1)] {
        let (kills, lost) = honest_play(4_000, fights_each, 0.07, 1);
        assert!(lost > 0, "the simulation contains repeats");
        assert!(lost * 1_000 <= kills * max_per_mille, "{fights_each} fights in half a year: {lost} of {kills}");
    }
}

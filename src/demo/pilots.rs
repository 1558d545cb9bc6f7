//! Habits of a player: playing hours, preferences, ships and weapons.

use std::f64::consts::TAU;

use super::items::MissionKind;
use super::random::{long_tail, mix, popular, unit};
use crate::domain::times::HOUR_MS;

const DAY_HOURS: i64 = 24;

/// Regions: share of players, and UTC offset in hours.
const REGIONS: [(f64, i64); 6] = [(0.38, 1), (0.09, 0), (0.23, -5), (0.14, -8), (0.11, 9), (0.05, -3)];

/// A player's habits, derived from the seed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pilot {
    seed: u64,
    player: u32,
}

impl Pilot {
    pub(super) fn new(seed: u64, player: u32) -> Self {
        Self { seed: mix(seed, 0x50_494C_4F54), player }
    }

    fn chance(self, trait_number: u64) -> f64 {
        unit(self.seed ^ trait_number, u64::from(self.player))
    }

    fn hours_ahead(self) -> i64 {
        let mut chance = self.chance(1);
        for (share, ahead) in REGIONS {
            if chance < share {
                return ahead;
            }
            chance -= share;
        }
        0
    }

    /// Probability of playing at a time, `0.0..=1.0`.
    pub(super) fn activity_at(self, at_ms: i64) -> f64 {
        curve(at_ms + self.hours_ahead() * HOUR_MS)
    }

    /// Share of arena sessions.
    pub(super) fn arena_share(self) -> f64 {
        0.6 * self.chance(2).powi(3)
    }

    /// Inclination to fight players; 1 on average.
    pub(super) fn aggression(self) -> f64 {
        4.0 * self.chance(3).powi(3)
    }

    /// Fighting skill, between 0.25 and 1.75; 1 on average.
    pub(super) fn skill(self) -> f64 {
        0.25 + 1.5 * self.chance(4)
    }

    /// Kind of the next mission, for a random number.
    pub(super) fn mission_kind(self, chance: f64) -> MissionKind {
        const KINDS: [MissionKind; 3] = [MissionKind::OnFoot, MissionKind::Ships, MissionKind::Goods];
        // The rest follows from the player, who prefers one kind.
        let chance = if chance < 0.45 { self.chance(5) } else { (chance - 0.45) / 0.55 };
        KINDS[long_tail(chance, 3, 1.15)]
    }

    /// One of the player's three favourites in a list, for a random number. The first gets more than half of all draws.
    pub(super) fn favourite(self, list: &[&'static str], chance: f64) -> &'static str {
        popular(list, self.chance(10 + long_tail(chance, 3, 2.0) as u64))
    }
}

/// Probability of playing at a local time: highest in the evening, and on weekends also in the afternoon.
fn curve(local_ms: i64) -> f64 {
    let hours = local_ms.div_euclid(HOUR_MS);
    // 1970-01-01 was a Thursday.
    let is_weekend = (hours.div_euclid(DAY_HOURS) + 3).rem_euclid(7) >= 5;
    let closeness = ((hours.rem_euclid(DAY_HOURS) - 20) as f64 / DAY_HOURS as f64 * TAU).cos();
    0.04 + 0.96 * ((1.0 + closeness) / 2.0).powf(if is_weekend { 1.0 } else { 4.0 })
}

/// Relative activity of the whole universe at a time.
pub(super) fn rhythm(at_ms: i64) -> f64 {
    REGIONS.iter().map(|&(share, ahead)| share * curve(at_ms + ahead * HOUR_MS)).sum()
}

#[cfg(test)]
mod tests {
    use super::super::items::{FIGHTERS, HAND_WEAPONS};
    use super::*;

    #[test]
    fn evenings_and_weekends_are_busier() {
        // 2026-11-18 was a Wednesday, 2026-11-21 a Saturday.
        let wednesday = 1_794_960_000_000;
        let saturday = wednesday + 3 * 24 * HOUR_MS;
        assert!(rhythm(wednesday + 20 * HOUR_MS) > 2.0 * rhythm(wednesday + 5 * HOUR_MS));
        assert!(rhythm(saturday + 12 * HOUR_MS) > 1.3 * rhythm(wednesday + 12 * HOUR_MS));
    }

    #[test]
    fn favourites_of_a_pilot_do_not_change() {
        let pilot = Pilot::new(1, 77);
        assert_eq!(pilot.favourite(FIGHTERS, 0.1), pilot.favourite(FIGHTERS, 0.3));
        assert_eq!(pilot.favourite(HAND_WEAPONS, 0.99), Pilot::new(1, 77).favourite(HAND_WEAPONS, 0.99));
    }
}

//! Lifetime totals of players without events, for universes that are too large to generate events for.

use super::Universe;
use super::random::{mix, unit};
use crate::domain::counters::{Counters, CountersByMode};
use crate::domain::times::EpochMillis;

/// Hours of the least active players, and the exponent of the distribution.
const MIN_HOURS: f64 = 4.8;
const HOURS_EXPONENT: f64 = 0.55;
/// Limit that the hours of the most active players approach.
const MAX_HOURS: f64 = 5_200.0;
/// Share of players without any counted event.
const IDLE_SHARE: f64 = 0.06;
const DAY_MS: f64 = 86_400_000.0;

/// A player's lifetime totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DemoTotals {
    pub counters: CountersByMode,
    pub unknown_deaths: u64,
    pub missions_completed: u64,
    /// In seconds.
    pub playtime: u64,
    pub last_active: EpochMillis,
}

impl Universe {
    pub(super) fn totals_of(&self, player: u32, rank: u32) -> DemoTotals {
        let seed = mix(self.seed, 0x544F_5441);
        let chance = |which: u64| unit(seed ^ which, u64::from(player));
        let pilot = self.pilot(player);
        let along = (f64::from(rank) + 0.5) / f64::from(self.players.max(1));
        let wish = MIN_HOURS * along.powf(-HOURS_EXPONENT) * ((chance(1) - 0.5) * 1.4).exp();
        let hours = wish / (1.0 + wish / MAX_HOURS);
        let active_hours = if chance(2) < IDLE_SHARE && along > 0.2 { 0.0 } else { hours };
        let arena = pilot.arena_share();
        let (skill, aggression) = (pilot.skill(), pilot.aggression());
        // Probabilistic rounding keeps sums over many players correct.
        let count = |which: u64, expected: f64| (expected + chance(which)).floor().max(0.0) as u64;
        let mode = |hours: f64, base: u64, npcs: f64, players: f64| {
            let fights = hours * players * aggression;
            let hunts = hours * npcs * (0.4 + 1.2 * chance(base));
            let soft = hunts * 0.22 + fights * 0.3;
            Counters::from(
                [
                    count(base + 1, fights * skill),
                    count(base + 2, fights * (2.0 - skill)),
                    count(base + 3, hunts * (0.6 + 0.4 * skill)),
                    count(base + 4, hunts * 0.03 * (2.0 - skill)),
                    count(base + 5, soft * skill),
                    count(base + 6, fights * 0.3 * (2.0 - skill)),
                    count(base + 7, soft * 0.78 * skill),
                    count(base + 8, (fights * 0.25 + hunts * 0.01) * (2.0 - skill)),
                    count(base + 9, soft * 0.2 * skill),
                    count(base + 10, fights * 0.08 * (2.0 - skill)),
                ]
                .map(|n| n as i64),
            )
        };
        let accepted = count(40, active_hours * (1.0 - arena) * (0.5 + 1.5 * chance(41)));
        let days_ago = -(1.0 - chance(43)).ln() * (1.5 + 70.0 * along);
        DemoTotals {
            counters: CountersByMode {
                pu: mode(active_hours * (1.0 - arena), 10, 5.5, 0.18),
                ac: mode(active_hours * arena, 25, 6.0, 1.6),
            },
            unknown_deaths: count(44, active_hours * 0.03),
            missions_completed: (accepted as f64 * (0.55 + 0.4 * chance(42))) as u64,
            playtime: (hours * 3600.0) as u64,
            last_active: EpochMillis(self.now.0 - 60_000 - (days_ago * DAY_MS) as i64),
        }
    }
}

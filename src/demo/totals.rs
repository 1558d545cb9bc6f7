//! Lifetime totals of players without events, for universes that are too large to generate events for.

use super::Universe;
use super::items::{MISSIONS, MissionKind};
use super::random::{mix, popular, unit};
use crate::domain::counters::{Counter, Counters, CountersByMode};
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
    pub missions_accepted: u64,
    pub missions_completed: u64,
    /// In seconds.
    pub playtime: u64,
    pub sessions: u64,
    pub last_active: EpochMillis,
}

/// Weapons, vehicles and missions behind the totals; their sums match [`DemoTotals`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct DemoHabits {
    /// Weapon class and kills with it.
    pub weapons: Vec<(&'static str, u64)>,
    /// Vehicle class and uses of it.
    pub vehicles: Vec<(&'static str, u64)>,
    /// Contract, accepted, completed.
    pub missions: Vec<(&'static str, u64, u64)>,
}

pub(super) fn of(universe: &Universe, player: u32, rank: u32) -> DemoTotals {
    let seed = mix(universe.seed, 0x544F_5441);
    let chance = |which: u64| unit(seed ^ which, u64::from(player));
    let pilot = universe.pilot(player);
    let along = (f64::from(rank) + 0.5) / f64::from(universe.players.max(1));
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
        missions_accepted: accepted,
        missions_completed: (accepted as f64 * (0.55 + 0.4 * chance(42))) as u64,
        playtime: (hours * 3600.0) as u64,
        sessions: (hours / 1.3).ceil() as u64,
        last_active: EpochMillis(universe.now.0 - 60_000 - (days_ago * DAY_MS) as i64),
    }
}

pub(super) fn habits(universe: &Universe, player: u32, totals: &DemoTotals) -> DemoHabits {
    let seed = mix(universe.seed, 0x4841_4249);
    let pilot = universe.pilot(player);
    let chance = |which: u64| unit(seed ^ which, u64::from(player));
    let kills = (totals.counters.total(Counter::PlayerKills) + totals.counters.total(Counter::NpcKills)) as u64;
    let on_foot = (kills as f64 * (0.35 + 0.5 * chance(1))) as u64;
    let mut weapons = split(on_foot, (0..4).map(|slot| pilot.hand_weapon(f64::from(slot) / 4.0)));
    weapons.extend(split(kills - on_foot, (0..3).map(|slot| pilot.ship_weapon(f64::from(slot) / 3.0))));
    let uses = totals.sessions + totals.missions_accepted;
    let ships = [pilot.fighter(0.0), pilot.worker(0.0), pilot.fighter(0.65), pilot.worker(0.9), pilot.fighter(0.95)];
    let taken = (0..5).map(|which| popular(MISSIONS, chance(10 + which)).0);
    let accepted = split(totals.missions_accepted, taken);
    let share = totals.missions_completed as f64 / totals.missions_accepted.max(1) as f64;
    let mut missions: Vec<(&str, u64, u64)> = accepted
        .into_iter()
        .map(|(contract, accepted)| (contract, accepted, ((accepted as f64 * share) as u64).min(accepted)))
        .collect();
    // Distribute the remainder of rounding down.
    let mut left = totals.missions_completed.saturating_sub(missions.iter().map(|mission| mission.2).sum());
    for (_, accepted, completed) in &mut missions {
        let more = left.min(*accepted - *completed);
        *completed += more;
        left -= more;
    }
    DemoHabits { weapons, vehicles: split(uses, ships.into_iter()), missions }
}

/// Distributes a sum over names with decreasing shares. Equal names are merged.
fn split(sum: u64, names: impl Iterator<Item = &'static str>) -> Vec<(&'static str, u64)> {
    let mut parts: Vec<(&'static str, u64)> = Vec::new();
    let mut left = sum;
    for name in names {
        let part = left.div_ceil(2);
        left -= part;
        match parts.iter_mut().find(|(known, _)| *known == name) {
            Some((_, value)) => *value += part,
            None if part > 0 => parts.push((name, part)),
            None => {}
        }
    }
    if let Some((_, first)) = parts.first_mut() {
        *first += left;
    }
    parts
}

/// The contracts of a kind of mission, ordered by popularity.
pub(super) fn missions_of(work: MissionKind) -> Vec<&'static str> {
    MISSIONS.iter().filter(|(_, kind)| *kind == work).map(|&(name, _)| name).collect()
}

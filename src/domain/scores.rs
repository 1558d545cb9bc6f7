//! The metrics that players and guilds are ranked by, and the scores from which they are computed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

// The sum, then the fields of `Scores` in their order.
/// A ranked metric. The names are the values of `sortBy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    Overall,
    PuPlayerKills,
    PveKills,
    VehicleDestructions,
    MissionsCompleted,
    Playtime,
    Career,
    ShipsFlown,
}

impl Metric {
    pub const ALL: [Self; 8] = [
        Self::Overall,
        Self::PuPlayerKills,
        Self::PveKills,
        Self::VehicleDestructions,
        Self::MissionsCompleted,
        Self::Playtime,
        Self::Career,
        Self::ShipsFlown,
    ];

    /// The name, which is also that of the column.
    pub fn as_str(self) -> &'static str {
        if self == Self::Overall { "overall" } else { Scores::NAMES[self as usize - 1] }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.as_str() == text)
    }
}

/// The scores of a player or guild, or a change of them. In JSON an array in the order of the fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "[i64; 8]", into = "[i64; 8]")]
pub struct Scores {
    pub pu_player_kills: i64,
    pub pve_kills: i64,
    pub vehicle_destructions: i64,
    pub missions_completed: i64,
    /// In seconds.
    pub playtime: i64,
    /// The sum of [`career_of_day`] over all days.
    pub career: i64,
    /// Distinct vehicle classes controlled in the Persistent Universe.
    pub ships_flown: i64,
    /// Time in the Persistent Universe, without loading and menus, in seconds.
    pub universe_time: i64,
}

/// The career score of a player's UTC day: one point for each six minutes of universe time, and five for each completed contract, at
/// most ten times the points for time. The cap allows 20 contracts an hour.
pub fn career_of_day(universe_secs: i64, contracts: i64) -> i64 {
    let time = universe_secs / 360;
    time + (5 * contracts).min(10 * time)
}

/// Orders search results: by `overall`, and by `career` where it is 0.
pub fn search_order(overall: i64, career: i64) -> i64 {
    const ABOVE_ALL_CAREERS: i64 = 1 << 32;
    if overall > 0 { ABOVE_ALL_CAREERS + overall } else { career }
}

impl Scores {
    /// See [`search_order`].
    pub fn search_order(&self) -> i64 {
        search_order(self.overall(), self.career)
    }

    /// The names of the fields, in their order. They are the columns of each table with scores.
    pub const NAMES: [&str; 8] = [
        "pu_player_kills",
        "pve_kills",
        "vehicle_destructions",
        "missions_completed",
        "playtime",
        "career",
        "ships_flown",
        "universe_time",
    ];

    /// The sum of player kills, NPC kills and destroyed vehicles in the Persistent Universe.
    pub fn overall(&self) -> i64 {
        self.pu_player_kills + self.pve_kills + self.vehicle_destructions
    }

    pub fn get(&self, metric: Metric) -> i64 {
        match metric {
            Metric::Overall => self.overall(),
            field => <[i64; 8]>::from(*self)[field as usize - 1],
        }
    }

    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl From<[i64; 8]> for Scores {
    fn from(values: [i64; 8]) -> Self {
        Self {
            pu_player_kills: values[0],
            pve_kills: values[1],
            vehicle_destructions: values[2],
            missions_completed: values[3],
            playtime: values[4],
            career: values[5],
            ships_flown: values[6],
            universe_time: values[7],
        }
    }
}

impl From<Scores> for [i64; 8] {
    fn from(scores: Scores) -> Self {
        [
            scores.pu_player_kills,
            scores.pve_kills,
            scores.vehicle_destructions,
            scores.missions_completed,
            scores.playtime,
            scores.career,
            scores.ships_flown,
            scores.universe_time,
        ]
    }
}

impl Scores {
    /// Combines each figure with that of other scores.
    fn combine(self, other: Self, with: fn(i64, i64) -> i64) -> Self {
        let (mut combined, other) = (<[i64; 8]>::from(self), <[i64; 8]>::from(other));
        combined.iter_mut().zip(other).for_each(|(figure, by)| *figure = with(*figure, by));
        Self::from(combined)
    }
}

impl std::ops::AddAssign for Scores {
    fn add_assign(&mut self, other: Self) {
        *self = self.combine(other, |figure, by| figure + by);
    }
}

impl std::ops::Mul<i64> for Scores {
    type Output = Self;

    fn mul(self, factor: i64) -> Self {
        Self::from(<[i64; 8]>::from(self).map(|figure| figure * factor))
    }
}

impl std::ops::Sub for Scores {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.combine(other, |figure, by| figure - by)
    }
}

/// Level and experience, from one published formula.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, ToSchema)]
pub struct Progress {
    pub level: i64,
    /// Points gained since this level began.
    #[serde(rename = "currentXP")]
    pub current_xp: i64,
    /// Points from the beginning of this level to the next.
    #[serde(rename = "nextLevelXP")]
    pub next_level_xp: i64,
    /// How far through this level, 0 to 100 with one decimal.
    pub percent: f64,
}

/// Computes the level: level n begins at `10 * n * (n - 1)` points of `overall` (level 1 at 0, 2 at 20, 3 at 60, 10 at 900, 100
/// at 99,000).
pub fn progress(overall: i64) -> Progress {
    let begins = |level: i64| 10 * level * (level - 1);
    let overall = overall.max(0);
    let mut level = (1.0 + (1.0 + 0.4 * overall as f64).sqrt()) as i64 / 2;
    level = level.max(1);
    while begins(level + 1) <= overall {
        level += 1;
    }
    while begins(level) > overall {
        level -= 1;
    }
    let (current_xp, next_level_xp) = (overall - begins(level), begins(level + 1) - begins(level));
    let percent = (current_xp as f64 * 1000.0 / next_level_xp as f64).round() / 10.0;
    Progress { level, current_xp, next_level_xp, percent: percent.clamp(0.0, 100.0) }
}

/// Kills per death with two decimals; 0 deaths count as 1.
pub fn ratio(kills: i64, deaths: i64) -> f64 {
    (kills as f64 * 100.0 / deaths.max(1) as f64).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_metrics_are_read_back() {
        for metric in Metric::ALL {
            assert_eq!(Metric::parse(metric.as_str()), Some(metric));
        }
        assert_eq!(Metric::parse("Overall"), None);
    }

    #[test]
    fn levels_begin_where_the_formula_says() {
        for (overall, level, current) in
            [(0, 1, 0), (19, 1, 19), (20, 2, 0), (59, 2, 39), (60, 3, 0), (900, 10, 0), (99_000, 100, 0)]
        {
            let found = progress(overall);
            assert_eq!((found.level, found.current_xp), (level, current), "{overall}");
            assert!(found.percent < 100.0);
        }
    }

    #[test]
    fn contracts_count_for_at_most_ten_times_the_time() {
        for (secs, contracts, career) in
            [(0, 0, 0), (0, 9, 0), (359, 1, 0), (360, 1, 6), (360, 3, 11), (3_600, 20, 110), (3_600, 99, 110)]
        {
            assert_eq!(career_of_day(secs, contracts), career, "{secs} s, {contracts} contracts");
        }
    }

    #[test]
    fn ratio_survives_no_deaths() {
        assert_eq!(ratio(7, 0), 7.0);
        assert_eq!(ratio(1, 3), 0.33);
    }
}

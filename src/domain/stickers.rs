//! Stickers: the catalogue, and what unlocks each of them.

use super::times::Day;

/// At most this many are worn.
pub const SLOTS: usize = 4;

/// What unlocks a sticker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// So many kills of players in the Persistent Universe.
    PlayerKills(i64),
    /// So many vehicles put into soft death, or so many destroyed.
    SoftDeaths(i64),
    Views(i64),
    /// Played on one of these days, both included (UTC).
    PlayedBetween(Day, Day),
    /// Claimed on one of these days, both included (UTC); judged at the moment of the claim and granted then.
    ClaimedBetween(Day, Day),
    /// Entered a vehicle whose name begins with one of these words (compared in lower case).
    Entered(&'static [&'static str]),
    /// Given by hand.
    Granted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sticker {
    /// Six digits; also the name of its picture.
    pub id: &'static str,
    pub name: &'static str,
    pub description: &'static str,
    pub rarity: &'static str,
    pub requirement: &'static str,
    pub category: &'static str,
    pub rule: Rule,
}

/// What is known of a player.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    pub player_kills: i64,
    pub soft_deaths: i64,
    pub vehicle_destructions: i64,
    pub views: i64,
    /// Days with anything played.
    pub days: Vec<Day>,
    /// In lower case.
    pub vehicles: Vec<String>,
    /// Ids of stickers that were given.
    pub grants: Vec<String>,
}

// Days since 1970-01-01: 2025-06-01 and 2025-08-31; 2025-10-11 and 2025-10-12.
const SUMMER_2025: (Day, Day) = (Day(20_240), Day(20_331));
const CITIZENCON_2025: (Day, Day) = (Day(20_372), Day(20_373));

/// Every sticker, in the order to show them.
pub const CATALOGUE: [Sticker; 9] = [
    Sticker {
        id: "412907",
        name: "Pioneer",
        description: "Here before the crowd",
        rarity: "epic",
        requirement: "Claim your profile during summer 2025",
        category: "social",
        rule: Rule::ClaimedBetween(SUMMER_2025.0, SUMMER_2025.1),
    },
    Sticker {
        id: "196404",
        name: "Sputnik",
        description: "The first signal from outside",
        rarity: "epic",
        requirement: "Submit valuable feedback",
        category: "social",
        rule: Rule::Granted,
    },
    Sticker {
        id: "775678",
        name: "Monkey business",
        description: "A hundred pilots left drifting",
        rarity: "rare",
        requirement: "Put 100 vehicles in soft death state",
        category: "gameplay",
        rule: Rule::SoftDeaths(100),
    },
    Sticker {
        id: "683583",
        name: "Banana for scale",
        description: "Everything is measured against it",
        rarity: "common",
        requirement: "Get your first player kill",
        category: "default",
        rule: Rule::PlayerKills(1),
    },
    Sticker {
        id: "202510",
        name: "CitizenCon 2025",
        description: "In the verse while the lights were on",
        rarity: "common",
        requirement: "Play during the event",
        category: "social",
        rule: Rule::PlayedBetween(CITIZENCON_2025.0, CITIZENCON_2025.1),
    },
    Sticker {
        id: "538261",
        name: "Ship rat",
        description: "Nobody hides in these vents",
        rarity: "rare",
        requirement: "Get rid of an intruder on your ship",
        category: "gameplay",
        rule: Rule::Granted,
    },
    Sticker {
        id: "947135",
        name: "Poster child",
        description: "A face people look up",
        rarity: "epic",
        requirement: "Get 500 profile views",
        category: "social",
        rule: Rule::Views(500),
    },
    Sticker {
        id: "310846",
        name: "Anvil Aerospace",
        description: "Flown by those who fly Anvil",
        rarity: "common",
        requirement: "Enter a ship of Anvil Aerospace",
        category: "in-game",
        rule: Rule::Entered(&["anvl", "anvil"]),
    },
    Sticker {
        id: "864219",
        name: "Aegis Dynamics",
        description: "Flown by those who fly Aegis",
        rarity: "common",
        requirement: "Enter a ship of Aegis Dynamics",
        category: "in-game",
        rule: Rule::Entered(&["aegs", "aegis"]),
    },
];

pub fn find(id: &str) -> Option<&'static Sticker> {
    CATALOGUE.iter().find(|sticker| sticker.id == id)
}

impl Sticker {
    /// A grant unlocks whatever the rule says.
    pub fn is_unlocked(&self, facts: &Facts) -> bool {
        let by_rule = match self.rule {
            Rule::PlayerKills(least) => facts.player_kills >= least,
            Rule::SoftDeaths(least) => facts.soft_deaths >= least || facts.vehicle_destructions >= least,
            Rule::Views(least) => facts.views >= least,
            Rule::PlayedBetween(from, until) => facts.days.iter().any(|day| (from..=until).contains(day)),
            Rule::Entered(words) => facts.vehicles.iter().any(|name| words.iter().any(|word| name.starts_with(word))),
            Rule::ClaimedBetween(..) | Rule::Granted => false,
        };
        by_rule || facts.grants.iter().any(|id| id == self.id)
    }
}

/// The stickers that a claim made today earns for good.
pub fn earned_by_claim(today: Day) -> impl Iterator<Item = &'static str> {
    CATALOGUE
        .iter()
        .filter(move |s| matches!(s.rule, Rule::ClaimedBetween(from, until) if (from..=until).contains(&today)))
        .map(|s| s.id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_days_of_the_rules_are_the_days_meant() {
        assert_eq!(SUMMER_2025.0.iso(), "2025-06-01");
        assert_eq!(SUMMER_2025.1.iso(), "2025-08-31");
        assert_eq!(CITIZENCON_2025.0.iso(), "2025-10-11");
        assert_eq!(CITIZENCON_2025.1.iso(), "2025-10-12");
    }

    #[test]
    fn each_rule_unlocks_at_its_figure_and_not_before() {
        let unlocked =
            |facts: &Facts| -> Vec<&str> { CATALOGUE.iter().filter(|s| s.is_unlocked(facts)).map(|s| s.id).collect() };
        let none = Facts::default;
        assert!(unlocked(&none()).is_empty());
        assert_eq!(unlocked(&Facts { player_kills: 1, ..none() }), ["683583"]);
        assert!(unlocked(&Facts { soft_deaths: 99, vehicle_destructions: 99, ..none() }).is_empty());
        assert_eq!(unlocked(&Facts { soft_deaths: 100, ..none() }), ["775678"]);
        assert_eq!(unlocked(&Facts { vehicle_destructions: 100, ..none() }), ["775678"]);
        assert!(unlocked(&Facts { views: 499, ..none() }).is_empty());
        assert_eq!(unlocked(&Facts { views: 500, ..none() }), ["947135"]);
        assert_eq!(unlocked(&Facts { days: vec![CITIZENCON_2025.1], ..none() }), ["202510"]);
        assert!(unlocked(&Facts { days: vec![Day(CITIZENCON_2025.1.0 + 1)], ..none() }).is_empty());
        assert_eq!(unlocked(&Facts { vehicles: vec!["anvl_arrow".into()], ..none() }), ["310846"]);
        assert_eq!(unlocked(&Facts { grants: vec!["538261".into()], ..none() }), ["538261"]);
    }

    #[test]
    fn a_claim_earns_what_its_day_gives() {
        assert_eq!(earned_by_claim(SUMMER_2025.0).collect::<Vec<_>>(), ["412907"]);
        assert_eq!(earned_by_claim(Day(SUMMER_2025.1.0 + 1)).count(), 0);
    }
}

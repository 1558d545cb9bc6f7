//! Stickers: the catalogue, and the rules that unlock them.

use std::cmp::Reverse;

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::career::{Feats, life_reached};
use super::times::{Day, HOUR_SECS};

/// The number of stickers that a profile can show.
pub const MAX_WORN: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rarity {
    Common,
    Rare,
    Epic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    Social,
    Gameplay,
    Default,
    InGame,
}

/// A rule that unlocks a sticker.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// At least this many kills of players in the Persistent Universe.
    PlayerKills(i64),
    /// At least this many vehicles put into soft death, or this many destroyed.
    SoftDeaths(i64),
    Views(i64),
    /// Played on any of these days, both included (UTC).
    PlayedBetween(#[serde(deserialize_with = "day")] Day, #[serde(deserialize_with = "day")] Day),
    /// Claimed on any of these days, both included (UTC). Evaluated at the time of the claim, which grants the sticker.
    ClaimedBetween(#[serde(deserialize_with = "day")] Day, #[serde(deserialize_with = "day")] Day),
    /// Entered a vehicle whose class begins with one of these lower-case words.
    Entered(Vec<String>),
    /// At least this many completed contracts, or givers of them, ships, distinct blueprints, or crashes of ships and of the game.
    Contracts(i64),
    Givers(i64),
    Ships(i64),
    Blueprints(i64),
    Crashes(i64),
    /// A life of at least this many hours in the Persistent Universe.
    LifeHours(i64),
    /// Granted by an admin.
    Granted,
}

impl Rule {
    /// A sentence that states the rule with its exact numbers.
    pub fn sentence(&self) -> String {
        match self {
            Self::PlayerKills(1) => "Kill a player in the Persistent Universe.".into(),
            Self::PlayerKills(least) => format!("Kill {least} players in the Persistent Universe."),
            Self::SoftDeaths(least) => {
                format!("Put {least} vehicles in soft death state, or destroy {least} vehicles.")
            }
            Self::Views(least) => format!("Get {least} profile views."),
            Self::PlayedBetween(from, until) => {
                format!("Play on any day from {} to {} (UTC).", from.iso(), until.iso())
            }
            Self::ClaimedBetween(from, until) => {
                format!("Claim your profile on any day from {} to {} (UTC).", from.iso(), until.iso())
            }
            Self::Entered(words) => format!("Enter a vehicle whose class begins with {}.", words.join(" or ")),
            Self::Contracts(1) => "Complete a contract.".into(),
            Self::Contracts(least) => format!("Complete {least} contracts."),
            Self::Givers(least) => format!("Complete contracts for {least} different givers."),
            Self::Ships(least) => format!("Fly {least} different ships."),
            Self::Blueprints(least) => format!("Receive {least} different blueprints."),
            Self::Crashes(least) => format!("Crash {least} times: your ship, or the game."),
            Self::LifeHours(least) => format!("Spend {least} hours in the Persistent Universe without dying."),
            Self::Granted => "An admin of this site grants it.".into(),
        }
    }

    /// When a player earned the sticker by a career; `None` if not yet, or if another kind of rule unlocks it.
    fn earned_at(&self, feats: &Feats) -> Option<i64> {
        let (times, least) = match self {
            Self::Contracts(least) => (&feats.contracts, least),
            Self::Givers(least) => (&feats.givers, least),
            Self::Ships(least) => (&feats.ships, least),
            Self::Blueprints(least) => (&feats.blueprints, least),
            Self::Crashes(least) => (&feats.crashes, least),
            Self::LifeHours(hours) => {
                return life_reached(&feats.stays, &feats.deaths, hours.saturating_mul(HOUR_SECS));
            }
            _ => return None,
        };
        times.get(usize::try_from(least.saturating_sub(1)).ok()?).copied()
    }
}

fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Day, D::Error> {
    let text = String::deserialize(deserializer)?;
    Day::parse_iso(&text).ok_or_else(|| serde::de::Error::custom(format!("invalid day '{text}': expected YYYY-MM-DD")))
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Sticker {
    /// Six digits, also the file name of the picture.
    pub id: String,
    pub name: String,
    pub description: String,
    pub rarity: Rarity,
    /// The requirement in words.
    pub requirement: String,
    pub category: Category,
    pub rule: Rule,
}

/// The facts about a player that rules depend on.
#[derive(Debug, Clone, Default)]
pub struct PlayerFacts {
    pub player_kills: i64,
    pub soft_deaths: i64,
    pub vehicle_destructions: i64,
    pub views: i64,
    /// Days on which the player has any score.
    pub days: Vec<Day>,
    /// Classes of entered vehicles, in lower case.
    pub vehicles: Vec<String>,
    pub feats: Feats,
    /// Ids of granted stickers.
    pub grants: Vec<String>,
}

/// The stickers of a site whose settings define none, in display order.
pub fn default_catalogue() -> Vec<Sticker> {
    #[derive(Deserialize)]
    struct Catalogue {
        stickers: Vec<Sticker>,
    }
    let read: Catalogue = toml::from_str(include_str!("../../assets/stickers.toml")).expect("a part of this binary");
    read.stickers
}

/// Finds an error in a catalogue: ids must be six digits, since they name picture files, and unique.
pub fn find_problem(stickers: &[Sticker]) -> Option<String> {
    for (index, sticker) in stickers.iter().enumerate() {
        if sticker.id.len() != 6 || !sticker.id.bytes().all(|b| b.is_ascii_digit()) {
            return Some(format!("the id '{}' is not six digits", sticker.id));
        }
        if stickers.iter().take(index).any(|earlier| earlier.id == sticker.id) {
            return Some(format!("the id '{}' is used twice", sticker.id));
        }
    }
    None
}

impl Sticker {
    /// Whether the rule or a grant unlocks the sticker.
    pub fn is_unlocked(&self, facts: &PlayerFacts) -> bool {
        let by_rule = match &self.rule {
            Rule::PlayerKills(least) => facts.player_kills >= *least,
            Rule::SoftDeaths(least) => facts.soft_deaths >= *least || facts.vehicle_destructions >= *least,
            Rule::Views(least) => facts.views >= *least,
            Rule::PlayedBetween(from, until) => facts.days.iter().any(|day| (from..=until).contains(&day)),
            Rule::Entered(words) => facts.vehicles.iter().any(|name| words.iter().any(|word| name.starts_with(word))),
            Rule::ClaimedBetween(..) | Rule::Granted => false,
            career => career.earned_at(&facts.feats).is_some(),
        };
        by_rule || facts.grants.contains(&self.id)
    }
}

/// The stickers that a career has earned, and when, newest first.
pub fn earned_by_career<'a>(stickers: &'a [Sticker], feats: &Feats) -> Vec<(&'a str, i64)> {
    let earned = |sticker: &'a Sticker| Some((sticker.id.as_str(), sticker.rule.earned_at(feats)?));
    let mut earned: Vec<(&str, i64)> = stickers.iter().filter_map(earned).collect();
    earned.sort_by_key(|(_, at)| Reverse(*at));
    earned
}

/// Finds a sticker by its id, or by its name ignoring case.
pub fn find<'a>(stickers: &'a [Sticker], text: &str) -> Option<&'a Sticker> {
    let by_id = stickers.iter().find(|sticker| sticker.id == text);
    by_id.or_else(|| stickers.iter().find(|sticker| sticker.name.to_lowercase() == text.to_lowercase()))
}

/// The first day that any rule depends on; `None` if no rule depends on days.
pub fn first_day(stickers: &[Sticker]) -> Option<Day> {
    let first = |sticker: &Sticker| match sticker.rule {
        Rule::PlayedBetween(from, _) => Some(from),
        _ => None,
    };
    stickers.iter().filter_map(first).min()
}

/// The ids of the stickers that a claim on this day grants permanently.
pub fn earned_by_claim(stickers: &[Sticker], today: Day) -> Vec<String> {
    let earned = |s: &&Sticker| matches!(s.rule, Rule::ClaimedBetween(from, until) if (from..=until).contains(&today));
    stickers.iter().filter(earned).map(|s| s.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMER: (Day, Day) = (Day(20_240), Day(20_331));
    const EVENT: (Day, Day) = (Day(20_372), Day(20_373));

    #[test]
    fn days_of_the_default_rules_are_correct() {
        let days = [SUMMER.0, SUMMER.1, EVENT.0, EVENT.1].map(Day::iso);
        assert_eq!(days, ["2025-06-01", "2025-08-31", "2025-10-11", "2025-10-12"]);
        assert_eq!(first_day(&default_catalogue()), Some(EVENT.0));
        assert_eq!(find_problem(&default_catalogue()), None);
    }

    #[test]
    fn each_rule_unlocks_at_its_threshold() {
        let unlocked = |facts: &PlayerFacts| -> Vec<String> {
            default_catalogue().into_iter().filter(|s| s.is_unlocked(facts)).map(|s| s.id).collect()
        };
        let none = PlayerFacts::default;
        assert!(unlocked(&none()).is_empty());
        assert_eq!(unlocked(&PlayerFacts { player_kills: 1, ..none() }), ["683583"]);
        assert!(unlocked(&PlayerFacts { soft_deaths: 99, vehicle_destructions: 99, ..none() }).is_empty());
        assert_eq!(unlocked(&PlayerFacts { soft_deaths: 100, ..none() }), ["775678"]);
        assert_eq!(unlocked(&PlayerFacts { vehicle_destructions: 100, ..none() }), ["775678"]);
        assert!(unlocked(&PlayerFacts { views: 499, ..none() }).is_empty());
        assert_eq!(unlocked(&PlayerFacts { views: 500, ..none() }), ["947135"]);
        assert_eq!(unlocked(&PlayerFacts { days: vec![EVENT.1], ..none() }), ["202510"]);
        assert!(unlocked(&PlayerFacts { days: vec![Day(EVENT.1.0 + 1)], ..none() }).is_empty());
        assert_eq!(unlocked(&PlayerFacts { vehicles: vec!["anvl_arrow".into()], ..none() }), ["310846"]);
        assert_eq!(unlocked(&PlayerFacts { grants: vec!["538261".into()], ..none() }), ["538261"]);
    }

    #[test]
    fn stickers_of_careers_are_earned_when_their_threshold_is_reached() {
        let times = |count: i64| (1..=count).collect::<Vec<i64>>();
        let just_below = Feats {
            contracts: times(99),
            givers: times(4),
            ships: times(24),
            blueprints: times(24),
            crashes: times(9),
            stays: vec![(0, 35_999_999)],
            deaths: Vec::new(),
        };
        assert_eq!(earned_by_career(&default_catalogue(), &just_below), [("340671", 1)]);
        let reached = Feats {
            contracts: times(101),
            givers: times(5),
            ships: times(25),
            blueprints: times(26),
            crashes: times(10),
            stays: vec![(0, 36_000_000)],
            deaths: vec![36_000_000],
        };
        let expected = [
            ("289056", 36_000_000),
            ("518204", 100),
            ("450918", 25),
            ("736412", 25),
            ("901537", 10),
            ("627350", 5),
            ("340671", 1),
        ];
        assert_eq!(earned_by_career(&default_catalogue(), &reached), expected);
        let facts = PlayerFacts { feats: reached, ..PlayerFacts::default() };
        assert_eq!(default_catalogue().iter().filter(|sticker| sticker.is_unlocked(&facts)).count(), expected.len());
    }

    #[test]
    fn each_rule_has_a_sentence() {
        let sentence = |id: &str| find(&default_catalogue(), id).unwrap().rule.sentence();
        assert_eq!(sentence("683583"), "Kill a player in the Persistent Universe.");
        assert_eq!(sentence("775678"), "Put 100 vehicles in soft death state, or destroy 100 vehicles.");
        assert_eq!(sentence("947135"), "Get 500 profile views.");
        assert_eq!(sentence("CITIZENCON 2025"), "Play on any day from 2025-10-11 to 2025-10-12 (UTC).");
        assert_eq!(sentence("pioneer"), "Claim your profile on any day from 2025-06-01 to 2025-08-31 (UTC).");
        assert_eq!(sentence("310846"), "Enter a vehicle whose class begins with anvl or anvil.");
        assert_eq!(sentence("340671"), "Complete a contract.");
        assert_eq!(sentence("289056"), "Spend 10 hours in the Persistent Universe without dying.");
        assert_eq!((sentence("Sputnik"), sentence("ship rat")), (Rule::Granted.sentence(), Rule::Granted.sentence()));
        assert!(find(&default_catalogue(), "19640").is_none());
    }

    #[test]
    fn a_claim_grants_the_stickers_of_its_day() {
        assert_eq!(earned_by_claim(&default_catalogue(), SUMMER.0), ["412907"]);
        assert!(earned_by_claim(&default_catalogue(), Day(SUMMER.1.0 + 1)).is_empty());
    }

    #[test]
    fn ids_that_could_name_another_file_are_rejected() {
        let mut list = default_catalogue();
        list[0].id = "../abc".into();
        assert!(find_problem(&list).is_some_and(|why| why.contains("../abc")));
        list[0].id = list[1].id.clone();
        assert!(find_problem(&list).is_some_and(|why| why.contains("twice")));
    }
}

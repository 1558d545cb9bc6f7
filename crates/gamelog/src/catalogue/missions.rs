//! Titles and types of missions, from contract classes, localization keys and titles.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use super::lists::List;
use super::spelling::{join, or_default, spell_camel_case, without_numbers};
use crate::npcs::without_entity_id;

static CONTRACTS: LazyLock<List<String>> =
    LazyLock::new(|| List::embedded(include_str!("../../../../assets/names/contracts.json")));
static TITLES: LazyLock<List<String>> =
    LazyLock::new(|| List::embedded(include_str!("../../../../assets/names/mission-titles.json")));

/// The titles of the list, without their keys.
static LISTED: LazyLock<HashSet<&str>> =
    LazyLock::new(|| CONTRACTS.iter().chain(TITLES.iter()).map(|(_, title)| title.as_str()).collect());

/// The title of a mission that nothing names.
pub const UNKNOWN: &str = "Unknown Mission";
/// Type of a mission without a known word.
const DEFAULT_TYPE: &str = "Contract";

/// Type of the missions of an event in the universe, and the beginnings of their classes.
const EVENT_TYPE: &str = "Event";
const EVENT_PREFIXES: [&str; 4] = ["ORS_", "Iasi_", "CleanAir_", "RoX_"];

/// Words of [`TYPES`] that must match whole words, since they occur inside others.
const WHOLE_WORDS: [&str; 2] = ["hh", "race"];

/// Words in generators, contract classes and titles, with the mission type. The first match decides.
const TYPES: &[(&str, &str)] = &[
    ("recovercargo", "Recovery"),
    ("recoveritem", "Recovery"),
    ("recover", "Recovery"),
    ("retriev", "Recovery"),
    ("haul", "Hauling"),
    ("redwind", "Hauling"),
    ("bounty", "Bounty Hunting"),
    ("killship", "Bounty Hunting"),
    ("mining", "Mining"),
    ("resourcegathering", "Mining"),
    ("salvage", "Salvage"),
    ("patrol", "Patrol"),
    ("escort", "Escort"),
    ("sabotage", "Sabotage"),
    ("bombingrun", "Sabotage"),
    ("datadownload", "Investigation"),
    ("dataretrieval", "Investigation"),
    ("facilitydelve", "Investigation"),
    ("investigat", "Investigation"),
    ("search", "Investigation"),
    ("deliver", "Delivery"),
    ("courier", "Delivery"),
    ("shipment", "Delivery"),
    ("rescue", "Rescue"),
    ("underattack", "Rescue"),
    ("race", "Racing"),
    ("racing", "Racing"),
    ("mercenary", "Mercenary"),
    ("eliminate", "Mercenary"),
    ("assassin", "Mercenary"),
    ("defend", "Mercenary"),
    ("ambush", "Mercenary"),
    ("gauntlet", "Mercenary"),
    ("headhunters", "Mercenary"),
    ("hh", "Mercenary"),
];

/// The title of an event's contract.
///
/// A text with spaces is a title already. A GUID is an unknown mission, and an unlisted class is spelled out. `@key` is a text
/// without a translation in the game.
pub fn mission_title(class: &str) -> Cow<'static, str> {
    let class = class.trim();
    if class.contains(char::is_whitespace) {
        return Cow::Owned(or_default(join(class.split_whitespace()), UNKNOWN));
    }
    let plain = without_entity_id(class.strip_prefix('@').unwrap_or(class));
    let shorter = without_numbers(plain);
    let listed = [plain, shorter].into_iter().find_map(|c| CONTRACTS.get(c).or_else(|| TITLES.get(c)));
    if let Some((_, title)) = listed {
        return Cow::Borrowed(title);
    }
    if is_guid(plain) { Cow::Borrowed(UNKNOWN) } else { Cow::Owned(or_default(spell_camel_case(shorter), UNKNOWN)) }
}

/// Whether the name of a contract is a class, a key, or a title of the list. Other titles are texts that nobody has checked.
pub fn is_listed_mission(name: &str) -> bool {
    !name.contains(char::is_whitespace) || name == UNKNOWN || LISTED.contains(name)
}

/// The name of who gives a contract, from the contract's generator.
pub fn giver_name(generator: &str) -> String {
    let plain = without_entity_id(generator);
    or_default(spell_camel_case(plain.strip_suffix("_Generator").unwrap_or(plain)), "Unknown giver")
}

/// The type of a mission, from its contract class or generator, else from its title.
pub fn mission_type(class: &str, title: &str) -> &'static str {
    type_of(class).or_else(|| type_of(title)).unwrap_or(DEFAULT_TYPE)
}

/// The kind of a contract, from its class, its generator and its title; `None` if none of them is known.
pub fn contract_kind(class: Option<&str>, generator: Option<&str>, title: Option<&str>) -> Option<&'static str> {
    let mut names = [class, generator, title].into_iter().flatten().peekable();
    names.peek()?;
    if class.is_some_and(|class| EVENT_PREFIXES.iter().any(|prefix| class.starts_with(prefix))) {
        return Some(EVENT_TYPE);
    }
    Some(names.find_map(type_of).unwrap_or(DEFAULT_TYPE))
}

fn type_of(text: &str) -> Option<&'static str> {
    let joined: String = text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let is_word =
        |wanted: &str| text.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(wanted));
    let occurs = |wanted: &str| if WHOLE_WORDS.contains(&wanted) { is_word(wanted) } else { joined.contains(wanted) };
    TYPES.iter().find(|(wanted, _)| occurs(wanted)).map(|(_, kind)| *kind)
}

fn is_guid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_follow_the_rules() {
        for (class, title) in [
            ("HH_Pyro_RegionC_DerelictOutpost_EliminateAll", "Reputation Management"),
            ("hh_pyro_regionc_derelictoutpost_eliminateall", "Reputation Management"),
            ("BountyHuntersGuild_Bounty_Pyro_VeryEasy_2", "Verified Bounty: Very Low-Risk Target"),
            ("BountyHuntersGuild_Bounty_Stanton_Easy_0", "Bounty Hunters Guild Bounty Stanton Easy"),
            ("@Headhunters_bounty_title_003", "Collection Notice"),
            ("  Senior Rank -  Medium Cargo Haul ", "Senior Rank - Medium Cargo Haul"),
            ("f3fd326d-1ac1-4cda-837c-a7c1541b0aba", "Unknown Mission"),
            ("", "Unknown Mission"),
            ("_@_", "@"),
        ] {
            assert_eq!(mission_title(class), title, "{class}");
        }
    }

    #[test]
    fn givers_are_spelled_out() {
        let shown = ["Covalex_Hauling", "CitizensForProsperity_Generator", "RedWindLinehaul", "_"].map(giver_name);
        assert_eq!(shown, ["Covalex Hauling", "Citizens For Prosperity", "Red Wind Linehaul", "Unknown giver"]);
    }

    #[test]
    fn the_type_comes_from_the_class_or_generator_before_the_title() {
        for (class, title, expected) in [
            ("HaulCargo_AToB_Waste_Waste_Stanton1_SupplyGrade", "Something else", "Hauling"),
            ("Covalex_Hauling", "", "Hauling"),
            ("Covalex_Stanton_VeryHard_RecoverCargo", "Bulk Covalex Shipment Needs Recovering", "Recovery"),
            ("BountyHuntersGuild_Bounty_Stanton_Easy_0", "", "Bounty Hunting"),
            ("BountyHuntersGuild_KIllShip", "", "Bounty Hunting"),
            ("HH_Pyro_RegionC_DerelictOutpost_EliminateAll", "Reputation Management", "Mercenary"),
            ("HeadHunters_Mercenary_FPS", "", "Mercenary"),
            ("Battaglia_DataDownload", "Moraine Data Retrieval", "Investigation"),
            ("HockrowAgency_FacilityDelve", "", "Investigation"),
            ("Shubin_ResourceGathering_ShipMining", "", "Mining"),
            ("FoxwellEnforcement_Patrol", "", "Patrol"),
            ("", "Senior Rank - Medium Cargo Haul", "Hauling"),
            ("", "Verified Bounty: Very Low-Risk Target", "Bounty Hunting"),
            ("", "Mittlerer Frachttransport", "Contract"),
            ("HaulCargo_AToB_Stims", "Mittlerer Frachttransport", "Hauling"),
            ("02674975-c818-4535-bffb-e0240be87b26", "zzhh", "Contract"),
            ("", "", "Contract"),
        ] {
            assert_eq!(mission_type(class, title), expected, "{class:?} {title:?}");
        }
    }

    #[test]
    fn the_kind_of_a_contract_comes_from_its_class_generator_or_title() {
        let hauling = "CFP_Pyro_RegionA_Stage1_RegionLink_ToRegionD_Hauling";
        for (class, generator, title, kind) in [
            (Some(hauling), Some("CitizensForProsperity_Generator"), None, Some("Hauling")),
            (Some("ORS_CA_Medium"), Some("TheBackpocket"), Some("Hauling"), Some("Event")),
            (Some("Stage_1"), Some("Covalex_Hauling"), None, Some("Hauling")),
            (None, None, Some("Senior Rank - Medium Cargo Haul"), Some("Hauling")),
            (None, None, Some("Jorrit Dossier"), Some("Contract")),
            (None, None, None, None),
        ] {
            assert_eq!(contract_kind(class, generator, title), kind, "{class:?} {title:?}");
        }
    }

    #[test]
    fn listed_titles_have_no_placeholders() {
        for (key, title) in CONTRACTS.iter().chain(TITLES.iter()) {
            assert!(!title.contains("~mission") && !title.trim().is_empty(), "{key}");
        }
    }
}

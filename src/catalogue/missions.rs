//! Contracts: the title of a class, of a localisation key, or of a text that is a title already.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::lists::List;
use super::words::{join, or, spelled_apart, without_numbers};
use crate::domain::npcs::without_entity_id;

static CONTRACTS: LazyLock<List<String>> =
    LazyLock::new(|| List::embedded(include_str!("../../assets/names/contracts.json")));
static TITLES: LazyLock<List<String>> =
    LazyLock::new(|| List::embedded(include_str!("../../assets/names/mission-titles.json")));

const UNKNOWN: &str = "Unknown contract";

/// The title to show for what an event calls the contract.
///
/// A text with blanks is a title and stays, an id that nobody can read is an unknown contract,
/// and an unlisted class is spelled out. `@key` is a text that the game had no translation for.
pub fn mission_title(class: &str) -> Cow<'static, str> {
    let class = class.trim();
    if class.contains(char::is_whitespace) {
        return Cow::Owned(or(join(class.split_whitespace()), UNKNOWN));
    }
    let plain = without_entity_id(class.strip_prefix('@').unwrap_or(class));
    let shorter = without_numbers(plain);
    let listed = [plain, shorter].into_iter().find_map(|c| CONTRACTS.get(c).or_else(|| TITLES.get(c)));
    if let Some((_, title)) = listed {
        return Cow::Borrowed(title);
    }
    if is_guid(plain) { Cow::Borrowed(UNKNOWN) } else { Cow::Owned(or(spelled_apart(shorter), UNKNOWN)) }
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
    fn contracts_are_titled_rule_by_rule() {
        for (class, title) in [
            ("HH_Pyro_RegionC_DerelictOutpost_EliminateAll", "Reputation Management"),
            ("hh_pyro_regionc_derelictoutpost_eliminateall", "Reputation Management"),
            ("BountyHuntersGuild_Bounty_Pyro_VeryEasy_2", "Verified Bounty: Very Low-Risk Target"),
            ("BountyHuntersGuild_Bounty_Stanton_Easy_0", "Bounty Hunters Guild Bounty Stanton Easy"),
            ("@Headhunters_bounty_title_003", "Collection Notice"),
            ("  Senior Rank -  Medium Cargo Haul ", "Senior Rank - Medium Cargo Haul"),
            ("f3fd326d-1ac1-4cda-837c-a7c1541b0aba", "Unknown contract"),
            ("", "Unknown contract"),
            ("_@_", "@"),
        ] {
            assert_eq!(mission_title(class), title, "{class}");
        }
    }

    #[test]
    fn no_listed_title_has_a_gap_for_the_game_to_fill() {
        for (key, title) in CONTRACTS.iter().chain(TITLES.iter()) {
            assert!(!title.contains("~mission") && !title.trim().is_empty(), "{key}");
        }
    }
}

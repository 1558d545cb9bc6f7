//! Generates plausible, unique handles with random access.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;

use rustc_hash::FxBuildHasher;

use super::name_parts::*;
use super::random::{Choices, mix};

const MAX_HANDLE_BYTES: usize = 30;
/// Of a hundred handles, those of several parts, most of which have no number.
const COMPOUNDS: usize = 78;

/// The handles of a universe.
#[derive(Debug)]
pub(super) struct Handles {
    seed: u64,
    /// Players whose handle repeats an earlier one, with the number that makes it unique.
    repeated: HashMap<u32, u32>,
}

impl Handles {
    /// Finds repeated handles. Temporarily needs about 20 bytes per player.
    pub(super) fn new(seed: u64, players: u32) -> Self {
        let mut handles = Self { seed: mix(seed, 0x4841_4E44), repeated: HashMap::new() };
        let mut taken = HashSet::with_capacity(players as usize);
        for player in 0..players {
            let composed = handles.composed(player);
            let hash = |number: u32| FxBuildHasher.hash_one(numbered(&composed, number).to_ascii_lowercase());
            let number = (1..).find(|number| taken.insert(hash(*number)));
            handles.repeated.extend(number.filter(|number| *number > 1).map(|number| (player, number)));
        }
        handles
    }

    /// The handle of a player.
    pub(super) fn handle(&self, player: u32) -> String {
        numbered(&self.composed(player), self.repeated.get(&player).copied().unwrap_or(1))
    }

    fn composed(&self, player: u32) -> String {
        let seed = mix(self.seed, u64::from(player));
        let is_wanted = |handle: &String| {
            let folded = handle.to_ascii_lowercase();
            !OFFENSIVE.iter().any(|part| folded.contains(part))
        };
        (0..).map(|attempt| compose(mix(seed, attempt))).find(is_wanted).unwrap_or_default()
    }
}

/// The handle for the first player who has it, or with a number for each later one.
fn numbered(handle: &str, number: u32) -> String {
    if number == 1 {
        return handle.to_owned();
    }
    let joint = if handle.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    let ending = format!("{joint}{number}");
    format!("{}{ending}", &handle[..handle.len().min(MAX_HANDLE_BYTES - ending.len())])
}

fn compose(seed: u64) -> String {
    let mut choices = Choices::new(seed);
    let joint = choices.pick(&["", "", "", "_", "-"]);
    let style = choices.below(100);
    let mut pick = |list: &[&'static str]| choices.pick(list);
    let plain = match style {
        0..20 => format!("{}{joint}{}", pick(TRAITS), pick(THINGS)),
        20..30 => format!("{}{joint}{}", pick(FIRST_NAMES), pick(SURNAMES)),
        30..33 => format!("{}{joint}{}", pick(TITLES), pick(SURNAMES)),
        33..50 => [ONSETS, VOWELS, MIDDLES, VOWELS, ENDS].map(pick).concat(),
        50..56 => format!("{}{}{}{joint}{}", pick(ONSETS), pick(VOWELS), pick(ENDS), pick(SURNAMES)),
        56..62 => format!("{}{joint}{}", pick(THINGS), pick(THINGS)),
        62..66 => format!("{}{}", pick(OPENERS), pick(THINGS)),
        66..70 => format!("{}{joint}{}", pick(FIRST_NAMES), pick(THINGS)),
        70..74 => format!("{}{joint}{}", pick(TRAITS), pick(FIRST_NAMES)),
        74..77 => format!("{}{joint}{}", pick(THINGS), pick(CLOSERS)),
        77..COMPOUNDS => format!("xX_{}_Xx", pick(THINGS)),
        COMPOUNDS..82 => pick(THINGS).replace('a', "4").replace('e', "3").replace('o', "0").replace('i', "1"),
        82..88 => pick(FIRST_NAMES).to_owned(),
        _ => pick(THINGS).to_owned(),
    };
    let cased = match choices.below(100) {
        0..22 => plain.to_lowercase(),
        22..25 => plain.to_uppercase(),
        _ => plain,
    };
    if style < COMPOUNDS && choices.below(100) < 80 {
        return cased;
    }
    let joint = choices.pick(&["", "", "", "", "_", "-"]);
    match choices.below(4) {
        0 => format!("{cased}{joint}{:02}", choices.below(100)),
        1 => format!("{cased}{joint}{}", 100 + choices.below(900)),
        2 => format!("{cased}{joint}{}", 1970 + choices.below(40)),
        _ => format!("{cased}{joint}{}", choices.pick(NUMBERS)),
    }
}

//! Generates plausible, unique handles with random access.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::name_parts::*;
use super::random::{Shuffle, below, mix, unit};

/// Structure of a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    TraitThing,
    TraitThingNumber,
    ThingNumber,
    FullName,
    FullNameNumber,
    Titled,
    Invented,
    InventedNumber,
    ThingThing,
    Opened,
    NameNumber,
    Leet,
    InventedSurname,
    Closed,
    Crossed,
    NameThing,
    TraitName,
}

use Style::*;

/// Each style with its share for few players, and its share of the overflow of exhausted styles.
const STYLES: [(Style, f64, f64); 17] = [
    (TraitThing, 0.13, 0.0),
    (ThingNumber, 0.08, 0.0),
    (FullName, 0.08, 0.0),
    (Titled, 0.03, 0.0),
    (ThingThing, 0.06, 0.0),
    (Opened, 0.04, 0.0),
    (NameNumber, 0.05, 0.0),
    (Leet, 0.03, 0.0),
    (Closed, 0.03, 0.0),
    (Crossed, 0.006, 0.0),
    (NameThing, 0.04, 0.0),
    (TraitName, 0.03, 0.0),
    (Invented, 0.17, 0.2),
    (InventedSurname, 0.06, 0.25),
    (InventedNumber, 0.07, 0.15),
    (FullNameNumber, 0.02, 0.15),
    (TraitThingNumber, 0.074, 0.25),
];

/// Limit of the used part of a style's combinations, so that similar handles stay rare.
const MAX_FILL: f64 = 0.6;
const SHORT_NUMBERS: u64 = 100 + NUMBERS.len() as u64 + 40;
const ALL_NUMBERS: u64 = SHORT_NUMBERS + 900;
const MAX_HANDLE_BYTES: usize = 30;

type ByLetter = [Vec<(&'static [u8], bool)>; 26];

/// Unwanted substrings by their first letter, and whether they apply to every style. Indexed, since millions are checked.
static UNWANTED_BY_LETTER: LazyLock<ByLetter> = LazyLock::new(|| {
    let mut letters = ByLetter::default();
    let parts = OFFENSIVE.iter().map(|part| (part, true)).chain(UNWANTED.iter().map(|part| (part, false)));
    for (part, always) in parts {
        let first = part.bytes().next().map_or(0, |byte| usize::from(byte.wrapping_sub(b'a')));
        if let Some(list) = letters.get_mut(first) {
            list.push((part.as_bytes(), always));
        }
    }
    letters
});

impl Style {
    fn pairs(self) -> u64 {
        let [traits, things, firsts, surnames] = [TRAITS, THINGS, FIRST_NAMES, SURNAMES].map(|list| list.len() as u64);
        match self {
            TraitThing | TraitThingNumber => traits * things,
            ThingNumber | Leet | Crossed => things,
            FullName | FullNameNumber => firsts * surnames,
            Titled => TITLES.len() as u64 * surnames,
            Invented | InventedNumber => short_invented() * (MIDDLES.len() * VOWELS.len()) as u64,
            InventedSurname => short_invented() * surnames,
            ThingThing => things * things,
            Opened => OPENERS.len() as u64 * things.min(firsts),
            NameNumber => firsts,
            Closed => things * CLOSERS.len() as u64,
            NameThing => firsts * things,
            TraitName => traits * firsts,
        }
    }

    fn allows_number(self) -> bool {
        matches!(self, TraitThingNumber | ThingNumber | FullNameNumber | InventedNumber | NameNumber | Leet)
    }

    fn capacity(self) -> u64 {
        self.pairs() * if self.allows_number() { ALL_NUMBERS } else { 1 }
    }
}

fn short_invented() -> u64 {
    (ONSETS.len() * VOWELS.len() * ENDS.len()) as u64
}

/// The handles of a universe.
#[derive(Debug)]
pub(super) struct Handles {
    seed: u64,
    order: Shuffle,
    /// Start of each style among the shuffled positions, and the shuffle of its codes.
    parts: Vec<(u64, Style, Shuffle)>,
    /// Players whose handle repeats an earlier one, with the suffix that makes it unique.
    repeated: HashMap<u32, u32>,
}

impl Handles {
    /// Distributes the players over the styles and finds repeated handles. Temporarily needs 8 bytes per player.
    pub(super) fn new(seed: u64, players: u32) -> Self {
        let seed = mix(seed, 0x4841_4E44);
        let players_f = f64::from(players);
        let mut sizes: Vec<(Style, u64)> = STYLES
            .iter()
            .map(|&(style, share, _)| {
                let max = style.capacity() as f64 * MAX_FILL;
                (style, (players_f * share).min(max) as u64)
            })
            .collect();
        let mut missing = u64::from(players).saturating_sub(sizes.iter().map(|&(_, n)| n).sum());
        for (&(_, _, overflow), (style, size)) in STYLES.iter().zip(&mut sizes) {
            let free = ((style.capacity() as f64 * MAX_FILL) as u64).saturating_sub(*size);
            let more = ((players_f * overflow) as u64).min(free).min(missing);
            *size += more;
            missing -= more;
        }
        if let Some((_, size)) = sizes.last_mut() {
            *size += missing;
        }
        let mut begins = 0;
        let mut parts = Vec::with_capacity(sizes.len());
        for (number, (style, size)) in sizes.into_iter().enumerate() {
            let short = style.pairs() * SHORT_NUMBERS;
            let few = style.allows_number() && (size as f64) < short as f64 * MAX_FILL;
            let codes = if few { short } else { style.capacity() };
            parts.push((begins, style, Shuffle::new(mix(seed, number as u64), codes.max(size))));
            begins += size;
        }
        let order = Shuffle::new(seed, u64::from(players));
        let mut handles = Self { seed, order, parts, repeated: HashMap::new() };
        handles.find_repeated(players);
        handles
    }

    fn find_repeated(&mut self, players: u32) {
        let mut hashes: Vec<u64> = (0..players).map(|player| folded_hash(&self.composed(player))).collect();
        hashes.sort_unstable();
        let doubles: HashSet<u64> = hashes.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        if doubles.is_empty() {
            return;
        }
        let mut taken = HashSet::new();
        for player in 0..players {
            let composed = self.composed(player);
            let hash = folded_hash(&composed);
            if !doubles.contains(&hash) || taken.insert(hash) {
                continue;
            }
            let free = (2..).find(|&n| {
                let hash = folded_hash(&with_ending(&composed, n));
                hashes.binary_search(&hash).is_err() && taken.insert(hash)
            });
            self.repeated.extend(free.map(|n| (player, n)));
        }
    }

    /// The handle of a player.
    pub(super) fn handle(&self, player: u32) -> String {
        let composed = self.composed(player);
        match self.repeated.get(&player) {
            Some(&n) => with_ending(&composed, n),
            None => composed,
        }
    }

    fn composed(&self, player: u32) -> String {
        let place = self.order.at(u64::from(player));
        let part = self.parts.partition_point(|&(begins, _, _)| begins <= place).saturating_sub(1);
        let (begins, style, codes) = self.parts[part];
        let mood = mix(self.seed, u64::from(player));
        let mut handle = compose(style, codes.at(place - begins), mood);
        if is_unwanted(style, &handle) {
            handle = compose(TraitThingNumber, mix(mood, 1) % (TraitThingNumber.pairs() * SHORT_NUMBERS), mood);
        }
        handle.truncate(MAX_HANDLE_BYTES);
        handle
    }
}

fn is_unwanted(style: Style, handle: &str) -> bool {
    let is_chance = matches!(style, Invented | InventedNumber | InventedSurname);
    let bytes = handle.as_bytes();
    (0..bytes.len()).any(|at| {
        let rest = &bytes[at..];
        let first = usize::from(rest[0].to_ascii_lowercase().wrapping_sub(b'a'));
        UNWANTED_BY_LETTER.get(first).is_some_and(|parts| {
            parts.iter().any(|&(part, always)| {
                (always || is_chance) && rest.get(..part.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(part))
            })
        })
    })
}

fn with_ending(handle: &str, n: u32) -> String {
    let ending = n.to_string();
    let keep = handle.len().min(MAX_HANDLE_BYTES - ending.len() - 1);
    let joint = if handle.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    format!("{}{joint}{ending}", &handle[..keep])
}

fn folded_hash(handle: &str) -> u64 {
    let sum = handle.bytes().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01B3)
    });
    mix(sum, 1)
}

fn pick<T: Copy>(list: &[T], code: &mut u64) -> T {
    let size = list.len() as u64;
    let chosen = list[(*code % size) as usize];
    *code /= size;
    chosen
}

fn invented(code: &mut u64, long: bool) -> String {
    let mut name = pick(ONSETS, code).to_owned();
    name += pick(VOWELS, code);
    if long {
        name += pick(MIDDLES, code);
        name += pick(VOWELS, code);
    }
    name + pick(ENDS, code)
}

fn number(code: &mut u64) -> String {
    let n = *code;
    let extra = NUMBERS.len() as u64;
    match n {
        0..100 => format!("{n:02}"),
        n if n < 100 + extra => NUMBERS[(n - 100) as usize].to_owned(),
        n if n < SHORT_NUMBERS => (1970 + n - 100 - extra).to_string(),
        n => (100 + n - SHORT_NUMBERS).to_string(),
    }
}

/// Composes a handle; `mood` selects only case and separators.
fn compose(style: Style, mut code: u64, mood: u64) -> String {
    let code = &mut code;
    let joint = match mood % 20 {
        0..12 => "",
        12..17 => "_",
        _ => "-",
    };
    let name_joint = ["_", "_", "-", ""][(mood >> 8) as usize % 4];
    let number_joint = ["", "", "", "", "_", "-"][(mood >> 12) as usize % 6];
    let plain = match style {
        TraitThing | TraitThingNumber => format!("{}{joint}{}", pick(TRAITS, code), pick(THINGS, code)),
        ThingThing => format!("{}{joint}{}", pick(THINGS, code), pick(THINGS, code)),
        FullName | FullNameNumber => format!("{}{name_joint}{}", pick(FIRST_NAMES, code), pick(SURNAMES, code)),
        Titled => format!("{}{name_joint}{}", pick(TITLES, code), pick(SURNAMES, code)),
        Invented | InventedNumber => invented(code, true),
        InventedSurname => format!("{}{name_joint}{}", invented(code, false), pick(SURNAMES, code)),
        ThingNumber => pick(THINGS, code).to_owned(),
        NameNumber => pick(FIRST_NAMES, code).to_owned(),
        Leet => pick(THINGS, code).replace('a', "4").replace('e', "3").replace('o', "0").replace('i', "1"),
        Opened => {
            let (opener, name_follows) = pick(OPENERS, code);
            format!("{opener}{}", pick(if name_follows { FIRST_NAMES } else { THINGS }, code))
        }
        Closed => format!("{}{joint}{}", pick(THINGS, code), pick(CLOSERS, code)),
        Crossed => format!("xX_{}_Xx", pick(THINGS, code)),
        NameThing => format!("{}{joint}{}", pick(FIRST_NAMES, code), pick(THINGS, code)),
        TraitName => format!("{}{joint}{}", pick(TRAITS, code), pick(FIRST_NAMES, code)),
    };
    let cased = match (mood >> 20) % 100 {
        0..22 if style != Crossed => plain.to_lowercase(),
        22..25 if plain.len() < 12 => plain.to_uppercase(),
        _ => plain,
    };
    if style.allows_number() { format!("{cased}{number_joint}{}", number(code)) } else { cased }
}

/// A player's display name: mostly the handle.
pub(super) fn shown_name(seed: u64, player: u32, handle: &str) -> String {
    if unit(seed, u64::from(player)) < 0.62 {
        return handle.to_owned();
    }
    let mut shown = String::with_capacity(handle.len() + 4);
    let mut before = ' ';
    for c in handle.chars() {
        match c {
            '_' | '-' => shown.push(' '),
            c if c.is_ascii_uppercase() && before.is_ascii_lowercase() => shown.extend([' ', c]),
            c if before == ' ' || before == '_' || before == '-' => shown.push(c.to_ascii_uppercase()),
            c => shown.push(c),
        }
        before = c;
    }
    if below(seed ^ 1, u64::from(player), 3) == 0 {
        shown = shown.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end().to_owned();
    }
    if shown.trim().len() < 3 { handle.to_owned() } else { shown.trim().to_owned() }
}

//! Guilds: names, tags and memberships.

use std::collections::HashSet;

use super::name_parts::*;
use super::random::{Shuffle, below, long_tail, mix, unit};

/// Share of players in a guild.
const MEMBER_SHARE: f64 = 0.63;
/// Skew of guild sizes.
const SIZE_BEND: f64 = 2.1;
const MAX_TAG_BYTES: usize = 10;

/// A guild of the universe.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DemoGuild {
    /// Unique, and valid as `domain::names::GuildTag`.
    pub tag: String,
    pub name: String,
}

/// All guilds. Tags are stored; names are generated on demand.
#[derive(Debug)]
pub(super) struct Guilds {
    seed: u64,
    names: Shuffle,
    tags: Vec<Box<str>>,
}

impl Guilds {
    pub(super) fn new(seed: u64, count: u32) -> Self {
        let seed = mix(seed, 0x4755_494C);
        let names = Shuffle::new(seed, 1 << 40);
        let mut guilds = Self { seed, names, tags: Vec::with_capacity(count as usize) };
        let mut taken = HashSet::with_capacity(count as usize);
        for guild in 0..count {
            let tag = free_tag(&guilds.name(guild), mix(seed ^ 5, u64::from(guild)), &mut taken);
            guilds.tags.push(tag);
        }
        guilds
    }

    pub(super) fn guild(&self, guild: u32) -> Option<DemoGuild> {
        Some(DemoGuild { tag: self.tags.get(guild as usize)?.to_string(), name: self.name(guild) })
    }

    /// The tag of a player's guild.
    pub(super) fn tag_of_player(&self, player: u32) -> Option<String> {
        if unit(self.seed ^ 2, u64::from(player)) >= MEMBER_SHARE {
            return None;
        }
        let guild = long_tail(unit(self.seed ^ 3, u64::from(player)), self.tags.len(), SIZE_BEND);
        self.tags.get(guild).map(|tag| tag.to_string())
    }

    fn name(&self, guild: u32) -> String {
        let code = self.names.at(u64::from(guild));
        let pick = |list: &[&'static str], which: u64| list[below(code ^ self.seed, which, list.len())];
        match below(code ^ self.seed, 0, 100) {
            0..16 => format!("{} {}", pick(TRAITS, 1), pick(PACKS, 2)),
            16..30 => format!("{} {} {}", pick(REALMS, 1), pick(TRADES, 2), pick(BODIES, 3)),
            30..38 => format!("{} {}", ordinal(1 + below(code, 4, 401)), pick(UNITS, 5)),
            38..46 => format!("The {} {}", pick(TRAITS, 1), pick(BODIES, 3)),
            46..54 => format!("Order of the {} {}", pick(TRAITS, 1), pick(THINGS, 2)),
            54..62 => format!("{} {}", pick(SURNAMES, 1), pick(BODIES, 3)),
            62..69 => format!("{} & {} {}", pick(SURNAMES, 1), pick(SURNAMES, 7), pick(TRADES, 2)),
            69..76 => format!("{} {}", pick(REALMS, 1), pick(PACKS, 2)),
            76..82 => {
                format!("{}s of {}", pick(&["Son", "Ghost", "Knight", "Child", "Ranger", "Shield"], 6), pick(REALMS, 1))
            }
            82..90 => format!("{} {} {}", pick(TRAITS, 1), pick(TRADES, 2), pick(BODIES, 3)),
            90..95 => format!("{} {}", pick(THINGS, 1), pick(BODIES, 3)),
            _ => format!(
                "{}{} {}",
                pick(ONSETS, 1),
                pick(&["antis", "orian", "elios", "axon", "ytech", "enix"], 2),
                pick(BODIES, 3)
            ),
        }
        .replace("Childs of", "Children of")
    }
}

fn ordinal(n: usize) -> String {
    let ending = match (n % 10, n % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// Picks the first free tag out of initials, first word, combinations and numbered initials.
fn free_tag(name: &str, chance: u64, taken: &mut HashSet<Box<str>>) -> Box<str> {
    let words: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !matches!(*word, "" | "of" | "the"))
        .map(str::to_ascii_uppercase)
        .collect();
    let initials: String = words.iter().filter_map(|word| word.chars().next()).collect();
    let first = words.iter().find(|word| *word != "THE" && *word != "ORDER").cloned().unwrap_or_default();
    let last = words.last().cloned().unwrap_or_default();
    let cut = |word: &str, len: usize| word.chars().take(len).collect::<String>();
    let mut candidates = vec![
        initials.clone(),
        cut(&first, 4 + (chance % 4) as usize),
        cut(&first, 3) + &cut(&last, 3),
        cut(&first, 10),
        cut(&first, 1) + &cut(&last, 5),
        cut(&first, 5) + &cut(&last, 4),
    ];
    let favourite = (chance >> 8) as usize % 3;
    candidates.swap(0, favourite);
    let numbered = (0..).map(|n: u64| format!("{}{}", cut(&initials, 4), (chance >> 16) % 90 + 10 + n * 7));
    let mut tags = candidates.into_iter().chain(numbered).map(String::into_boxed_str);
    tags.find(|tag| (2..=MAX_TAG_BYTES).contains(&tag.len()) && taken.insert(tag.clone())).unwrap_or_default()
}

//! Guilds: names, tags and memberships.

use std::collections::HashSet;

use super::name_parts::*;
use super::random::{Choices, long_tail, mix, unit};

/// Share of players in a guild.
const MEMBER_SHARE: f64 = 0.63;
/// Skew of guild sizes.
const SIZE_BEND: f64 = 2.1;

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
    tags: Vec<Box<str>>,
}

impl Guilds {
    pub(super) fn new(seed: u64, count: u32) -> Self {
        let mut guilds = Self { seed: mix(seed, 0x4755_494C), tags: Vec::with_capacity(count as usize) };
        let mut taken = HashSet::with_capacity(count as usize);
        for guild in 0..count {
            let tag = free_tag(&guilds.name(guild), mix(guilds.seed ^ 5, u64::from(guild)), &mut taken);
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
        let mut choices = Choices::new(mix(self.seed, u64::from(guild)));
        let (style, number) = (choices.below(100), 4 + choices.below(17));
        let mut pick = |list: &[&'static str]| choices.pick(list);
        match style {
            0..18 => format!("{} {}", pick(TRAITS), pick(PACKS)),
            18..32 => format!("{} {} {}", pick(REALMS), pick(TRADES), pick(BODIES)),
            32..41 => format!("{number}th {}", pick(UNITS)),
            41..49 => format!("The {} {}", pick(TRAITS), pick(BODIES)),
            49..57 => format!("Order of the {} {}", pick(TRAITS), pick(THINGS)),
            57..65 => format!("{} {}", pick(SURNAMES), pick(BODIES)),
            65..72 => format!("{} & {} {}", pick(SURNAMES), pick(SURNAMES), pick(TRADES)),
            72..81 => format!("{} {}", pick(REALMS), pick(PACKS)),
            81..87 => format!("{} of {}", pick(PACKS), pick(REALMS)),
            87..95 => format!("{} {} {}", pick(TRAITS), pick(TRADES), pick(BODIES)),
            _ => format!("{} {}", pick(THINGS), pick(BODIES)),
        }
    }
}

/// Picks the first free tag out of the initials, letters of the first and last word, and numbered initials.
fn free_tag(name: &str, chance: u64, taken: &mut HashSet<Box<str>>) -> Box<str> {
    let words: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !matches!(*word, "" | "of" | "the" | "The" | "Order"))
        .map(str::to_ascii_uppercase)
        .collect();
    let cut = |word: &String, len: usize| word.chars().take(len).collect::<String>();
    let letters = |len: usize| words.iter().map(|word| cut(word, len)).collect::<String>();
    let mut candidates = [letters(1), cut(&words[0], 4 + (chance % 7) as usize), letters(3)];
    candidates.rotate_left((chance >> 8) as usize % 3);
    let numbered = (0..).map(|n: u64| format!("{}{}", letters(1), (chance >> 16) % 90 + 10 + n * 7));
    let mut tags = candidates.into_iter().chain(numbered).map(String::into_boxed_str);
    tags.find(|tag| (2..=10).contains(&tag.len()) && taken.insert(tag.clone())).unwrap_or_default()
}

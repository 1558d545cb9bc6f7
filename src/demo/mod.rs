//! A believable universe from a seed: players, guilds, weeks of events, lifetime totals, and a live trickle.
//! `apogee demo` and `serve --demo` call it and write what it gives through the usual features.
//! Never here: the database, a reading of the clock, or chance that the seed does not decide.

mod draws;
mod fights;
mod guilds;
mod handles;
mod pilots;
mod roster;
mod stays;
mod things;
mod timeline;
mod totals;
mod trickle;
#[rustfmt::skip] // one word a line would make it a very long file
mod words;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

pub use guilds::DemoGuild;
pub use timeline::Timeline;
pub use totals::{DemoCounters, DemoHabits, DemoTotals};
pub use trickle::Trickle;

use crate::domain::times::EpochMillis;
use draws::{Shuffle, mix};
use guilds::Guilds;
use handles::Handles;
use pilots::Pilot;
use things::Work;

/// The patch of the newest events, and the one before it.
pub const NEWEST_PATCH: &str = "ALPHA 4.3.2";
pub const OLDER_PATCH: &str = "ALPHA 4.3.1";
/// So many days before today the newest patch came out, at this hour UTC.
const PATCH_DAYS_AGO: i64 = 24;
const PATCH_HOUR: i64 = 17;
const HOUR_MS: i64 = 3_600_000;

/// A player of the universe.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DemoPlayer {
    /// Fits `domain::names::Handle`; no two players share one, in any case of letters.
    pub handle: String,
    pub player_name: String,
    pub player_geid: String,
    /// Tag of the player's guild.
    pub guild: Option<String>,
}

/// Everything that a seed decides. Nothing is stored but what makes handles and tags unique:
/// about 11 bytes a guild and 50 for each repeated handle.
#[derive(Debug)]
pub struct Universe {
    seed: u64,
    players: u32,
    events: u64,
    now: EpochMillis,
    handles: Handles,
    guilds: Guilds,
    ranks: Shuffle,
    geids: Shuffle,
    works: [Vec<&'static str>; 3],
}

impl Universe {
    /// A universe of so many players and guilds, with `events` events in the 60 days before the day of `now`.
    ///
    /// Equal arguments give an equal universe. Players and guilds depend on the seed and their numbers alone; events
    /// depend on the day of `now` only, and [`Universe::events_until_now`] goes on from them up to `now` itself.
    /// Takes 8 bytes a player while it looks for repeated handles.
    pub fn new(seed: u64, players: u32, guilds: u32, events: u64, now: EpochMillis) -> Self {
        Self {
            seed,
            players,
            events,
            now,
            handles: Handles::new(seed, players),
            guilds: Guilds::new(seed, guilds),
            ranks: Shuffle::new(mix(seed, 0x52_414E_4B53), u64::from(players)),
            geids: Shuffle::new(mix(seed, 0x4745_4944), 5_000_000_000),
            works: [Work::OnFoot, Work::Ships, Work::Goods].map(totals::missions_of),
        }
    }

    pub fn player_count(&self) -> u32 {
        self.players
    }

    /// The player at a place below the number of players.
    pub fn player(&self, index: u32) -> DemoPlayer {
        let handle = self.handle(index);
        DemoPlayer {
            player_name: handles::shown_name(mix(self.seed, 0x4E_414D_4553), index, &handle),
            player_geid: self.geid(index),
            guild: self.guilds.of_player(index).and_then(|guild| self.guilds.tag(guild)),
            handle,
        }
    }

    pub fn players(&self) -> impl Iterator<Item = DemoPlayer> {
        (0..self.players).map(|index| self.player(index))
    }

    /// All guilds, the largest first as a rule.
    pub fn guilds(&self) -> impl Iterator<Item = DemoGuild> {
        (0..).map_while(|guild| self.guilds.guild(guild))
    }

    /// Exactly the events asked for, in order of time, the last before the day of `now`.
    ///
    /// Fewer come only when there are too few players to make them: one player has some 300 events a day at most.
    pub fn events(&self) -> Timeline<'_> {
        Timeline::new(self, false)
    }

    /// The same events, and then at the same pace those of the day of `now` up to `now`.
    pub fn events_until_now(&self) -> Timeline<'_> {
        Timeline::new(self, true)
    }

    /// Lifetime figures of every player, in the order of [`Universe::players`]: the place of the player, and the figures.
    ///
    /// They have the same long tail as the events but are not counted from them: use them where events are few.
    /// Takes 4 bytes a player.
    pub fn totals(&self) -> impl Iterator<Item = (u32, DemoTotals)> {
        let mut ranks = vec![0; self.players as usize];
        for rank in 0..self.players {
            if let Some(place) = ranks.get_mut(self.player_at_rank(rank) as usize) {
                *place = rank;
            }
        }
        (0..).zip(ranks).map(|(player, rank)| (player, totals::of(self, player, rank)))
    }

    /// The weapons, vehicles and missions behind a player's totals.
    pub fn habits(&self, index: u32, totals: &DemoTotals) -> DemoHabits {
        totals::habits(self, index, totals)
    }

    fn handle(&self, player: u32) -> String {
        self.handles.handle(player)
    }

    fn geid(&self, player: u32) -> String {
        (200_146_000_000 + self.geids.at(u64::from(player))).to_string()
    }

    fn pilot(&self, player: u32) -> Pilot {
        Pilot::new(self.seed, player)
    }

    /// The player who is so many places from the busiest.
    fn player_at_rank(&self, rank: u32) -> u32 {
        u32::try_from(self.ranks.at(u64::from(rank))).unwrap_or_default()
    }

    fn missions(&self, work: Work) -> &[&'static str] {
        &self.works[work as usize]
    }

    /// The id of a contract's definition: the same for all who take it.
    fn contract_id(&self, name: &str) -> String {
        let hash = name.bytes().fold(7, |hash, byte| mix(hash, u64::from(byte)));
        let digits = [mix(hash, 1), mix(hash, 2)].iter().fold(String::with_capacity(36), |mut text, half| {
            // Writing to a text cannot fail.
            let _ = write!(text, "{half:016x}");
            text
        });
        [&digits[0..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..32]].join("-")
    }

    fn patch_day_ms(&self) -> i64 {
        self.now.day().start().0 - (PATCH_DAYS_AGO * 24 - PATCH_HOUR) * HOUR_MS
    }
}

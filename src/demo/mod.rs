//! Generates a plausible universe from a seed: players, guilds, weeks of events, lifetime totals and live events.
//! `apogee demo` and `serve --demo` store what it generates.
//! Never here: the database, the clock, or randomness that does not come from the seed.

mod fighter;
mod fights;
mod guilds;
mod handles;
mod items;
mod online;
mod pilots;
mod random;
mod schedule;
mod sessions;
mod timeline;
mod totals;
mod trickle;
#[rustfmt::skip] // rustfmt would put each word on its own line
mod name_parts;

#[cfg(test)]
mod tests;

pub use guilds::DemoGuild;
pub use timeline::Timeline;
pub use totals::DemoTotals;
pub use trickle::Trickle;

use crate::domain::times::{EpochMillis, HOUR_MS};
use guilds::Guilds;
use handles::Handles;
use pilots::Pilot;
use random::{mix, permuted, unit};

/// The patch of the newest events, and the one before it.
pub const NEWEST_PATCH: &str = "ALPHA 4.3.2";
pub const OLDER_PATCH: &str = "ALPHA 4.3.1";
/// Age of the newest patch, and its release hour in UTC.
const PATCH_DAYS_AGO: i64 = 24;
const PATCH_HOUR: i64 = 17;

/// A player of the universe.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DemoPlayer {
    /// Unique ignoring case, and valid as `domain::names::Handle`.
    pub handle: String,
    pub player_name: String,
    pub player_geid: String,
    /// Tag of the player's guild.
    pub guild: Option<String>,
}

/// A generated universe. Stores only what makes handles and tags unique: about 30 bytes per guild and 10 per repeated handle.
#[derive(Debug)]
pub struct Universe {
    seed: u64,
    players: u32,
    events: u64,
    now: EpochMillis,
    handles: Handles,
    guilds: Guilds,
}

impl Universe {
    /// Creates a universe with `events` events in the 60 days before the day of `now`.
    ///
    /// Equal arguments give an equal universe. Players and guilds depend only on the seed and their numbers. Events depend only on
    /// the day of `now`; [`Universe::events_until_now`] continues them up to `now`.
    /// Temporarily needs about 20 bytes per player.
    pub fn new(seed: u64, players: u32, guilds: u32, events: u64, now: EpochMillis) -> Self {
        Self {
            seed,
            players,
            events: if players == 0 { 0 } else { events },
            now,
            handles: Handles::new(seed, players),
            guilds: Guilds::new(seed, guilds),
        }
    }

    /// The player with this index.
    pub fn player(&self, index: u32) -> DemoPlayer {
        let handle = self.handle(index);
        let keeps_handle = unit(mix(self.seed, 0x4E_414D_4553), u64::from(index)) < 0.5;
        DemoPlayer {
            player_name: if keeps_handle { handle.clone() } else { handle.replace(['_', '-'], " ") },
            player_geid: self.geid(index),
            guild: self.guilds.tag_of_player(index),
            handle,
        }
    }

    pub fn players(&self) -> impl Iterator<Item = DemoPlayer> {
        (0..self.players).map(|index| self.player(index))
    }

    /// All guilds, roughly ordered by size.
    pub fn guilds(&self) -> impl Iterator<Item = DemoGuild> {
        (0..).map_while(|guild| self.guilds.guild(guild))
    }

    /// The requested number of events before the day of `now`, ordered by time.
    ///
    /// Fewer if there are too few players: a player has at most about 300 events a day.
    pub fn events(&self) -> Timeline<'_> {
        Timeline::new(self, false)
    }

    /// The same events, continued at the same rate up to `now`.
    pub fn events_until_now(&self) -> Timeline<'_> {
        Timeline::new(self, true)
    }

    /// Index and lifetime totals of every player.
    ///
    /// They have the same distribution as the events but are not counted from them: use them if there are few events.
    pub fn totals(&self) -> impl Iterator<Item = (u32, DemoTotals)> {
        (0..self.players).map(|rank| {
            let player = self.player_at_rank(rank);
            (player, self.totals_of(player, rank))
        })
    }

    fn handle(&self, player: u32) -> String {
        self.handles.handle(player)
    }

    fn geid(&self, player: u32) -> String {
        (200_146_000_000 + permuted(mix(self.seed, 0x4745_4944), u64::from(player), 5_000_000_000)).to_string()
    }

    fn pilot(&self, player: u32) -> Pilot {
        Pilot::new(self.seed, player)
    }

    /// The player with this activity rank; 0 is the most active.
    fn player_at_rank(&self, rank: u32) -> u32 {
        permuted(mix(self.seed, 0x52_414E_4B53), u64::from(rank), u64::from(self.players)) as u32
    }

    /// The id of a contract, the same for all players.
    fn contract_id(&self, name: &str) -> String {
        let hash = name.bytes().fold(7, |hash, byte| mix(hash, u64::from(byte)));
        let (high, low) = (mix(hash, 1), mix(hash, 2));
        let [a, b, c, d] = [high >> 32, high >> 16 & 0xFFFF, high & 0xFFFF, low >> 48];
        format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{:012x}", low & 0xFFFF_FFFF_FFFF)
    }

    fn patch_day_ms(&self) -> i64 {
        self.now.day().start().0 - (PATCH_DAYS_AGO * 24 - PATCH_HOUR) * HOUR_MS
    }
}

//! How much one address or account may ask for, and how often copies of everything are made.

use serde::Deserialize;

/// Bounds of what callers may do. A number a minute is also how many may come at once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Limits {
    pub enabled: bool,
    /// Whether requests from this machine are counted too.
    pub loopback: bool,
    /// Reading calls of the API, each minute.
    pub reads: u32,
    /// Pages and share cards, each minute; their scripts and pictures are free.
    pub pages: u32,
    /// Calls that change something, each minute.
    pub writes: u32,
    /// Pictures sent in, each minute.
    pub uploads: u32,
    /// Batches of events, each minute.
    pub ingests: u32,
    /// Live streams opened, each minute.
    pub streams: u32,
    /// Live streams of one address that are open at the same time.
    pub streams_per_address: usize,
    /// Live streams of everybody that are open at the same time.
    pub streams_in_all: usize,
    /// Connections of everybody that are open at the same time.
    pub connections: usize,
    /// Refused requests within a minute after which an address is shut out.
    pub block_after: u32,
    /// For how many minutes.
    pub block_minutes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            enabled: true,
            loopback: false,
            reads: 1_200,
            pages: 300,
            writes: 120,
            uploads: 30,
            ingests: 600,
            streams: 120,
            streams_per_address: 30,
            streams_in_all: 10_000,
            connections: 40_000,
            block_after: 300,
            block_minutes: 10,
        }
    }
}

/// Member lists of guilds, read from the game's site in the background.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Rosters {
    pub enabled: bool,
    /// Pages of 32 members, each minute; one page is one call.
    pub pages_per_minute: u32,
    /// Hours between two readings of a guild that is claimed or viewed. All others are read once a week.
    pub every_hours: u32,
}

impl Default for Rosters {
    fn default() -> Self {
        Self { enabled: true, pages_per_minute: 6, every_hours: 24 }
    }
}

/// Copies of database and uploads that the running site makes by itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Backups {
    /// Hours between two; 0 makes none.
    pub every_hours: u64,
    /// How many are kept.
    pub keep: usize,
    /// Where they lie; without one, `backups` in the data directory.
    pub dir: Option<std::path::PathBuf>,
}

impl Default for Backups {
    fn default() -> Self {
        Self { every_hours: 24, keep: 7, dir: None }
    }
}

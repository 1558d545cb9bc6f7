//! Settings that bound what the site does: rate limits, rosters, backups, retention.
//!
//! Documentation, defaults and checks of each are in `definition`; `Default` of these types is all zeros.

use std::path::PathBuf;

/// Rate limits and quotas. A limit per minute is also the burst size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    pub enabled: bool,
    pub loopback: bool,
    pub reads: u32,
    pub pages: u32,
    pub writes: u32,
    pub uploads: u32,
    pub ingests: u32,
    pub streams: u32,
    pub streams_per_address: usize,
    pub streams_in_all: usize,
    pub connections: usize,
    pub block_after: u32,
    pub block_minutes: u64,
}

/// Member lists of guilds, read from the game's site in the background.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rosters {
    pub enabled: bool,
    pub pages_per_minute: u32,
    pub every_hours: u32,
}

/// Automatic backups of database and uploads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backups {
    pub every_hours: u64,
    pub keep: usize,
    pub dir: PathBuf,
}

/// How long data is kept, in days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    pub visits_days: i64,
    pub unused_uploads_days: i64,
}

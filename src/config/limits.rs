//! Settings that bound what the site does: rate limits, rosters, backups, retention.
//!
//! Defaults and checks are in `definition`; `Default` of these types is all zeros.

use std::path::PathBuf;

/// Rate limits and quotas. A limit per minute is also the burst size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    pub enabled: bool,
    /// Whether requests from this machine are limited.
    pub loopback: bool,
    /// API reads per minute.
    pub reads: u32,
    /// Pages and share cards per minute, without their scripts and pictures.
    pub pages: u32,
    /// Changing requests per minute.
    pub writes: u32,
    /// Uploaded pictures per minute.
    pub uploads: u32,
    /// Event batches per minute.
    pub ingests: u32,
    /// New live streams per minute.
    pub streams: u32,
    /// Open live streams per address.
    pub streams_per_address: usize,
    /// Open live streams in total.
    pub streams_in_all: usize,
    /// Open connections in total.
    pub connections: usize,
    /// Rejected requests per minute after which an address is blocked.
    pub block_after: u32,
    /// Length of a block, in minutes.
    pub block_minutes: u64,
}

/// Member lists of guilds, read from the game's site in the background.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rosters {
    pub enabled: bool,
    /// Pages of 32 members per minute; one page is one request.
    pub pages_per_minute: u32,
    /// Hours between two readings of a claimed or viewed guild. Other guilds are read once a week.
    pub every_hours: u32,
}

/// Automatic backups of database and uploads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Backups {
    /// Hours between two backups; 0 disables them.
    pub every_hours: u64,
    /// Number of backups to keep.
    pub keep: usize,
    pub dir: PathBuf,
}

/// How long data is kept, in days.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retention {
    /// Single page visits; daily totals are kept forever.
    pub visits_days: i64,
    /// Uploaded pictures that no profile or guild uses.
    pub unused_uploads_days: i64,
}

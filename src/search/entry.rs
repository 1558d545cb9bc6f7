//! Input and output types of the index.

use std::path::PathBuf;
use std::sync::Arc;

/// The kind of a search result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Player,
    Guild,
}

/// A player or guild in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub kind: Kind,
    /// The id in the database, 0 or more; unique per kind.
    pub id: i64,
    /// Handle or tag.
    pub key: String,
    /// Display name or guild name.
    pub name: String,
    /// Previous handles of the player.
    pub former: Vec<String>,
    pub org_short: Option<String>,
    /// Results are ordered by it: see `search_order` of `domain/scores.rs`.
    pub score: i64,
    pub member_count: i64,
    /// Whether a user has proved ownership of the handle; look-alikes are listed below it.
    pub is_claimed: bool,
}

/// The position in the database up to which the index is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Watermark {
    /// The id of the newest event.
    pub events: i64,
    /// The id of the newest row of `search_changes`.
    pub changes: i64,
}

/// A watermark of events alone.
impl From<i64> for Watermark {
    fn from(events: i64) -> Self {
        Self { events, changes: 0 }
    }
}

impl Watermark {
    /// The larger value of each field.
    pub(super) fn max(self, other: Self) -> Self {
        Self { events: self.events.max(other.events), changes: self.changes.max(other.changes) }
    }
}

/// A change of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Inserts or replaces the entry with the same kind and id.
    Put(Entry),
    /// Like `Put`, but keeps the score of the existing entry.
    PutKeepingScore(Entry),
    /// Sets the score alone; ignored if there is no such entry (a hidden player).
    Score { kind: Kind, id: i64, score: i64 },
    /// Removes an entry that was deleted or hidden.
    Remove(Kind, i64),
}

/// How the query matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchKind {
    /// The query equals the handle, tag or name.
    Exact,
    /// The handle, tag or name, or a word in one of them, starts with the query.
    Prefix,
    /// A former handle equals the query or starts with it; see [`Hit::former`].
    Former,
    /// The handle, tag or name starts with a text that is one edit away from the query.
    Typo,
}

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub entry: Arc<Entry>,
    pub matched: MatchKind,
    /// The former handle that matched, if nothing current did.
    pub former: Option<String>,
    /// The claimed handle that this unclaimed one resembles.
    pub look_alike_of: Option<String>,
}

/// The result of opening the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenOutcome {
    /// The index is complete up to `watermark`; the caller applies later changes.
    Ready { watermark: Watermark },
    /// There was no index; the caller rebuilds it.
    Empty,
    /// The index was damaged or of another version and was renamed to `to`; the caller rebuilds it.
    SetAside { to: PathBuf, why: String },
}

/// Errors of the index; all of them concern the disk.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("the search index could not be read or written")]
    Index(#[from] tantivy::TantivyError),
    #[error("the directory of the search index could not be used")]
    Folder(#[from] std::io::Error),
    #[error("the search index is being closed")]
    Closed,
}

impl Kind {
    /// Maps the ids of both kinds to one number space.
    pub(super) fn ident(self, id: i64) -> u64 {
        (id as u64) << 1 | self as u64
    }

    /// The reverse of [`Kind::ident`].
    pub(super) fn of_ident(ident: u64) -> (Self, i64) {
        let kind = if ident & 1 == 0 { Self::Player } else { Self::Guild };
        (kind, (ident >> 1) as i64)
    }
}

impl Entry {
    pub(super) fn ident(&self) -> u64 {
        self.kind.ident(self.id)
    }
}

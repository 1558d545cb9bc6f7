//! What goes into the search and what comes out of it.

use std::path::PathBuf;

/// What a search looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Player,
    Guild,
}

/// One player or guild as it can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub kind: Kind,
    /// The database's id, 0 or more; one per kind.
    pub id: i64,
    /// Handle or tag.
    pub key: String,
    /// Display name or guild name.
    pub name: String,
    /// Handles that this player had before.
    pub former: Vec<String>,
    pub org_short: Option<String>,
    /// `overall`; what answers are ordered by.
    pub score: i64,
    pub member_count: i64,
    /// Whether somebody proved that the handle is theirs; look-alikes stand below it.
    pub is_claimed: bool,
}

/// Up to where the database is in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Watermark {
    /// The id of the newest event.
    pub events: i64,
    /// The id of the newest noted change that was no event.
    pub changes: i64,
}

/// Nothing but events.
impl From<i64> for Watermark {
    fn from(events: i64) -> Self {
        Self { events, changes: 0 }
    }
}

impl Watermark {
    /// The further of each.
    pub(super) fn max(self, other: Self) -> Self {
        Self { events: self.events.max(other.events), changes: self.changes.max(other.changes) }
    }
}

/// What became of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// New, or changed in any way; takes the place of what was there under the same kind and id.
    Put(Entry),
    /// The same, but the score of what was there stays.
    PutKeepingScore(Entry),
    /// Only the score changed; nothing happens when there is no such entry (a hidden player).
    Score { kind: Kind, id: i64, score: i64 },
    /// Deleted or hidden.
    Remove(Kind, i64),
}

/// How a text matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchKind {
    /// It is the whole handle, tag or name.
    Exact,
    /// Handle, tag, name, or a word in one of them begins with it.
    Prefix,
    /// A former handle is it or begins with it; see [`Hit::former`].
    Former,
    /// Handle, tag or name begins with something one letter away.
    Typo,
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub kind: Kind,
    pub id: i64,
    pub key: String,
    pub name: String,
    pub org_short: Option<String>,
    pub score: i64,
    pub member_count: i64,
    pub is_claimed: bool,
    pub matched: MatchKind,
    /// The former handle that matched, when nothing current did.
    pub former: Option<String>,
    /// The claimed handle that this unclaimed one can be taken for.
    pub look_alike_of: Option<String>,
}

/// What was found on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenOutcome {
    /// Complete up to this watermark; what is younger is to be applied.
    Ready { watermark: Watermark },
    /// Nothing there yet: rebuild.
    Empty,
    /// What was there is damaged or of another version; it was renamed to `to`. Rebuild.
    SetAside { to: PathBuf, why: String },
}

/// What can go wrong; all of it is about the disk.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("the search index could not be read or written")]
    Index(#[from] tantivy::TantivyError),
    #[error("the folder of the search index could not be used")]
    Folder(#[from] std::io::Error),
    #[error("the search index is being closed")]
    Closed,
}

impl Kind {
    /// Entry ids of both kinds in one number space.
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

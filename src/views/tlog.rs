//! The transparency log: entries, proofs and the newest checkpoint.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::secs;
use crate::domain::hex;
use crate::store::tlog::CheckpointRow;

/// The newest checkpoint of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct LogInfo {
    /// The name of the log: the site's address without the scheme.
    pub origin: String,
    /// Number of entries.
    pub size: i64,
    /// Root of the tree, in hexadecimal.
    pub root: String,
    /// Epoch seconds.
    pub signed_at: i64,
    /// The public key in the format of signed notes (c2sp.org/signed-note).
    pub key: String,
    /// The signed checkpoint (c2sp.org/tlog-checkpoint).
    pub checkpoint: String,
}

/// A state of the log that a checkpoint signs. It contains every event before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogPosition {
    /// Number of entries.
    pub size: i64,
    /// Root of the tree, in hexadecimal.
    pub root: String,
    /// Epoch seconds.
    pub signed_at: i64,
}

impl From<CheckpointRow> for LogPosition {
    fn from(row: CheckpointRow) -> Self {
        Self { size: row.size, root: hex::encode(&row.root), signed_at: secs(row.signed_at) }
    }
}

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = LogEntryKind)]
pub enum EntryKind {
    /// A state of an event.
    Event,
    /// An action of an admin.
    Ledger,
}

/// Why salt and line of an entry are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Withheld {
    /// It names a player who is hidden, or whose name only accounts have reported.
    Hidden,
    /// It named a player whose account was deleted.
    Erased,
    /// Its event no longer exists. Apogee deletes no events.
    Missing,
}

/// An entry. SHA-256 of a zero byte, the salt and the line is its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LogEntry {
    /// Its position in the log, from 0.
    pub index: i64,
    pub kind: EntryKind,
    /// The id of the event or ledger entry.
    pub id: i64,
    /// The hash of the leaf, in hexadecimal.
    pub hash: String,
    /// 16 random bytes in hexadecimal; null if the entry is withheld.
    pub salt: Option<String>,
    /// Canonical JSON (RFC 8785); null if the entry is withheld. The newest line of an event is written from the event itself.
    pub line: Option<String>,
    pub withheld: Option<Withheld>,
    /// The newest entry of the same event; null for the newest one itself and for ledger entries.
    pub superseded_by: Option<i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct LogEntries {
    /// In the order of the log.
    pub data: Vec<LogEntry>,
    /// Number of entries of the newest checkpoint.
    pub size: i64,
    /// The value of `start` for the next page; null at the end.
    pub next: Option<i64>,
}

/// An entry with the proof that it is in the log.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct LogEntryProof {
    pub entry: LogEntry,
    /// Inclusion proof (RFC 6962): hashes in hexadecimal, from the leaf to the root.
    pub proof: Vec<String>,
    /// The signed checkpoint whose root the proof leads to.
    pub checkpoint: String,
}

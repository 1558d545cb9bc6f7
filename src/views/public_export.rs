//! Public exports.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::tlog::LogPosition;

/// The export of one night.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublicExport {
    /// The UTC day, as `YYYY-MM-DD`.
    pub day: String,
    /// When the figures were read, in epoch seconds.
    pub created_at: i64,
    /// The version of the rules.
    pub rules: u32,
    pub events: u64,
    /// Players with figures.
    pub players: u64,
    /// The newest checkpoint of the transparency log at that time.
    pub checkpoint: Option<LogPosition>,
    pub files: Vec<ExportFile>,
}

/// A file of an export, at `/export/{name}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ExportFile {
    pub name: String,
    /// `ndjson` (events and figures) or `csv` (events), both compressed with gzip.
    pub format: String,
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
}

/// The exports that can be downloaded, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PublicExports {
    pub data: Vec<PublicExport>,
}

//! Bulk import and export of CSV and NDJSON files, and the generated demo universe.

mod atomic_file;
mod demo;
mod events;
mod export;
mod git;
mod import;
mod lines;
mod rows;
mod write_rows;

pub use atomic_file::{AtomicFile, DATABASE_COPY_SUFFIX, remove_partial_files};
pub use demo::{DemoSize, generate_demo, start_demo};
pub use export::{ExportSummary, export, write_all};
pub use import::{ImportSummary, LineError, import, import_lines};
pub use lines::{FileFormat, LineFormat, LineReader};

/// The type of the first line of a full export.
const HEADER_KIND: &str = "apogee";
/// The format of full exports, as their first line names it.
const EXPORT_FORMAT: u64 = 1;

/// Progress of a long operation.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    pub phase: &'static str,
    pub done: u64,
    pub total: u64,
}

/// The contents of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Dataset {
    Players,
    Guilds,
    Events,
    Commits,
    All,
}

/// Why a file could not be imported or exported. Rejected lines are reported in [`ImportSummary`] instead.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error("{0}")]
    Usage(String),
    #[error("{path}: {why}")]
    File { path: String, why: std::io::Error },
    #[error("{0}")]
    Content(String),
    #[error(transparent)]
    App(#[from] crate::error::AppError),
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
    #[error(transparent)]
    Projections(#[from] crate::projections::ProjectionError),
}

impl TransferError {
    fn unwritable(why: impl std::fmt::Display) -> Self {
        Self::Content(format!("the export could not be written: {why}"))
    }
}

impl From<diesel::result::Error> for TransferError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Store(error.into())
    }
}

//! Bulk loads and bulk reads: the generated universe, and the database as lines of text.

mod demo;
mod events;
mod export;
mod git;
mod import;
mod lines;
mod new_file;
mod rows;

pub use demo::{DemoSize, demo, demo_site};
pub use export::{Exported, export, write_all};
pub use import::{Bad, Imported, import, import_lines};
pub use lines::{Format, Lines, Shape};
pub use new_file::{DATABASE_COPY, NewFile, Scratch, abandon};

/// How far a long piece of work is.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub what: &'static str,
    pub done: u64,
    pub total: u64,
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noun {
    Players,
    Guilds,
    Events,
    Commits,
    All,
}

/// Why a file could not be written or read as a whole; single bad lines are no error.
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
    Open(#[from] super::index::OpenError),
}

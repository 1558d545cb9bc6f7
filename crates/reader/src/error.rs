//! Errors that stop a reader.

use std::path::PathBuf;

use super::upload::UploadError;

/// Why a reader stops.
#[derive(Debug, thiserror::Error)]
pub enum ReaderError {
    #[error("{path} cannot be {what}: {source}")]
    File { path: PathBuf, what: &'static str, source: std::io::Error },
    #[error("another reader is using {0}: stop it first, or pass another --data-dir")]
    InUse(PathBuf),
    #[error("no Game.log was found: pass the file or the folder of the game (…/StarCitizen/LIVE)")]
    NoLogs,
    #[error("the built-in grammar is invalid: {0}")]
    Grammar(#[from] gamelog::GrammarError),
    #[error("the upload failed: {0}")]
    Upload(#[from] UploadError),
    #[error("the site rejected {0} {noun}; the next run sends them again", noun = if *.0 == 1 { "event" } else { "events" })]
    Refused(u64),
    #[error("the output cannot be written: {0}")]
    Output(std::io::Error),
    #[error("the reader's page cannot be served: {0}")]
    Page(std::io::Error),
    #[error("the thread that follows the logs failed: {0}")]
    Thread(String),
}

impl ReaderError {
    /// Converts an I/O error of `path`. `what` completes "cannot be …".
    pub(super) fn file(path: impl Into<PathBuf>, what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, what, source }
    }
}

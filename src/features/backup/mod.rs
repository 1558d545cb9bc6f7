//! Backup and restore: one archive of the database, uploads and other files that cannot be regenerated.

mod archive;
mod restore;
mod scheduled;
mod write;

pub use archive::Manifest;
pub use restore::{RestoreSummary, restore};
pub use scheduled::{newest_backup_ms, run_if_due};
pub use write::backup;

/// Why a backup or restore failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{path}: {why}")]
    File { path: String, why: std::io::Error },
    #[error("{0}")]
    Refused(String),
    #[error("{path} is not a usable backup: {why}. Nothing was changed.")]
    Archive { path: String, why: String },
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
    #[error(transparent)]
    Files(#[from] crate::files::FilesError),
    #[error(transparent)]
    Transfer(#[from] super::transfer::TransferError),
    #[error(transparent)]
    Open(#[from] super::bootstrap::OpenError),
    #[error(transparent)]
    App(#[from] crate::error::AppError),
}

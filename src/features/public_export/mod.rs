//! Public exports: each night a file with all events and figures, from which anyone can recompute the leaderboards.
//!
//! An export names no player who is hidden. When a player hides, the exports from before are withdrawn, and a new one is written.

mod download;
mod files;
mod lines;
mod recompute;
mod tally;
mod write;

use std::sync::Arc;

pub use download::fetch;
pub use files::{open, unknown};
pub use recompute::{Outcome, recompute_file};

use crate::app::App;
use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::store::{players, repeats};
use crate::upstream::public_site::PublicSiteError;
use crate::views::public_export::PublicExport;

/// The job that writes exports.
pub const JOB: &str = "public-export";

/// Why an export could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error(transparent)]
    Query(#[from] diesel::result::Error),
    #[error(transparent)]
    Store(#[from] crate::store::StoreError),
    #[error("the export could not be written or read: {0}")]
    Io(#[from] std::io::Error),
    #[error("{path}: {why}")]
    File { path: String, why: std::io::Error },
    #[error(transparent)]
    Site(#[from] PublicSiteError),
    #[error("{0} publishes no export")]
    None(String),
    #[error("the SHA-256 of {0} is not the published one: download it again")]
    Checksum(String),
    #[error("this is not a public export: {0}")]
    Foreign(String),
    #[error(
        "the export has version {0} of the rules, and this program version {1}: use the program of the same version"
    )]
    Rules(u32, u32),
}

/// Writes an export if none of today exists and the repeated kills of this night are decided. `is_wanted` writes one in any case.
pub async fn run_if_due(app: &Arc<App>, is_wanted: bool) -> Result<(), AppError> {
    let keep = app.settings.exports.keep;
    if keep == 0 {
        return Ok(());
    }
    let now = EpochMillis::now();
    let today = now.day();
    let (is_decided, hidden) = app
        .store
        .read(move |conn| Ok((repeats::state(conn)?.ran_on == Some(today.0), players::hidden_ids(conn)?)))
        .await?;
    let dir = app.settings.exports_dir();
    let is_due = {
        let dir = dir.clone();
        let check = move || Ok::<_, std::io::Error>(files::withdraw(&dir, &hidden)? != Some(today.iso()));
        tokio::task::spawn_blocking(check).await.map_err(AppError::internal)?.map_err(AppError::internal)?
    };
    let is_time = is_due && is_decided;
    if !is_time && !is_wanted {
        return Ok(());
    }
    let (store, site) = (app.store.clone(), app.public_url.clone());
    let write = move || files::create(&store, &dir, &site, now, keep);
    let written = tokio::task::spawn_blocking(write).await.map_err(AppError::internal)?.map_err(AppError::internal)?;
    tracing::info!(events = written.events, players = written.players, "public export written");
    Ok(())
}

/// The exports that can be downloaded, newest first.
pub async fn list(app: &App) -> Result<Vec<PublicExport>, AppError> {
    let hidden = app.store.read(players::hidden_ids).await?;
    let dir = app.settings.exports_dir();
    let read = move || files::list(&dir, &hidden);
    let found = tokio::task::spawn_blocking(read).await.map_err(AppError::internal)?.map_err(AppError::internal)?;
    Ok(found.into_iter().map(|manifest| manifest.export).collect())
}

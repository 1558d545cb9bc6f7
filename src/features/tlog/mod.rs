//! The transparency log: every event, every change of an event and every entry of the ledger is a leaf of a tree that only grows. A job
//! appends leaves and signs checkpoints; anyone can read them and check that nothing was changed afterwards.

mod append;
mod checkpoint;
mod entries;
mod erase;

use crate::app::App;
use crate::error::AppError;

pub use append::LogWriter;
pub use checkpoint::{info, note};
pub use entries::{bundle, entry, list, list_of_event, tile};

/// The job that appends leaves and signs checkpoints.
pub const JOB: &str = "tlog";

/// Maximum number of entries per response: those of a tile.
pub const MAX_ENTRIES: i64 = 256;

/// The name of the log of a site: its address without the scheme.
pub fn origin(public_url: &str) -> String {
    let name = public_url.split_once("://").map_or(public_url, |(_, rest)| rest).trim_end_matches('/');
    if name.is_empty() { "localhost".to_owned() } else { name.to_owned() }
}

/// The public key of the log in the format of signed notes.
pub fn verifier_key(app: &App) -> String {
    format!("{}\n", app.log_key.verifier())
}

/// The stored tiles are not those of the recorded size.
#[derive(Debug, thiserror::Error)]
#[error("the tiles of the transparency log do not match its size, {0}")]
struct DamagedTiles(i64);

fn damaged(size: i64) -> AppError {
    AppError::internal(DamagedTiles(size))
}

//! The status of a reader as seen by other processes: queue counters and the last upload.

use std::fs::File;
use std::path::{Path, PathBuf};

use gamelog::times::EpochMillis;
use serde::{Deserialize, Serialize};

use super::claims::UnclaimedEvents;
use super::error::ReaderError;
use super::note::UnclaimedPlayer;
use super::queue::{self, Queue};
use super::queue_state::QueueState;
use super::upload::{Server, UploadError};

const STATUS_FILE: &str = "status.json";
const RUNNING_FILE: &str = "running.json";

/// The site and logs of a running reader, with its flags applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The site's origin. `None` for a reader that uploads nothing.
    pub server: Option<String>,
    /// The live logs.
    pub logs: Vec<PathBuf>,
}

/// The last upload attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastUpload {
    pub at: EpochMillis,
    /// Why it failed.
    pub error: Option<String>,
}

/// The contents of the status file.
#[derive(Serialize, Deserialize)]
struct StoredStatus {
    last_upload: LastUpload,
    unclaimed: Vec<UnclaimedPlayer>,
}

/// The status of a reader's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    #[serde(flatten)]
    pub queue: QueueState,
    pub last_upload: Option<LastUpload>,
    /// Events that wait until their player is claimed.
    pub unclaimed: Vec<UnclaimedEvents>,
    /// A reader is running in this folder.
    pub is_running: bool,
}

/// Reads the status of a folder. A running reader is not disturbed.
pub fn read_status(folder: &Path) -> Result<Status, ReaderError> {
    let queue = Queue::inspect(folder)?;
    let stored = std::fs::read(folder.join(STATUS_FILE)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let (last_upload, unclaimed) = stored.map(|stored: StoredStatus| (stored.last_upload, stored.unclaimed)).unzip();
    let events = unclaimed.unwrap_or_default().into_iter().map(|player| UnclaimedEvents::new(&player, &queue));
    let unclaimed = events.filter(|events| events.waiting > 0).collect();
    Ok(Status { queue, last_upload, unclaimed, is_running: Queue::is_locked(folder) })
}

/// The folders in which a reader runs, by name, and what each works on.
pub fn running(home: &Path) -> Vec<(PathBuf, Running)> {
    let folders = std::fs::read_dir(home).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut held: Vec<PathBuf> = folders.filter(|folder| Queue::is_locked(folder)).collect();
    held.sort();
    let read = |folder: PathBuf| {
        let text = std::fs::read(folder.join(RUNNING_FILE)).ok()?;
        Some((folder, serde_json::from_slice(&text).ok()?))
    };
    held.into_iter().filter_map(read).collect()
}

/// Stores what a reader works on, for [`running`]. A reader that uploads nothing has no queue, so this takes the lock
/// of the folder and returns it. Best effort; errors are ignored.
pub(super) fn write_running(folder: &Path, server: Option<&Server>, logs: &[PathBuf]) -> Option<File> {
    let lock = match server {
        Some(_) => None,
        None => Some(queue::lock(folder).ok()?),
    };
    let running = Running { server: server.map(|server| server.url.clone()), logs: logs.to_vec() };
    if let Ok(text) = serde_json::to_vec(&running) {
        let _ = std::fs::write(folder.join(RUNNING_FILE), text);
    }
    lock
}

/// Stores the result of an upload, and the players whose claim is missing. Best effort; errors are ignored.
pub(super) fn record_upload(folder: &Path, error: Option<&UploadError>, unclaimed: Vec<UnclaimedPlayer>) {
    let at = EpochMillis(jiff::Timestamp::now().as_millisecond());
    let last_upload = LastUpload { at, error: error.map(ToString::to_string) };
    if let Ok(text) = serde_json::to_vec(&StoredStatus { last_upload, unclaimed }) {
        let _ = std::fs::write(folder.join(STATUS_FILE), text);
    }
}

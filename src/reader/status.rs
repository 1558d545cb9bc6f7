//! The status of a reader as seen by other processes: queue counters and the last upload.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::times::EpochMillis;

use super::error::ReaderError;
use super::queue::{self, Queue, QueueState};
use super::upload::Server;
use super::upload::{BatchResponse, UploadError};

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

/// The status of a reader's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    #[serde(flatten)]
    pub queue: QueueState,
    pub last_upload: Option<LastUpload>,
    /// A reader is running in this folder.
    pub is_running: bool,
}

/// Reads the status of a folder. A running reader is not disturbed.
pub fn read_status(folder: &Path) -> Result<Status, ReaderError> {
    let queue = Queue::inspect(folder)?;
    let last_upload = std::fs::read(folder.join(STATUS_FILE)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    Ok(Status { queue, last_upload, is_running: Queue::is_locked(folder) })
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
        None => {
            std::fs::create_dir_all(folder).ok()?;
            Some(queue::lock(folder).ok()?)
        }
    };
    let running = Running { server: server.map(|server| server.url.clone()), logs: logs.to_vec() };
    if let Ok(text) = serde_json::to_vec(&running) {
        let _ = std::fs::write(folder.join(RUNNING_FILE), text);
    }
    lock
}

/// Stores the result of an upload. Best effort; errors are ignored.
pub(super) fn record_upload(folder: &Path, result: &Result<BatchResponse, UploadError>) {
    let last = LastUpload {
        at: EpochMillis(jiff::Timestamp::now().as_millisecond()),
        error: result.as_ref().err().map(ToString::to_string),
    };
    if let Ok(text) = serde_json::to_vec(&last) {
        let _ = std::fs::write(folder.join(STATUS_FILE), text);
    }
}

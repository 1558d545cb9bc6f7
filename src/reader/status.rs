//! What a reader can say about itself from outside: how much waits, and how the last upload went.

use std::fs::File;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::times::EpochMillis;

use super::queue::{self, Queue, QueueState};
use super::upload::{BatchResponse, UploadError};
use super::{ReaderError, Server};

const STATUS_FILE: &str = "status.json";
const RUNNING_FILE: &str = "running.json";

/// What a running reader works on, whatever its flags were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Running {
    /// The site's origin; `None` for a reader that sends nothing.
    pub server: Option<String>,
    /// The live logs.
    pub logs: Vec<PathBuf>,
}

/// The last try to upload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastUpload {
    pub at: EpochMillis,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

/// The state of a reader's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    #[serde(flatten)]
    pub queue: QueueState,
    pub last_upload: Option<LastUpload>,
    /// A reader is running with this folder.
    pub is_running: bool,
}

/// Looks at a reader's folder; a running reader is not disturbed.
pub fn read_status(folder: &Path) -> Result<Status, ReaderError> {
    let queue = Queue::inspect(folder)?;
    let last_upload = std::fs::read(folder.join(STATUS_FILE)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    Ok(Status { queue, last_upload, is_running: Queue::is_locked(folder) })
}

/// The folders below a home in which a reader runs, by name, each with what it works on.
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

/// Notes what a reader works on, for [`running`]. A reader that sends nothing has no queue to hold: for it, this takes the
/// lock of the folder and gives it. Only for people to look at: nothing depends on it, so failing is no failure.
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

/// Writes down how an upload went. Only for people to look at: nothing depends on it, so failing is no failure.
pub(super) fn record_upload(folder: &Path, result: &Result<BatchResponse, UploadError>) {
    let last = LastUpload {
        at: EpochMillis(jiff::Timestamp::now().as_millisecond()),
        error: result.as_ref().err().map(ToString::to_string),
    };
    if let Ok(text) = serde_json::to_vec(&last) {
        let _ = std::fs::write(folder.join(STATUS_FILE), text);
    }
}

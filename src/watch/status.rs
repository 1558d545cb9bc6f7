//! What a reader can say about itself from outside: how much waits, and how the last upload went.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::domain::times::EpochMillis;

use super::WatchError;
use super::queue::{Queue, QueueState};
use super::upload::{Answer, UploadError};

const STATUS_FILE: &str = "status.json";

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
pub fn status(folder: &Path) -> Result<Status, WatchError> {
    let queue = Queue::look(folder)?;
    let last_upload = std::fs::read(folder.join(STATUS_FILE)).ok().and_then(|text| serde_json::from_slice(&text).ok());
    Ok(Status { queue, last_upload, is_running: Queue::is_held(folder) })
}

/// Writes down how an upload went. Only for people to look at: nothing depends on it, so failing is no failure.
pub(super) fn note_upload(folder: &Path, result: &Result<Answer, UploadError>) {
    let last = LastUpload {
        at: EpochMillis(jiff::Timestamp::now().as_millisecond()),
        error: result.as_ref().err().map(ToString::to_string),
    };
    if let Ok(text) = serde_json::to_vec(&last) {
        let _ = std::fs::write(folder.join(STATUS_FILE), text);
    }
}

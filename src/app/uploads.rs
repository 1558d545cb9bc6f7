//! Uploaded pictures: where they are stored, and limits of uploads in progress.

use tokio::sync::Semaphore;

use crate::domain::user_locks::UserLocks;
use crate::files::{Files, PictureProcessor};

/// How many uploads are received at the same time. Each takes up to 15 MB of memory.
const MAX_UPLOADS: usize = 4;

/// The storage of uploaded pictures, and the uploads in progress.
pub struct Uploads {
    files: Files,
    pictures: PictureProcessor,
    slots: Semaphore,
    in_progress: UserLocks,
}

impl Uploads {
    pub fn new(files: Files, pictures: PictureProcessor) -> Self {
        Self { files, pictures, slots: Semaphore::new(MAX_UPLOADS), in_progress: UserLocks::default() }
    }

    /// The stored files.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// Validates and encodes pictures.
    pub fn pictures(&self) -> &PictureProcessor {
        &self.pictures
    }

    /// A permit is held while the bytes of an upload are in memory.
    pub fn slots(&self) -> &Semaphore {
        &self.slots
    }

    /// Each user has one upload in progress at most.
    pub fn in_progress(&self) -> &UserLocks {
        &self.in_progress
    }
}

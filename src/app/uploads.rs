//! Uploaded pictures: where they are stored, and limits of uploads in progress.

use tokio::sync::Semaphore;

use crate::domain::user_locks::UserLocks;
use crate::files::{Files, PictureProcessor};

/// How many uploads are received at the same time. Each takes up to 15 MB of memory.
const MAX_UPLOADS: usize = 4;

/// The storage of uploaded pictures, and the uploads in progress.
pub struct Uploads {
    pub files: Files,
    /// Validates and encodes pictures.
    pub pictures: PictureProcessor,
    /// A permit is held while the bytes of an upload are in memory.
    pub slots: Semaphore,
    /// Each user has one upload in progress at most.
    pub in_progress: UserLocks,
}

impl Uploads {
    pub fn new(files: Files, pictures: PictureProcessor) -> Self {
        Self { files, pictures, slots: Semaphore::new(MAX_UPLOADS), in_progress: UserLocks::default() }
    }
}

//! Uploaded files on disk or in a bucket, under unguessable names, and re-encoding of uploaded pictures.
//! Called by `features`, which knows their owners and which settings reference them.
//! Never here: accounts, HTTP, SQL, or storing an uploaded byte unchanged.

pub mod names;
pub mod pictures;
mod storage;

pub use names::{FileName, PictureKind};
pub use pictures::{Fit, Picture, PictureError, PictureProcessor};
pub use storage::{Files, FilesError, StoredFile};

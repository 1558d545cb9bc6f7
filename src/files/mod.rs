//! Uploaded bytes, on disk or in a bucket, under names that nobody can guess; and the pictures among them made anew.
//! Called by `features`, which knows whose they are and which settings name them.
//! Never here: accounts, HTTP, SQL, or a byte of a stranger's file written out as it came in.

pub mod names;
pub mod pictures;
mod storage;

pub use names::{FileName, PictureKind};
pub use pictures::{Crop, Fit, Picture, PictureError, PictureOptions, PictureProcessor};
pub use storage::{Files, FilesError, StoredFile};

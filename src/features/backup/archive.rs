//! The form of a backup: a tar packed with zstd. The first entry says what it is, the last one what all others must be.

use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub const HEADER_ENTRY: &str = "apogee-backup.json";
pub const MANIFEST_ENTRY: &str = "manifest.json";
pub const DATABASE_ENTRY: &str = "apogee.db";
pub const EXPORT_ENTRY: &str = "everything.ndjson";
pub const UPLOADS_PREFIX: &str = "uploads/";
/// Small files of the data directory: settings, the signing secret, replaced pages.
pub const DATA_PREFIX: &str = "data/";
/// The form that this program writes, and the newest that it reads.
pub const FORMAT_VERSION: u32 = 1;

/// What the archive is, read before anything else of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Header {
    pub format: u32,
    /// Of the program that wrote it.
    pub version: String,
    /// The newest migration of its database.
    pub schema: String,
}

/// What the archive holds; written last, so that an archive with one is whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    pub version: String,
    pub schema: String,
    /// Epoch seconds.
    pub made_at: i64,
    pub players: i64,
    pub guilds: i64,
    pub events: i64,
    pub users: i64,
    pub files: Vec<ArchiveEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveEntry {
    pub path: String,
    pub bytes: u64,
    pub sha256: String,
}

/// Hashes what is read through it.
pub struct HashingReader<R> {
    inner: R,
    hash: Sha256,
    bytes: u64,
}

impl<R: Read> HashingReader<R> {
    pub fn new(inner: R) -> Self {
        Self { inner, hash: Sha256::new(), bytes: 0 }
    }

    pub fn entry(self, path: String) -> ArchiveEntry {
        let sha256 = self.hash.finalize().iter().map(|b| format!("{b:02x}")).collect();
        ArchiveEntry { path, bytes: self.bytes, sha256 }
    }
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.hash.update(&buf[..n]);
        self.bytes += n as u64;
        Ok(n)
    }
}

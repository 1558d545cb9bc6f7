//! The format of a backup: a tar compressed with zstd. The first entry is the header, the last one the manifest.

use std::io::{self, Read};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::domain::hex;

pub const HEADER_ENTRY: &str = "apogee-backup.json";
pub const MANIFEST_ENTRY: &str = "manifest.json";
pub const DATABASE_ENTRY: &str = "apogee.db";
pub const EXPORT_ENTRY: &str = "everything.ndjson";
pub const UPLOADS_PREFIX: &str = "uploads/";
/// Small files of the data directory: settings, signing secret, customized pages.
pub const DATA_PREFIX: &str = "data/";
/// The version of the format.
pub const FORMAT_VERSION: u32 = 1;

/// Identifies the archive; read first.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Header {
    pub format: u32,
    /// Version of the program that wrote it.
    pub version: String,
    /// Newest migration of its database.
    pub schema: String,
}

/// Lists the contents; written last, so that an archive with a manifest is complete.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    pub version: String,
    pub schema: String,
    /// Epoch seconds.
    pub created_at: i64,
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

/// Hashes the bytes that are read through it.
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
        let sha256 = hex::encode(self.hash.finalize());
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

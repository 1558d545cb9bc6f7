//! Where uploads lie: a folder, or a bucket.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};

use super::names::{FileName, PictureKind};
use crate::domain::times::EpochMillis;

/// Why a file was not written, read or removed.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    #[error("'{0}' names no place for uploads: it is file:FOLDER or s3://BUCKET/PREFIX")]
    BadUrl(String),
    #[error("the uploads folder {folder} cannot be used: {source}")]
    Folder { folder: String, source: std::io::Error },
    #[error("the disk of the uploads is full")]
    Full,
    #[error("the uploads cannot be reached")]
    Store(#[source] object_store::Error),
}

impl From<object_store::Error> for FilesError {
    /// A full disk is told apart: it passes once there is room, and everybody is told the same of it.
    fn from(error: object_store::Error) -> Self {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
        while let Some(reason) = cause {
            let is_full = |e: &std::io::Error| e.kind() == std::io::ErrorKind::StorageFull;
            if reason.downcast_ref().is_some_and(is_full) {
                return Self::Full;
            }
            cause = reason.source();
        }
        Self::Store(error)
    }
}

/// One file as a sweep sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    pub name: FileName,
    pub modified_at: EpochMillis,
    pub size_bytes: u64,
}

/// The place for uploads; clones share it.
#[derive(Debug, Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
}

impl Files {
    /// Opens `file:FOLDER` (made when missing) or `s3://BUCKET/PREFIX` (with the usual `AWS_…` variables).
    pub fn open(url: &str) -> Result<Self, FilesError> {
        let bad = || FilesError::BadUrl(url.to_owned());
        if let Some(path) = url.strip_prefix("file:") {
            // `file:./data/uploads` is a path, not an address; `file:///srv/x` has an empty host.
            let folder = PathBuf::from(path.strip_prefix("//").unwrap_or(path));
            if folder.as_os_str().is_empty() {
                return Err(bad());
            }
            std::fs::create_dir_all(&folder)
                .map_err(|source| FilesError::Folder { folder: folder.display().to_string(), source })?;
            // A saved picture is named by a row in the database: it must survive what the row survives.
            let store = LocalFileSystem::new_with_prefix(&folder)?.with_fsync(true);
            return Ok(Self { store: Arc::new(store), prefix: Path::default() });
        }
        let (bucket, prefix) = match url.strip_prefix("s3://").ok_or_else(bad)?.split_once('/') {
            Some((bucket, prefix)) => (bucket, prefix),
            None => (url.trim_start_matches("s3://"), ""),
        };
        if bucket.is_empty() {
            return Err(bad());
        }
        crate::net::install_tls_provider();
        Self::in_bucket(AmazonS3Builder::from_env().with_bucket_name(bucket), prefix)
    }

    fn in_bucket(builder: AmazonS3Builder, prefix: &str) -> Result<Self, FilesError> {
        let prefix = Path::parse(prefix.trim_matches('/')).map_err(object_store::Error::from)?;
        Ok(Self { store: Arc::new(builder.build()?), prefix })
    }

    /// Writes a new file under a random name; it is whole and on disk when this returns, or not there at all.
    pub async fn put(&self, bytes: Bytes, kind: PictureKind) -> Result<FileName, FilesError> {
        let name = FileName::random(kind);
        self.store.put(&self.path(&name), PutPayload::from_bytes(bytes)).await?;
        Ok(name)
    }

    /// Writes a file under a name it had elsewhere.
    pub async fn put_named(&self, name: &FileName, bytes: Bytes) -> Result<(), FilesError> {
        self.store.put(&self.path(name), PutPayload::from_bytes(bytes)).await?;
        Ok(())
    }

    /// Reads a file; `None` when there is none of that name.
    pub async fn get(&self, name: &FileName) -> Result<Option<Bytes>, FilesError> {
        match self.store.get(&self.path(name)).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a file; one that is not there is removed already.
    pub async fn delete(&self, name: &FileName) -> Result<(), FilesError> {
        match self.store.delete(&self.path(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// All files of ours, in no order; whatever else lies there is left alone and left out.
    pub async fn list(&self) -> Result<Vec<StoredFile>, FilesError> {
        let prefix = (!self.prefix.as_ref().is_empty()).then_some(&self.prefix);
        let found = self.store.list(prefix).try_filter_map(|object| async move {
            Ok(object.location.filename().and_then(FileName::parse).map(|name| StoredFile {
                name,
                modified_at: EpochMillis(object.last_modified.timestamp_millis()),
                size_bytes: object.size,
            }))
        });
        Ok(found.try_collect().await?)
    }

    fn path(&self, name: &FileName) -> Path {
        self.prefix.clone().join(name.as_str())
    }
}

#[cfg(test)]
mod tests;

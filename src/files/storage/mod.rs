//! Storage of uploads: a directory or a bucket.

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

/// Why a file could not be written, read or removed.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    #[error("invalid uploads URL '{0}': expected file:DIR or s3://BUCKET/PREFIX")]
    BadUrl(String),
    #[error("cannot use the uploads directory {folder}: {source}")]
    Folder { folder: String, source: std::io::Error },
    #[error("the disk of the uploads is full")]
    Full,
    #[error("the upload storage is unavailable")]
    Store(#[source] object_store::Error),
}

impl From<object_store::Error> for FilesError {
    /// A full disk is a separate error, because it is temporary and has its own message.
    fn from(error: object_store::Error) -> Self {
        let first: &(dyn std::error::Error + 'static) = &error;
        let is_full = std::iter::successors(Some(first), |&cause| cause.source())
            .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
            .any(|error| error.kind() == std::io::ErrorKind::StorageFull);
        if is_full { Self::Full } else { Self::Store(error) }
    }
}

/// A listed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    pub name: FileName,
    pub modified_at: EpochMillis,
    pub size_bytes: u64,
}

/// The storage of uploads. Clones share it.
#[derive(Debug, Clone)]
pub struct Files {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
}

impl Files {
    /// Opens `file:DIR`, which is created if missing, or `s3://BUCKET/PREFIX` with the usual `AWS_…` variables.
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
            // The database references stored pictures, so they must be as durable as its rows.
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
        net::install_tls_provider();
        Self::in_bucket(AmazonS3Builder::from_env().with_bucket_name(bucket), prefix)
    }

    fn in_bucket(builder: AmazonS3Builder, prefix: &str) -> Result<Self, FilesError> {
        let prefix = Path::parse(prefix.trim_matches('/')).map_err(object_store::Error::from)?;
        Ok(Self { store: Arc::new(builder.build()?), prefix })
    }

    /// Writes a file under a random name. When this returns, the file is complete and synced; on an error it does not exist.
    pub async fn put(&self, bytes: Bytes, kind: PictureKind) -> Result<FileName, FilesError> {
        let name = FileName::random(kind);
        self.store.put(&self.path(&name), PutPayload::from_bytes(bytes)).await?;
        Ok(name)
    }

    /// Writes a file under an existing name, for a restore.
    pub async fn put_named(&self, name: &FileName, bytes: Bytes) -> Result<(), FilesError> {
        self.store.put(&self.path(name), PutPayload::from_bytes(bytes)).await?;
        Ok(())
    }

    /// Reads a file; `None` if it does not exist.
    pub async fn get(&self, name: &FileName) -> Result<Option<Bytes>, FilesError> {
        match self.store.get(&self.path(name)).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a file. A missing file is not an error.
    pub async fn delete(&self, name: &FileName) -> Result<(), FilesError> {
        match self.store.delete(&self.path(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Lists the uploads, unordered. Other files are ignored.
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

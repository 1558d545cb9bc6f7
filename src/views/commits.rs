//! Commits of the source repositories.

use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use crate::domain::hex;
use crate::store::commits::CommitRow as Stored;

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CommitRow {
    pub id: String,
    pub author_name: Option<String>,
    pub author_username: Option<String>,
    /// A path on this site, so visitors do not connect to the site that hosts the image.
    pub author_avatar_url: Option<String>,
    /// Epoch seconds.
    pub timestamp: i64,
    pub message: String,
    pub branch: String,
    pub repository: String,
}

impl From<Stored> for CommitRow {
    fn from(c: Stored) -> Self {
        Self {
            id: c.id,
            author_name: c.author_name,
            author_username: c.author_username,
            author_avatar_url: c.author_avatar_url.as_deref().map(|url| format!("/avatars/{}", picture_key(url))),
            timestamp: c.committed_at,
            message: c.message,
            branch: c.branch,
            repository: c.repository,
        }
    }
}

/// Returns the key under which this site serves an external image: 32 hexadecimal digits.
pub fn picture_key(url: &str) -> String {
    hex::encode(&Sha256::digest(url.as_bytes())[..16])
}

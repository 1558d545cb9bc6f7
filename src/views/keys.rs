//! Ingest keys.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::store::keys::KeyRow;
use crate::views::secs;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct IngestKey {
    pub id: String,
    pub name: String,
    /// Epoch seconds.
    pub created_at: i64,
    pub last_used_at: Option<i64>,
    pub revoked_at: Option<i64>,
    /// Since when the key waits for confirmation after a restore, during which it cannot upload. Null for a confirmed key.
    pub review_since: Option<i64>,
}

impl From<KeyRow> for IngestKey {
    fn from(key: KeyRow) -> Self {
        Self {
            id: key.id.to_string(),
            name: key.name,
            created_at: secs(key.created_at),
            last_used_at: key.last_used_at.map(secs),
            revoked_at: key.revoked_at.map(secs),
            review_since: key.review_since.map(secs),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct KeyList {
    pub keys: Vec<IngestKey>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct NewKey {
    /// 1 to 60 characters.
    pub name: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct CreatedKey {
    pub key: IngestKey,
    /// The secret, which is not stored and shown only once.
    pub secret: String,
}

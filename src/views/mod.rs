//! JSON request and response types, one file per resource. The OpenAPI document and the TypeScript types derive from them.
//! `features` builds views; `routes` and `bot` return them. A row of `store` that is sent as it is has its JSON shape there.

pub mod account;
pub mod activity;
pub mod admin;
pub mod cards;
pub mod career;
pub mod chat;
pub mod claims;
pub mod commits;
pub mod config;
pub mod contracts;
pub mod guilds;
pub mod ingest;
pub mod keys;
pub mod moderation;
pub mod patch;
pub mod players;
pub mod reader;
pub mod search;
pub mod sessions;
pub mod settings;
pub mod stickers;
pub mod uploads;

use serde::Serialize;
use utoipa::ToSchema;

/// Pagination by page number.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PagePagination {
    pub page: i64,
    pub limit: i64,
    pub total: i64,
    #[serde(rename = "hasNextPage")]
    pub has_next_page: bool,
}

/// Pagination by offset.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OffsetPagination {
    pub limit: i64,
    pub offset: i64,
    pub total: i64,
    #[serde(rename = "hasNextPage")]
    pub has_next_page: bool,
}

impl OffsetPagination {
    pub fn new(limit: i64, offset: i64, total: i64) -> Self {
        Self { limit, offset, total, has_next_page: offset + limit < total }
    }
}

/// Converts epoch milliseconds to epoch seconds.
pub fn secs(ms: i64) -> i64 {
    ms.div_euclid(1_000)
}

/// Converts epoch milliseconds to epoch seconds; 0 is "never".
pub fn secs_or_none(ms: i64) -> Option<i64> {
    (ms > 0).then(|| secs(ms))
}

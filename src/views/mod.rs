//! The JSON that goes in and out, one file per noun; OpenAPI and the page's types come from here.
//! `features` build views, `routes` and `bot` hand them on.
//! Never here: database access or rules; a view only says how a thing is told.

pub mod account;
pub mod activity;
pub mod admin;
pub mod cards;
pub mod chat;
pub mod claims;
pub mod commits;
pub mod config;
pub mod guilds;
pub mod i18n;
pub mod ingest;
pub mod keys;
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

/// Where a list that is asked for in pages stands.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct PagePagination {
    pub page: i64,
    pub limit: i64,
    pub total: i64,
    #[serde(rename = "hasNextPage")]
    pub has_next_page: bool,
}

/// Where a list that is asked for from an offset stands.
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

/// Epoch milliseconds as the epoch seconds of the wire; 0 is "never".
pub fn secs_or_none(ms: i64) -> Option<i64> {
    (ms > 0).then(|| ms.div_euclid(1000))
}

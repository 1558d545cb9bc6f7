//! Embedding of player and guild links in other sites (oEmbed).

use serde::Serialize;
use utoipa::ToSchema;

/// An oEmbed 1.0 link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Embed {
    pub version: &'static str,
    pub r#type: &'static str,
    pub title: String,
    pub provider_name: String,
    pub provider_url: String,
    /// Seconds.
    pub cache_age: i64,
    /// Absent if the image exceeds the requested size, like its width and height.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail_width: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail_height: Option<i64>,
}

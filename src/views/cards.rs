//! How another site may show a link of ours.

use serde::Serialize;
use utoipa::ToSchema;

/// A link in the form of oEmbed 1.0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Embed {
    pub version: &'static str,
    pub r#type: &'static str,
    pub title: String,
    pub provider_name: String,
    pub provider_url: String,
    /// Seconds.
    pub cache_age: i64,
    /// Absent when it is larger than was asked for, as its size is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail_width: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail_height: Option<i64>,
}

//! Texts and links of the site that its operator may change.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Texts and links. Links and the contact have no default; an empty one is not shown anywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SiteTexts {
    pub name: String,
    pub game: String,
    pub community_url: String,
    pub support_url: String,
    pub kanban_url: String,
    pub bot_invite_url: String,
    pub installer_url: String,
    pub source_url: String,
    pub support_contact: String,
    pub effective_date: String,
    pub bot_servers: String,
    pub bot_users: String,
    pub trademark: String,
    /// The home page shows one of them.
    pub slogans: Vec<String>,
}

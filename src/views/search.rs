//! Results of a search.

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchType {
    Player,
    Guild,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct SearchResult {
    pub r#type: SearchType,
    /// Handle of a player.
    pub handle: Option<String>,
    pub player_name: Option<String>,
    pub org_short: Option<String>,
    /// Guilds of the player, each once.
    pub orgs: Vec<String>,
    /// Tag of a guild.
    pub short: Option<String>,
    /// Guild name, or the player's display name.
    pub name: Option<String>,
    pub member_count: Option<i64>,
    /// The former handle, if the search matched it.
    pub former_handle: Option<String>,
}

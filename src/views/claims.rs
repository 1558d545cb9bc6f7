//! Claims of players and guilds.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A code that waits to be found on the game's site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimStarted {
    /// Handle or tag, in the site's spelling.
    pub handle: String,
    pub verification_code: String,
    /// What has to stand in the bio, word for word.
    pub expected_tag: String,
    /// Always true: the code dies with success.
    pub one_time_use: bool,
}

impl ClaimStarted {
    pub fn new(handle: String, code: String) -> Self {
        Self { handle, expected_tag: code.clone(), verification_code: code, one_time_use: true }
    }
}

/// The player that is now the user's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ClaimedPlayer {
    pub handle: String,
    pub org_short: Option<String>,
}

/// Which player; who asks is told by the token alone.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct PlayerClaim {
    #[serde(default)]
    pub handle: String,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct GuildClaim {
    #[serde(default, rename = "guildShort")]
    pub guild_short: String,
}

/// Whose player; an admin or another user may not give away what is somebody else's.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct Unlink {
    #[serde(default, rename = "discordId")]
    pub discord_id: Option<String>,
}

//! Claims of players and guilds.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A started claim: its code has to be saved on the game's site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClaimStarted {
    /// Handle or tag, as spelled on the game's site.
    pub handle: String,
    pub verification_code: String,
    /// The exact text that the bio has to contain.
    pub expected_tag: String,
    /// Always true: the code expires with success.
    pub one_time_use: bool,
}

impl ClaimStarted {
    pub fn new(handle: String, code: String) -> Self {
        Self { handle, expected_tag: code.clone(), verification_code: code, one_time_use: true }
    }
}

/// The claimed player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ClaimedPlayer {
    pub handle: String,
    pub org_short: Option<String>,
}

/// The player to claim. The token identifies the user.
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

/// The owner of the player, which has to be the user of the token.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct Unlink {
    #[serde(default, rename = "discordId")]
    pub discord_id: Option<String>,
}

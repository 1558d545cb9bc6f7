//! Users and sessions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::store::sessions::SessionRow;
use crate::views::secs;

/// The signed-in user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct UserView {
    pub discord_id: String,
    pub discord_username: String,
    pub discord_global_name: Option<String>,
    /// Path of the avatar on this site; null without one.
    pub discord_avatar: Option<String>,
    pub discord_email: Option<String>,
    pub discord_discriminator: Option<String>,
    /// The claimed player; null without one.
    pub handle: Option<String>,
    /// Tag of the claimed player's guild.
    pub org_short: Option<String>,
    pub link_provider: &'static str,
    pub is_active: bool,
    /// Epoch seconds of the first sign-in.
    pub linked_at: i64,
    /// Tag of the guild that this user may edit.
    pub guild_ownership: Option<String>,
    pub is_admin: bool,
}

/// A signed-in browser of the user. Times are epoch seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SessionView {
    pub id: String,
    /// Browser and system, such as `Firefox on Windows`; null if unknown.
    pub device: Option<String>,
    pub created_at: i64,
    pub last_seen_at: i64,
    /// Whether this is the session of the request.
    pub is_current: bool,
}

impl SessionView {
    pub fn new(session: SessionRow, current: &str) -> Self {
        Self {
            is_current: session.id == current,
            id: session.id,
            device: Some(session.device).filter(|device| !device.is_empty()),
            created_at: secs(session.created_at),
            last_seen_at: secs(session.last_seen_at.max(session.refreshed_at)),
        }
    }
}

/// The open sessions of the user, last seen first.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionList {
    pub sessions: Vec<SessionView>,
}

/// Number of sessions that were ended.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionsEnded {
    pub ended: usize,
}

/// An empty success response.
#[derive(Debug, Serialize, ToSchema)]
pub struct Done {}

/// The request of the page after the redirect from Discord.
#[derive(Debug, Deserialize, ToSchema)]
pub struct Callback {
    pub code: String,
    pub redirect_uri: String,
    /// The PKCE verifier, passed to Discord.
    pub code_verifier: Option<String>,
}

/// Details of a sign-in, as the page reports them. Only the token counts.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct DiscordLogin {
    #[serde(default, rename = "discordUser")]
    pub discord_user: Option<ReportedUser>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct ReportedUser {
    pub discord_id: Option<String>,
    /// The same id, under Discord's field name.
    pub id: Option<String>,
}

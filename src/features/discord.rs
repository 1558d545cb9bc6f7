//! Calls of the bot to Discord: registering commands, completing deferred responses, counting servers.

use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::app::{App, DiscordApp};
use crate::config::{Settings, SiteTexts};
use crate::error::AppError;
use crate::upstream::discord::{DiscordError, bot_invite};

/// Completes a deferred response.
pub async fn complete_deferred_response(
    discord: &DiscordApp,
    interaction_token: &str,
    message: &Value,
) -> Result<(), AppError> {
    let Some(bot) = &discord.bot else { return Ok(()) };
    // The token is valid for 15 minutes, which leaves time for retries.
    for _ in 0..MAX_ATTEMPTS {
        match bot.edit_deferred_response(interaction_token, message).await {
            Ok(()) => return Ok(()),
            Err(error) => match error.retry_after() {
                Some(wait) if wait < MAX_RETRY_WAIT => tokio::time::sleep(wait).await,
                _ => return Err(upstream(error)),
            },
        }
    }
    Err(AppError::Upstream("Discord rejected a deferred response.".into()))
}

const MAX_ATTEMPTS: usize = 5;
const MAX_RETRY_WAIT: std::time::Duration = std::time::Duration::from_secs(60);

/// The site's texts and links. The server count comes from Discord once known; a missing invite link is built from the client id.
pub fn site_texts(app: &App) -> SiteTexts {
    let mut site = app.settings.site.clone();
    let discord = &app.settings.discord;
    if let (true, Some(client_id)) = (site.bot_invite_url.is_empty(), &discord.client_id) {
        site.bot_invite_url = bot_invite(&discord.authorize_url, client_id).unwrap_or_default();
    }
    let count = app.discord.server_count.load(Ordering::Relaxed);
    if count > 0 {
        site.bot_servers = count.to_string();
    }
    site
}

/// Requests the number of the bot's servers from Discord for the site to show.
pub async fn count_servers(discord: &DiscordApp) -> Result<(), AppError> {
    let Some(bot) = &discord.bot else { return Ok(()) };
    let count = bot.server_count().await.map_err(upstream)?;
    if let Some(count) = count.and_then(|count| i64::try_from(count).ok()) {
        discord.server_count.store(count, Ordering::Relaxed);
    }
    Ok(())
}

/// Registers the slash commands. Returns how many Discord registered.
pub async fn register(settings: &Settings, commands: &Value) -> Result<usize, AppError> {
    let missing = "Set APOGEE_DISCORD_CLIENT_ID and APOGEE_DISCORD_BOT_TOKEN first.";
    let bot = DiscordApp::new(settings).map_err(upstream)?.bot.filter(|_| settings.discord.bot_token.is_some());
    let bot = bot.ok_or_else(|| AppError::Validation(missing.into()))?;
    bot.register_commands(commands).await.map_err(upstream)
}

fn upstream(error: DiscordError) -> AppError {
    AppError::Upstream(error.to_string())
}

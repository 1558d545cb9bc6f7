//! Calls of the bot to Discord: registering commands, completing deferred responses, counting servers.

use serde_json::Value;

use crate::app::{App, DiscordApp};
use crate::config::{Settings, SiteTexts};
use crate::error::AppError;
use crate::upstream::discord::{Discord, DiscordSettings, bot_invite};

/// Completes a deferred response.
pub async fn complete_deferred_response(
    discord: &DiscordApp,
    interaction_token: &str,
    message: &Value,
) -> Result<(), AppError> {
    let Some(bot) = discord.bot() else { return Ok(()) };
    // The token is valid for 15 minutes, which leaves time for retries.
    for _ in 0..MAX_ATTEMPTS {
        match bot.edit_deferred_response(interaction_token, message).await {
            Ok(()) => return Ok(()),
            Err(error) => match error.retry_after() {
                Some(wait) if wait < MAX_RETRY_WAIT => tokio::time::sleep(wait).await,
                _ => return Err(AppError::Upstream(error.to_string())),
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
    let count = app.discord.server_count();
    if count > 0 {
        site.bot_servers = count.to_string();
    }
    site
}

/// Requests the number of the bot's servers from Discord for the site to show.
pub async fn count_servers(discord: &DiscordApp) -> Result<(), AppError> {
    let Some(bot) = discord.bot() else { return Ok(()) };
    let count = bot.server_count().await.map_err(|error| AppError::Upstream(error.to_string()))?;
    if let Some(count) = count.and_then(|count| i64::try_from(count).ok()) {
        discord.set_server_count(count);
    }
    Ok(())
}

fn client_from_settings(settings: &Settings) -> Result<Option<Discord>, AppError> {
    let discord = &settings.discord;
    let (Some(client_id), Some(token)) = (&discord.client_id, &discord.bot_token) else { return Ok(None) };
    let settings = DiscordSettings {
        api_url: discord.api_url.clone(),
        client_id: client_id.clone(),
        client_secret: discord.client_secret.as_ref().map(|s| s.reveal().to_owned()).unwrap_or_default(),
        bot_token: Some(token.reveal().to_owned()),
    };
    Discord::new(settings).map(Some).map_err(|error| AppError::Upstream(error.to_string()))
}

/// Registers the slash commands. Returns how many Discord registered.
pub async fn register(settings: &Settings, commands: &Value) -> Result<usize, AppError> {
    let missing = "Set APOGEE_DISCORD_CLIENT_ID and APOGEE_DISCORD_BOT_TOKEN first.";
    let discord = client_from_settings(settings)?.ok_or_else(|| AppError::Validation(missing.into()))?;
    discord.register_commands(commands).await.map_err(|error| AppError::Upstream(error.to_string()))
}

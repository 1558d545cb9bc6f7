//! The bot's own calls: registering its commands, answering late, asking how many servers it is on.

use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::app::App;
use crate::config::{Settings, SiteTexts};
use crate::error::AppError;
use crate::features::commits::USER_AGENT;
use crate::upstream::discord::{Discord, DiscordSettings, bot_invite};

/// Fills in an answer that took too long to be given at once.
pub async fn answer_late(app: &App, interaction_token: &str, message: &Value) -> Result<(), AppError> {
    let Some(bot) = &app.bot else { return Ok(()) };
    // What Discord cannot take now it may take a moment later; its token lives for a quarter of an hour.
    for _ in 0..LATE_TRIES {
        match bot.edit_deferred_response(interaction_token, message).await {
            Ok(()) => return Ok(()),
            Err(error) => match error.retry_after() {
                Some(wait) if wait < LATE_WAIT => tokio::time::sleep(wait).await,
                _ => return Err(AppError::Upstream(error.to_string())),
            },
        }
    }
    Err(AppError::Upstream("Discord did not take a late answer.".into()))
}

const LATE_TRIES: usize = 5;
const LATE_WAIT: std::time::Duration = std::time::Duration::from_secs(60);

/// The site's texts and links. The server count is Discord's once it is known; an invite that is not set is made of the client id.
pub fn site_texts(app: &App) -> SiteTexts {
    let mut site = app.settings.site.clone();
    let discord = &app.settings.discord;
    if let (true, Some(client_id)) = (site.bot_invite_url.is_empty(), &discord.client_id) {
        site.bot_invite_url = bot_invite(&discord.authorize_url, client_id).unwrap_or_default();
    }
    let count = app.bot_servers.load(Ordering::Relaxed);
    if count > 0 {
        site.bot_servers = count.to_string();
    }
    site
}

/// Asks Discord on how many servers the bot is; the site shows that number from then on.
pub async fn count_servers(app: &App) -> Result<(), AppError> {
    let Some(bot) = &app.bot else { return Ok(()) };
    let count = bot.server_count().await.map_err(|error| AppError::Upstream(error.to_string()))?;
    if let Some(count) = count.and_then(|count| i64::try_from(count).ok()) {
        app.bot_servers.store(count, Ordering::Relaxed);
    }
    Ok(())
}

fn of_settings(settings: &Settings) -> Result<Option<Discord>, AppError> {
    let discord = &settings.discord;
    let (Some(client_id), Some(token)) = (&discord.client_id, &discord.bot_token) else { return Ok(None) };
    let settings = DiscordSettings {
        api_url: discord.api_url.clone(),
        user_agent: USER_AGENT.into(),
        client_id: client_id.clone(),
        client_secret: discord.client_secret.as_ref().map(|s| s.reveal().to_owned()).unwrap_or_default(),
        bot_token: Some(token.reveal().to_owned()),
    };
    Discord::new(settings).map(Some).map_err(|error| AppError::Upstream(error.to_string()))
}

/// Registers the slash commands; gives how many Discord took.
pub async fn register(settings: &Settings, commands: &Value) -> Result<usize, AppError> {
    let missing = "Set APOGEE_DISCORD_CLIENT_ID and APOGEE_DISCORD_BOT_TOKEN first.";
    let discord = of_settings(settings)?.ok_or_else(|| AppError::Validation(missing.into()))?;
    discord.register_commands(commands).await.map_err(|error| AppError::Upstream(error.to_string()))
}

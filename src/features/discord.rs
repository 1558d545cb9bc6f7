//! The bot's own connection to Discord.

use serde_json::Value;

use crate::app::App;
use crate::config::Settings;
use crate::error::AppError;
use crate::features::commits::USER_AGENT;
use crate::upstream::discord::{Discord, DiscordSettings};

/// The caller that posts as the bot; `None` while no token is set.
pub fn bot(app: &App) -> Result<Option<Discord>, AppError> {
    of_settings(&app.settings)
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

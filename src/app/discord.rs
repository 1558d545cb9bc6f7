//! The Discord application of the site: sign-in, bot, and the signatures of incoming calls.

use std::sync::atomic::AtomicI64;

use crate::config::{Secret, Settings};
use crate::upstream::discord::{Discord, DiscordError, DiscordSettings};
use crate::upstream::signature::ReplayGuard;

/// The clients for Discord, as far as they are configured.
pub struct DiscordApp {
    /// The client for sign-in; `None` if it is not configured.
    pub sign_in: Option<Discord>,
    /// The client of the bot; `None` without an application id.
    pub bot: Option<Discord>,
    /// Rejects calls of Discord that were received before.
    pub replay_guard: ReplayGuard,
    /// The number of servers that the bot is on; 0 until it is known.
    pub server_count: AtomicI64,
}

impl DiscordApp {
    pub fn new(settings: &Settings) -> Result<Self, DiscordError> {
        let discord = &settings.discord;
        let reveal = |secret: &Option<Secret>| secret.as_ref().map(|secret| secret.reveal().to_owned());
        let client = |client_id: &String| {
            Discord::new(DiscordSettings {
                api_url: discord.api_url.clone(),
                client_id: client_id.clone(),
                client_secret: reveal(&discord.client_secret).unwrap_or_default(),
                bot_token: reveal(&discord.bot_token),
            })
        };
        // Slash commands and feeds need no sign-in.
        let bot = discord.client_id.as_ref().map(client).transpose()?;
        // Clones share the state of Discord's limits.
        let sign_in = bot.clone().filter(|_| discord.client_secret.is_some());
        Ok(Self { sign_in, bot, replay_guard: ReplayGuard::default(), server_count: AtomicI64::new(0) })
    }
}

//! The Discord application of the site: sign-in, bot, and the signatures of incoming calls.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::config::Settings;
use crate::upstream::discord::{Discord, DiscordError, DiscordSettings};
use crate::upstream::signature::ReplayGuard;

/// The clients for Discord, as far as they are configured.
pub struct DiscordApp {
    sign_in: Option<Discord>,
    bot: Option<Discord>,
    replay_guard: ReplayGuard,
    /// 0 until it is known.
    server_count: AtomicI64,
}

impl DiscordApp {
    pub fn new(settings: &Settings) -> Result<Self, DiscordError> {
        let discord = &settings.discord;
        let client = |client_id: &str, client_secret: &str| {
            Discord::new(DiscordSettings {
                api_url: discord.api_url.clone(),
                client_id: client_id.into(),
                client_secret: client_secret.into(),
                bot_token: discord.bot_token.as_ref().map(|token| token.reveal().to_owned()),
            })
        };
        let sign_in = match (&discord.client_id, &discord.client_secret) {
            (Some(id), Some(secret)) => Some(client(id, secret.reveal())?),
            _ => None,
        };
        let bot = match (&sign_in, &discord.client_id) {
            // Clones share the state of Discord's limits.
            (Some(sign_in), _) => Some(sign_in.clone()),
            // Slash commands and feeds need no sign-in.
            (None, Some(id)) => Some(client(id, "")?),
            (None, None) => None,
        };
        Ok(Self { sign_in, bot, replay_guard: ReplayGuard::default(), server_count: AtomicI64::new(0) })
    }

    /// The client for sign-in; `None` if it is not configured.
    pub fn sign_in(&self) -> Option<&Discord> {
        self.sign_in.as_ref()
    }

    /// The client of the bot; `None` without an application id.
    pub fn bot(&self) -> Option<&Discord> {
        self.bot.as_ref()
    }

    /// Rejects calls of Discord that were received before.
    pub fn replay_guard(&self) -> &ReplayGuard {
        &self.replay_guard
    }

    /// The number of servers that the bot is on; 0 until it is known.
    pub fn server_count(&self) -> i64 {
        self.server_count.load(Ordering::Relaxed)
    }

    pub fn set_server_count(&self, count: i64) {
        self.server_count.store(count, Ordering::Relaxed);
    }
}

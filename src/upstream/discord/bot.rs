//! What the bot does: register commands, post and edit messages, answer late.

use reqwest::{Method, Url};
use serde::Deserialize;
use serde_json::Value;

use super::{Body, Discord, DiscordError, Route, accepted, read};

/// The id that Discord gave a message.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MessageId {
    pub id: String,
}

/// A message as it stands in a channel, as far as finding our own again needs it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ChannelMessage {
    pub id: String,
    #[serde(default)]
    embeds: Vec<MessageEmbed>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct MessageEmbed {
    footer: Option<EmbedFooter>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct EmbedFooter {
    #[serde(default)]
    text: String,
}

impl ChannelMessage {
    /// Whether an embed of it ends with this line.
    pub fn has_footer(&self, text: &str) -> bool {
        self.embeds.iter().any(|embed| embed.footer.as_ref().is_some_and(|footer| footer.text == text))
    }
}

/// The first moment that ids of Discord count from, in epoch milliseconds.
const EPOCH_MS: i64 = 1_420_070_400_000;

#[derive(Deserialize)]
struct Application {
    #[serde(default)]
    approximate_guild_count: Option<u64>,
}

/// Permissions that the bot asks for in a server: view channels, send messages, embed links, read message history.
const PERMISSIONS: &str = "84992";

/// The address that adds an application's bot to a server; `None` when `authorize_url` is no address.
pub fn bot_invite(authorize_url: &str, client_id: &str) -> Option<String> {
    let query = [("client_id", client_id), ("scope", "bot applications.commands"), ("permissions", PERMISSIONS)];
    Url::parse_with_params(authorize_url, query).map(Into::into).ok()
}

impl Discord {
    /// Replaces all global commands of the application; gives how many there are now.
    pub async fn register_commands(&self, commands: &Value) -> Result<usize, DiscordError> {
        let path = format!("applications/{}/commands", self.settings.client_id);
        let body = Body::Json(commands.clone());
        let answer = self.as_bot("PUT applications/commands", "", Method::PUT, &path, body).await?;
        read::<Vec<Value>>(&answer).map(|registered| registered.len())
    }

    /// Posts a message to a channel.
    ///
    /// `nonce` (at most 25 characters) makes a repetition harmless: with the same one within a few minutes, Discord gives
    /// the message that is already there instead of posting another.
    pub async fn post_message(
        &self,
        channel_id: &str,
        nonce: &str,
        message: &Value,
    ) -> Result<MessageId, DiscordError> {
        let mut message = message.clone();
        if let Some(fields) = message.as_object_mut() {
            fields.insert("nonce".to_owned(), nonce.chars().take(25).collect::<String>().into());
            fields.insert("enforce_nonce".to_owned(), true.into());
        }
        let path = format!("channels/{}/messages", number(channel_id)?);
        let answer =
            self.as_bot("POST channels/messages", channel_id, Method::POST, &path, Body::Json(message)).await?;
        read(&answer)
    }

    /// Replaces the content of a message of ours.
    pub async fn edit_message(&self, channel_id: &str, message_id: &str, message: &Value) -> Result<(), DiscordError> {
        let path = format!("channels/{}/messages/{}", number(channel_id)?, number(message_id)?);
        let body = Body::Json(message.clone());
        accepted(&self.as_bot("PATCH channels/messages", channel_id, Method::PATCH, &path, body).await?)
    }

    /// The messages of a channel since a moment (epoch milliseconds), at most a hundred.
    pub async fn messages_since(&self, channel_id: &str, since_ms: i64) -> Result<Vec<ChannelMessage>, DiscordError> {
        let after = (since_ms - EPOCH_MS).max(0) << 22;
        let path = format!("channels/{}/messages?limit=100&after={after}", number(channel_id)?);
        let answer = self.as_bot("GET channels/messages", channel_id, Method::GET, &path, Body::None).await?;
        read(&answer)
    }

    /// Fills in the answer to an interaction that was deferred; its token lives for 15 minutes and needs no other key.
    pub async fn edit_deferred_response(&self, interaction_token: &str, message: &Value) -> Result<(), DiscordError> {
        let path = format!("{}/messages/@original", self.webhook(interaction_token)?);
        self.as_interaction("PATCH webhooks/messages", interaction_token, Method::PATCH, &path, message).await
    }

    /// Adds a further message to an interaction.
    pub async fn follow_up(&self, interaction_token: &str, message: &Value) -> Result<(), DiscordError> {
        let path = self.webhook(interaction_token)?;
        self.as_interaction("POST webhooks", interaction_token, Method::POST, &path, message).await
    }

    /// On how many servers the bot is, as Discord estimates.
    pub async fn server_count(&self) -> Result<Option<u64>, DiscordError> {
        let answer = self.as_bot("GET applications/@me", "", Method::GET, "applications/@me", Body::None).await?;
        read::<Application>(&answer).map(|application| application.approximate_guild_count)
    }

    async fn as_bot(
        &self,
        name: &'static str,
        major: &str,
        method: Method,
        path: &str,
        body: Body,
    ) -> Result<super::Response, DiscordError> {
        let token = self.settings.bot_token.as_ref().ok_or(DiscordError::NoBotToken)?;
        let route = Route { name, major: major.to_owned(), ours: true };
        self.call(route, method, path, Some(format!("Bot {token}")), body).await
    }

    async fn as_interaction(
        &self,
        name: &'static str,
        token: &str,
        method: Method,
        path: &str,
        message: &Value,
    ) -> Result<(), DiscordError> {
        let route = Route { name, major: token.to_owned(), ours: true };
        accepted(&self.call(route, method, path, None, Body::Json(message.clone())).await?)
    }

    fn webhook(&self, token: &str) -> Result<String, DiscordError> {
        let fits = !token.is_empty()
            && token.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'='));
        if !fits {
            return Err(DiscordError::NotFound { code: 0 });
        }
        Ok(format!("webhooks/{}/{token}", self.settings.client_id))
    }
}

/// An id goes into a path, so it must be one.
fn number(id: &str) -> Result<&str, DiscordError> {
    let fits = !id.is_empty() && id.len() <= 20 && id.bytes().all(|b| b.is_ascii_digit());
    if fits { Ok(id) } else { Err(DiscordError::NotFound { code: 0 }) }
}

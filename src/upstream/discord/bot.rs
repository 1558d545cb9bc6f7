//! Requests of the bot: register commands, post and edit messages, complete deferred responses.

use reqwest::{Method, Url};
use serde::Deserialize;
use serde_json::Value;

use super::{Body, Discord, DiscordError, Route, check_status, parse_json};

/// Id of a message, assigned by Discord.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MessageId {
    pub id: String,
}

/// The parts of a channel message that identify messages of this site.
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
    /// Returns true if an embed of the message has this footer.
    pub fn has_footer(&self, text: &str) -> bool {
        self.embeds.iter().any(|embed| embed.footer.as_ref().is_some_and(|footer| footer.text == text))
    }
}

/// Start of Discord's snowflake timestamps, in epoch milliseconds.
const SNOWFLAKE_EPOCH_MS: i64 = 1_420_070_400_000;

#[derive(Deserialize)]
struct Application {
    #[serde(default)]
    approximate_guild_count: Option<u64>,
}

/// Permissions that the invite requests: view channels, send messages, embed links, read message history.
const BOT_PERMISSIONS: &str = "84992";

/// Returns the URL that adds the bot to a server, or `None` if `authorize_url` is invalid.
pub fn bot_invite(authorize_url: &str, client_id: &str) -> Option<String> {
    let query = [("client_id", client_id), ("scope", "bot applications.commands"), ("permissions", BOT_PERMISSIONS)];
    Url::parse_with_params(authorize_url, query).map(Into::into).ok()
}

impl Discord {
    /// Replaces all global commands of the application and returns their number.
    pub async fn register_commands(&self, commands: &Value) -> Result<usize, DiscordError> {
        let path = format!("applications/{}/commands", self.settings.client_id);
        let body = Body::Json(commands.clone());
        let response = self.send_as_bot("PUT applications/commands", "", Method::PUT, &path, body).await?;
        parse_json::<Vec<Value>>(&response).map(|registered| registered.len())
    }

    /// Posts a message to a channel.
    ///
    /// `nonce` (at most 25 characters) makes the request idempotent: if it is repeated within a few minutes, Discord returns
    /// the existing message instead of posting another one.
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
        let path = format!("channels/{}/messages", snowflake(channel_id)?);
        let response =
            self.send_as_bot("POST channels/messages", channel_id, Method::POST, &path, Body::Json(message)).await?;
        parse_json(&response)
    }

    /// Replaces the content of a message that the bot posted.
    pub async fn edit_message(&self, channel_id: &str, message_id: &str, message: &Value) -> Result<(), DiscordError> {
        let path = format!("channels/{}/messages/{}", snowflake(channel_id)?, snowflake(message_id)?);
        let body = Body::Json(message.clone());
        check_status(&self.send_as_bot("PATCH channels/messages", channel_id, Method::PATCH, &path, body).await?)
    }

    /// Returns up to 100 messages of a channel since a time in epoch milliseconds.
    pub async fn messages_since(&self, channel_id: &str, since_ms: i64) -> Result<Vec<ChannelMessage>, DiscordError> {
        let after = (since_ms - SNOWFLAKE_EPOCH_MS).max(0) << 22;
        let path = format!("channels/{}/messages?limit=100&after={after}", snowflake(channel_id)?);
        let response = self.send_as_bot("GET channels/messages", channel_id, Method::GET, &path, Body::None).await?;
        parse_json(&response)
    }

    /// Completes a deferred response to an interaction. The token is valid for 15 minutes and is the only credential.
    pub async fn edit_deferred_response(&self, interaction_token: &str, message: &Value) -> Result<(), DiscordError> {
        let path = format!("{}/messages/@original", self.webhook_path(interaction_token)?);
        self.send_as_interaction("PATCH webhooks/messages", interaction_token, Method::PATCH, &path, message).await
    }

    /// Sends an additional message for an interaction.
    pub async fn follow_up(&self, interaction_token: &str, message: &Value) -> Result<(), DiscordError> {
        let path = self.webhook_path(interaction_token)?;
        self.send_as_interaction("POST webhooks", interaction_token, Method::POST, &path, message).await
    }

    /// Returns Discord's estimate of the number of servers that use the bot.
    pub async fn server_count(&self) -> Result<Option<u64>, DiscordError> {
        let response =
            self.send_as_bot("GET applications/@me", "", Method::GET, "applications/@me", Body::None).await?;
        parse_json::<Application>(&response).map(|application| application.approximate_guild_count)
    }

    async fn send_as_bot(
        &self,
        name: &'static str,
        major: &str,
        method: Method,
        path: &str,
        body: Body,
    ) -> Result<super::Response, DiscordError> {
        let token = self.settings.bot_token.as_ref().ok_or(DiscordError::NoBotToken)?;
        let route = Route { name, major: major.to_owned(), is_bot: true };
        self.send(route, method, path, Some(format!("Bot {token}")), body).await
    }

    async fn send_as_interaction(
        &self,
        name: &'static str,
        token: &str,
        method: Method,
        path: &str,
        message: &Value,
    ) -> Result<(), DiscordError> {
        let route = Route { name, major: token.to_owned(), is_bot: true };
        check_status(&self.send(route, method, path, None, Body::Json(message.clone())).await?)
    }

    fn webhook_path(&self, token: &str) -> Result<String, DiscordError> {
        let is_valid = !token.is_empty()
            && token.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'='));
        if !is_valid {
            return Err(DiscordError::NotFound { code: 0 });
        }
        Ok(format!("webhooks/{}/{token}", self.settings.client_id))
    }
}

/// Returns the id if it is a snowflake. Ids become parts of URL paths and must not contain anything else.
fn snowflake(id: &str) -> Result<&str, DiscordError> {
    let is_valid = !id.is_empty() && id.len() <= 20 && id.bytes().all(|b| b.is_ascii_digit());
    if is_valid { Ok(id) } else { Err(DiscordError::NotFound { code: 0 }) }
}

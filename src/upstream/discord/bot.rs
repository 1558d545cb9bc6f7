//! Requests of the bot: register commands, post and edit messages, complete deferred responses.

use reqwest::header::AUTHORIZATION;
use reqwest::{Method, RequestBuilder, Url};
use serde::Deserialize;
use serde_json::Value;

use super::{Discord, DiscordError, Route, check_status, is_snowflake, parse_json};

/// Start of Discord's snowflake timestamps, in epoch milliseconds.
const SNOWFLAKE_EPOCH_MS: i64 = 1_420_070_400_000;

#[derive(Deserialize)]
struct MessageId {
    id: String,
}

#[derive(Deserialize)]
struct Application {
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
        let request = self.request_as_bot(Method::PUT, &path)?.json(commands);
        let response = self.send(Route::of_bot("PUT applications/commands", ""), request).await?;
        parse_json::<Vec<Value>>(&response).map(|registered| registered.len())
    }

    /// Posts a message to a channel and returns its id.
    ///
    /// `nonce` (at most 25 characters) makes the request idempotent: if it is repeated within a few minutes, Discord returns
    /// the existing message instead of posting another one.
    pub async fn post_message(&self, channel_id: &str, nonce: &str, message: &Value) -> Result<String, DiscordError> {
        let mut message = message.clone();
        if let Some(fields) = message.as_object_mut() {
            fields.insert("nonce".to_owned(), nonce.chars().take(25).collect::<String>().into());
            fields.insert("enforce_nonce".to_owned(), true.into());
        }
        let path = format!("channels/{}/messages", snowflake(channel_id)?);
        let request = self.request_as_bot(Method::POST, &path)?.json(&message);
        let response = self.send(Route::of_bot("POST channels/messages", channel_id), request).await?;
        parse_json::<MessageId>(&response).map(|message| message.id)
    }

    /// Replaces the content of a message that the bot posted.
    pub async fn edit_message(&self, channel_id: &str, message_id: &str, message: &Value) -> Result<(), DiscordError> {
        let path = format!("channels/{}/messages/{}", snowflake(channel_id)?, snowflake(message_id)?);
        let request = self.request_as_bot(Method::PATCH, &path)?.json(message);
        check_status(&self.send(Route::of_bot("PATCH channels/messages", channel_id), request).await?)
    }

    /// Returns the id of a message with this footer, out of 100 messages of a channel since a time in epoch milliseconds.
    pub async fn find_by_footer(
        &self,
        channel_id: &str,
        since_ms: i64,
        footer: &str,
    ) -> Result<Option<String>, DiscordError> {
        let after = (since_ms - SNOWFLAKE_EPOCH_MS).max(0) << 22;
        let path = format!("channels/{}/messages?limit=100&after={after}", snowflake(channel_id)?);
        let request = self.request_as_bot(Method::GET, &path)?;
        let response = self.send(Route::of_bot("GET channels/messages", channel_id), request).await?;
        let messages: Vec<Value> = parse_json(&response)?;
        let has_footer = |embed: &Value| embed["footer"]["text"] == footer;
        let found =
            messages.iter().find(|m| m["embeds"].as_array().is_some_and(|embeds| embeds.iter().any(has_footer)));
        Ok(found.and_then(|message| message["id"].as_str()).map(ToOwned::to_owned))
    }

    /// Completes a deferred response to an interaction. The token is valid for 15 minutes and is the only credential.
    pub async fn edit_deferred_response(&self, token: &str, message: &Value) -> Result<(), DiscordError> {
        let is_valid = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'=');
        if token.is_empty() || !token.bytes().all(is_valid) {
            return Err(DiscordError::NotFound { code: 0 });
        }
        let path = format!("webhooks/{}/{token}/messages/@original", self.settings.client_id);
        let request = self.request(Method::PATCH, &path)?.json(message);
        check_status(&self.send(Route::of_bot("PATCH webhooks/messages", token), request).await?)
    }

    /// Returns Discord's estimate of the number of servers that use the bot.
    pub async fn server_count(&self) -> Result<Option<u64>, DiscordError> {
        let request = self.request_as_bot(Method::GET, "applications/@me")?;
        let response = self.send(Route::of_bot("GET applications/@me", ""), request).await?;
        parse_json::<Application>(&response).map(|application| application.approximate_guild_count)
    }

    fn request_as_bot(&self, method: Method, path: &str) -> Result<RequestBuilder, DiscordError> {
        let token = self.settings.bot_token.as_ref().ok_or(DiscordError::NoBotToken)?;
        Ok(self.request(method, path)?.header(AUTHORIZATION, format!("Bot {token}")))
    }
}

/// Returns the id if it is a snowflake. Ids become parts of URL paths and must not contain anything else.
fn snowflake(id: &str) -> Result<&str, DiscordError> {
    if is_snowflake(id) { Ok(id) } else { Err(DiscordError::NotFound { code: 0 }) }
}

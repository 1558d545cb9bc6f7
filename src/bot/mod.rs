//! The Discord bot: slash commands over HTTP, one file each. It responds with embeds in the caller's language.
//! `routes/webhooks.rs` passes verified interactions; `cli` registers the commands.
//! Never here: queries, visibility rules or calls to Discord.

pub mod commands;
mod compare;
mod complete;
mod embed;
mod guild;
mod help;
pub mod interaction;
mod player;
mod statsfeed;
mod top;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::app::{App, DiscordApp};
use crate::error::AppError;
use crate::features::discord;
use embed::Reply;
use interaction::Interaction;

/// Discord waits three seconds for a response. A command that takes longer than this gets a deferred response.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(1_500);

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    /// A message for the caller, in their language.
    #[error("{0}")]
    Reply(String),
    #[error(transparent)]
    App(#[from] AppError),
}

/// Responds to a verified interaction. A command that is not done in time gets a deferred response, completed later.
pub async fn respond(app: Arc<App>, call: Interaction) -> Value {
    match call.r#type {
        interaction::PING => json!({ "type": 1 }),
        interaction::AUTOCOMPLETE => complete::choices(&app, &call),
        interaction::COMMAND => {
            let is_private = call.is_private();
            let worker = Arc::clone(&app);
            let (token, language) = (call.token.clone(), call.language());
            let mut work = tokio::spawn(async move { reply(&worker, &call).await });
            match tokio::time::timeout(RESPONSE_TIMEOUT, &mut work).await {
                Ok(Ok((reply, is_error))) => embed::immediate(reply, is_private || is_error),
                // The command panicked.
                Ok(Err(_)) => embed::immediate(embed::sentence(language.bot().text("failed")), true),
                Err(_) => {
                    tokio::spawn(async move { complete_deferred(&app.discord, &token, work).await });
                    embed::deferred(is_private)
                }
            }
        }
        _ => embed::immediate(embed::sentence(call.texts().text("unknown_command")), true),
    }
}

async fn complete_deferred(discord: &DiscordApp, token: &str, work: tokio::task::JoinHandle<(Reply, bool)>) {
    let Ok((reply, _)) = work.await else { return };
    if let Err(error) = discord::complete_deferred_response(discord, token, &embed::data(reply)).await {
        tracing::warn!(%error, "a deferred response could not be completed");
    }
}

/// Runs a command. Returns its reply, and whether it is an error.
async fn reply(app: &App, call: &Interaction) -> (Reply, bool) {
    let message = match command(app, call).await {
        Ok(reply) => return (reply, false),
        Err(CommandError::Reply(message)) => message,
        Err(CommandError::App(error)) => {
            tracing::warn!(%error, command = call.name(), "a chat command failed");
            call.texts().text("failed").to_owned()
        }
    };
    (embed::sentence(&message), true)
}

async fn command(app: &App, call: &Interaction) -> Result<Reply, CommandError> {
    match call.name() {
        "player" => player::show(app, call).await,
        "guild" => guild::show(app, call).await,
        "top" => top::show(app, call).await,
        "compare" => compare::show(app, call).await,
        "statsfeed" => statsfeed::run(app, call).await,
        "link" => {
            let url = format!("{}/link", app.public_url);
            Ok(embed::sentence(&call.texts().format("link", &[("url", &url)])))
        }
        "help" => Ok(help::show(app, call)),
        _ => Err(CommandError::Reply(call.texts().text("unknown_command").to_owned())),
    }
}

/// An option that is missing or has an invalid value.
fn invalid_option(call: &Interaction, option: &str) -> CommandError {
    CommandError::Reply(call.texts().format("wrong", &[("name", option)]))
}

//! The Discord bot: slash commands over HTTP, one file each; answers as embeds.
//! `routes/webhooks.rs` hands verified interactions in; `cli` asks for the list of commands.
//! Never here: figures of its own, rules of who may see what, or a call to Discord.

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

use serde_json::{Value, json};

use crate::app::App;
use crate::error::AppError;
use interaction::{Interaction, Kind};

/// The answer to a verified interaction.
pub async fn answer(app: &App, call: &Interaction) -> Value {
    match call.kind() {
        Kind::Ping => json!({ "type": 1 }),
        Kind::Autocomplete => complete::choices(app, call),
        Kind::Command => match command(app, call).await {
            Ok(message) => embed::message(message, call.is_private()),
            Err(error) => embed::message(embed::sentence(&told(&error)), true),
        },
        Kind::Other => embed::message(embed::sentence("This bot does not know that kind of interaction."), true),
    }
}

async fn command(app: &App, call: &Interaction) -> Result<Value, AppError> {
    match call.name() {
        "player" => player::show(app, call).await,
        "guild" => guild::show(app, call).await,
        "top" => top::show(app, call).await,
        "compare" => compare::show(app, call).await,
        "statsfeed" => statsfeed::change(app, call).await,
        "link" => {
            Ok(embed::sentence(&format!("Link your account at {}/link and claim your player there.", app.public_url)))
        }
        "help" => Ok(help::show(app)),
        other => Err(AppError::NotFound(format!("There is no command /{other}."))),
    }
}

/// What went wrong, for a chat; what is not for people stays in the log.
fn told(error: &AppError) -> String {
    if let AppError::Internal(source) = error {
        tracing::error!(error = %source, "a chat command failed");
    }
    error.to_string()
}

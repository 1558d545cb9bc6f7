//! The Discord bot: slash commands over HTTP, one file each; answers as embeds in the language of who asks.
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

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::app::App;
use crate::error::AppError;
use crate::features::discord;
use embed::Reply;
use interaction::{Interaction, Kind};

/// Discord gives up after three seconds; what takes longer than this is answered later.
const IN_TIME: Duration = Duration::from_millis(1_500);

/// Why a command has no answer.
enum Trouble {
    /// A sentence for who asked, in their language.
    Said(String),
    App(AppError),
}

impl From<AppError> for Trouble {
    fn from(error: AppError) -> Self {
        Self::App(error)
    }
}

/// The answer to a verified interaction, in time: a command that is not done by then is told to be under way, and its
/// answer follows.
pub async fn respond(app: Arc<App>, call: Interaction) -> Value {
    match call.kind() {
        Kind::Ping => json!({ "type": 1 }),
        Kind::Autocomplete => complete::choices(&app, &call),
        Kind::Other => embed::now(embed::sentence(call.language().text("unknown_command")), true),
        Kind::Command => {
            let is_private = call.is_private();
            let worker = Arc::clone(&app);
            let (token, language) = (call.token.clone(), call.language());
            let mut work = tokio::spawn(async move { reply(&worker, &call).await });
            match tokio::time::timeout(IN_TIME, &mut work).await {
                Ok(Ok((reply, is_error))) => embed::now(reply, is_private || is_error),
                // A command that panicked; the log has it.
                Ok(Err(_)) => embed::now(embed::sentence(language.text("failed")), true),
                Err(_) => {
                    tokio::spawn(async move { follow(&app, &token, work).await });
                    embed::later(is_private)
                }
            }
        }
    }
}

async fn follow(app: &App, token: &str, work: tokio::task::JoinHandle<(Reply, bool)>) {
    let Ok((reply, _)) = work.await else { return };
    if let Err(error) = discord::answer_late(app, token, &embed::data(reply)).await {
        tracing::warn!(%error, "a late answer was not delivered");
    }
}

/// What a command says, and whether that is a failure.
async fn reply(app: &App, call: &Interaction) -> (Reply, bool) {
    match command(app, call).await {
        Ok(reply) => (reply, false),
        Err(trouble) => (embed::sentence(&told(trouble, call)), true),
    }
}

async fn command(app: &App, call: &Interaction) -> Result<Reply, Trouble> {
    match call.name() {
        "player" => player::show(app, call).await,
        "guild" => guild::show(app, call).await,
        "top" => top::show(app, call).await,
        "compare" => compare::show(app, call).await,
        "statsfeed" => statsfeed::change(app, call).await,
        "link" => {
            let url = format!("{}/link", app.public_url);
            Ok(embed::sentence(&call.language().format("link", &[("url", &url)])))
        }
        "help" => Ok(help::show(app, call)),
        _ => Err(Trouble::Said(call.language().text("unknown_command").to_owned())),
    }
}

/// What went wrong, for a chat; what is not for people stays in the log.
fn told(trouble: Trouble, call: &Interaction) -> String {
    match trouble {
        Trouble::Said(sentence) => sentence,
        Trouble::App(error) => {
            tracing::warn!(%error, command = call.name(), "a chat command failed");
            call.language().text("failed").to_owned()
        }
    }
}

/// An option that is missing or cannot be used.
fn wrong(call: &Interaction, option: &str) -> Trouble {
    Trouble::Said(call.language().format("wrong", &[("name", option)]))
}

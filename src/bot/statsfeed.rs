//! `/statsfeed set|remove|list`

use serde_json::Value;

use super::embed::{plain, sentence};
use super::interaction::Interaction;
use crate::app::App;
use crate::error::AppError;
use crate::features::statsfeed::{self, FeedKind, Filter};

pub async fn change(app: &App, call: &Interaction) -> Result<Value, AppError> {
    let (Some(server), Some(channel)) = (call.guild_id.as_deref(), call.channel_id.as_deref()) else {
        return Err(AppError::Validation("This works on a server only.".into()));
    };
    if !call.may_manage_server() {
        return Err(AppError::Forbidden("You need the permission Manage Server for that.".into()));
    }
    match call.subcommand() {
        Some("set") => {
            let kind = call.text("kind").and_then(FeedKind::parse);
            let kind = kind
                .ok_or_else(|| AppError::parameter("kind", "general-statsfeed, arena-commander or pu-npc-missions"))?;
            let names = |name| call.text(name).map(|text| text.split(',').map(|n| n.trim().to_owned()).collect());
            let filter =
                Filter { guilds: names("guild").unwrap_or_default(), players: names("player").unwrap_or_default() };
            statsfeed::set(app, server, channel, kind, filter).await?;
            Ok(sentence(&format!("This channel is now a {} feed.", kind.as_str())))
        }
        Some("remove") => {
            let was_there = statsfeed::remove(app, server, channel).await?;
            Ok(sentence(if was_there { "This channel is no feed any more." } else { "This channel is no feed." }))
        }
        Some("list") => {
            let feeds = statsfeed::list(app, server).await?;
            let lines: Vec<String> = feeds
                .iter()
                .map(|feed| {
                    let state =
                        feed.disabled_reason.as_deref().map_or(String::new(), |why| format!(" (off: {})", plain(why)));
                    format!("<#{}> – {}{state}", feed.channel_id, feed.kind)
                })
                .collect();
            Ok(sentence(&if lines.is_empty() { "This server has no feed.".to_owned() } else { lines.join("\n") }))
        }
        _ => Err(AppError::parameter("statsfeed", "set, remove or list")),
    }
}

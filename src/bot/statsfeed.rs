//! `/statsfeed set|remove|list`

use i18n::{Texts, format_number};

use super::embed::{Reply, sentence};
use super::interaction::Interaction;
use super::{CommandError, invalid_option};
use crate::app::App;
use crate::domain::names::{GuildTag, Handle};
use crate::domain::scores::Metric;
use crate::features::statsfeed::{self, EventGroup, FeedFilter, FeedKind};
use crate::views::chat::escape_markdown;

/// Names per filter option.
const MAX_NAMES: usize = 20;

pub async fn run(app: &App, call: &Interaction) -> Result<Reply, CommandError> {
    let texts = call.texts();
    let error = |key: &str| CommandError::Reply(texts.text(key).to_owned());
    let (Some(server), Some(channel)) = (call.guild_id.as_deref(), call.channel_id.as_deref()) else {
        return Err(error("server_only"));
    };
    if !call.may_manage_server() {
        return Err(error("need_manage"));
    }
    match call.subcommand() {
        Some("set") => {
            let kind = call.text("kind").and_then(FeedKind::parse).ok_or_else(|| invalid_option(call, "kind"))?;
            let filter = filter(call)?;
            let text =
                format!("{}{}", texts.format("feed_is", &[("kind", kind.as_str())]), describe_filter(&filter, texts));
            statsfeed::set(&app.store, server, channel, kind, filter).await?;
            Ok(sentence(&text))
        }
        Some("remove") => {
            let was_subscribed = statsfeed::remove(&app.store, server, channel).await?;
            Ok(sentence(texts.text(if was_subscribed { "feed_gone" } else { "feed_none" })))
        }
        Some("list") => {
            let feeds = statsfeed::list(&app.store, server).await?;
            let lines: Vec<String> = feeds
                .iter()
                .map(|feed| {
                    let off = feed.disabled_reason.as_deref().map_or(String::new(), |why| {
                        format!(" ({})", texts.format("feed_off", &[("why", &escape_markdown(why))]))
                    });
                    let filter = describe_filter(&statsfeed::parse_filter(feed), texts);
                    format!("<#{}> – {}{off}{}", feed.channel_id, feed.kind, filter.replace('\n', "\n  "))
                })
                .collect();
            let text = if lines.is_empty() { texts.text("feeds_none").to_owned() } else { lines.join("\n") };
            Ok(sentence(&text))
        }
        _ => Err(invalid_option(call, "statsfeed")),
    }
}

fn filter(call: &Interaction) -> Result<FeedFilter, CommandError> {
    let names = |option: &str, fits: fn(&str) -> bool| {
        let names = call.list(option);
        if names.len() > MAX_NAMES || !names.iter().all(|name| fits(name)) {
            return Err(invalid_option(call, option));
        }
        Ok(names)
    };
    let events = call.list("events").iter().map(|word| EventGroup::parse(word)).collect::<Option<Vec<_>>>();
    let metric = |name| Metric::parse(name).ok_or_else(|| invalid_option(call, "leaderboard"));
    let board = call.text("leaderboard").map(metric).transpose()?;
    Ok(FeedFilter {
        guilds: names("guilds", |tag| GuildTag::parse(tag).is_ok())?,
        players: names("players", |handle| Handle::parse(handle).is_ok())?,
        events: events.ok_or_else(|| invalid_option(call, "events"))?,
        minimum: call.number("minimum").unwrap_or(0).max(0),
        board,
        // The whole server reads the feed.
        language: call.server_language(),
    })
}

/// Describes a filter, one line per part.
fn describe_filter(filter: &FeedFilter, texts: &Texts) -> String {
    let names = |list: &[String]| list.iter().map(|name| escape_markdown(name)).collect::<Vec<_>>().join(", ");
    let events: Vec<&str> = filter.events.iter().map(|group| event_name(*group, texts)).collect();
    let parts = [
        ("f_guilds", names(&filter.guilds)),
        ("f_players", names(&filter.players)),
        ("f_events", events.join(", ")),
        ("f_minimum", if filter.minimum > 0 { format_number(filter.minimum) } else { String::new() }),
        ("f_leaderboard", filter.board.map_or(String::new(), |metric| texts.text(metric.as_str()).to_owned())),
    ];
    let filled = parts.iter().filter(|(_, value)| !value.is_empty());
    filled.map(|(key, value)| format!("\n{}: {value}", texts.text(key))).collect()
}

/// The name of an event group.
pub fn event_name(group: EventGroup, texts: &Texts) -> &str {
    texts.text(&format!("e_{}", group.as_str()))
}

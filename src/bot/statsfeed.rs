//! `/statsfeed set|remove|list`

use super::embed::{Reply, sentence};
use super::interaction::Interaction;
use super::{Trouble, wrong};
use crate::app::App;
use crate::domain::names::{GuildTag, Handle};
use crate::domain::scores::Metric;
use crate::features::statsfeed::{self, FeedKind, Filter, Group};
use crate::views::chat::{escape_markdown, format_number, metric_key};
use crate::views::i18n::Language;

/// A filter longer than this is no filter.
const MOST_NAMES: usize = 20;

pub async fn change(app: &App, call: &Interaction) -> Result<Reply, Trouble> {
    let words = call.language();
    let said = |key: &str| Trouble::Said(words.text(key).to_owned());
    let (Some(server), Some(channel)) = (call.guild_id.as_deref(), call.channel_id.as_deref()) else {
        return Err(said("server_only"));
    };
    if !call.may_manage_server() {
        return Err(said("need_manage"));
    }
    match call.subcommand() {
        Some("set") => {
            let kind = call.text("kind").and_then(FeedKind::parse).ok_or_else(|| wrong(call, "kind"))?;
            let filter = filter(call)?;
            let text = format!("{}{}", words.format("feed_is", &[("kind", kind.as_str())]), told(&filter, words));
            statsfeed::set(app, server, channel, kind, filter).await?;
            Ok(sentence(&text))
        }
        Some("remove") => {
            let was_there = statsfeed::remove(app, server, channel).await?;
            Ok(sentence(words.text(if was_there { "feed_gone" } else { "feed_none" })))
        }
        Some("list") => {
            let feeds = statsfeed::list(app, server).await?;
            let lines: Vec<String> = feeds
                .iter()
                .map(|feed| {
                    let off = feed.disabled_reason.as_deref().map_or(String::new(), |why| {
                        format!(" ({})", words.format("feed_off", &[("why", &escape_markdown(why))]))
                    });
                    let filter = told(&statsfeed::filter_of(feed), words);
                    format!("<#{}> – {}{off}{}", feed.channel_id, feed.kind, filter.replace('\n', "\n  "))
                })
                .collect();
            let text = if lines.is_empty() { words.text("feeds_none").to_owned() } else { lines.join("\n") };
            Ok(sentence(&text.chars().take(4_000).collect::<String>()))
        }
        _ => Err(wrong(call, "statsfeed")),
    }
}

fn filter(call: &Interaction) -> Result<Filter, Trouble> {
    let names = |option: &str, fits: fn(&str) -> bool| {
        let names = call.list(option);
        if names.len() > MOST_NAMES || !names.iter().all(|name| fits(name)) {
            return Err(wrong(call, option));
        }
        Ok(names)
    };
    let events = call.list("events").iter().map(|word| Group::parse(word)).collect::<Option<Vec<_>>>();
    let board = match call.text("leaderboard") {
        None => None,
        Some(name) => Some(Metric::parse(name).ok_or_else(|| wrong(call, "leaderboard"))?),
    };
    Ok(Filter {
        guilds: names("guilds", |tag| GuildTag::parse(tag).is_ok())?,
        players: names("players", |handle| Handle::parse(handle).is_ok())?,
        events: events.ok_or_else(|| wrong(call, "events"))?,
        minimum: call.number("minimum").unwrap_or(0).max(0),
        board,
        // Everybody on the server reads the feed.
        language: call.server_language(),
    })
}

/// The filter in words, each part on a line of its own.
fn told(filter: &Filter, words: Language) -> String {
    let names = |list: &[String]| list.iter().map(|name| escape_markdown(name)).collect::<Vec<_>>().join(", ");
    let events: Vec<&str> = filter.events.iter().map(|group| words.text(event_word(*group))).collect();
    let parts = [
        ("f_guilds", names(&filter.guilds)),
        ("f_players", names(&filter.players)),
        ("f_events", events.join(", ")),
        ("f_minimum", if filter.minimum > 0 { format_number(filter.minimum) } else { String::new() }),
        ("f_leaderboard", filter.board.map_or(String::new(), |metric| words.text(metric_key(metric)).to_owned())),
    ];
    let filled = parts.iter().filter(|(_, value)| !value.is_empty());
    filled.map(|(key, value)| format!("\n{}: {value}", words.text(key))).collect()
}

/// The word for a group of events.
pub fn event_word(group: Group) -> &'static str {
    match group {
        Group::Kills => "e_kills",
        Group::Deaths => "e_deaths",
        Group::Vehicles => "e_vehicles",
        Group::Missions => "e_missions",
    }
}

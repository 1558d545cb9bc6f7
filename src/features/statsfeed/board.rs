//! The leaderboard message of a feed, edited in place when the leaderboard changes.

use serde_json::json;

use super::delivery::Sender;
use super::feed::Feed;
use super::message;
use crate::app::App;
use crate::domain::scores::Metric;
use crate::domain::times::DAY_MS;
use crate::domain::windows::Window;
use crate::error::AppError;
use crate::features::leaderboard::{self, BoardQuery};
use crate::features::{guilds, secret};
use crate::store::{Store, guilds as stored, statsfeed};
use crate::upstream::discord::DiscordError;
use crate::views::chat::{ACCENT_COLOR, leaderboard_line, metric_value};

const LINES: i64 = 10;
const UPDATE_INTERVAL_MS: i64 = 60_000;
/// Discord's error code for a deleted message.
const UNKNOWN_MESSAGE: u64 = 10_008;

/// Posts or edits the leaderboard message of a feed.
pub(super) async fn update(sender: &Sender, app: &App, feed: &Feed, metric: Metric) -> Result<(), AppError> {
    let text = text(app, feed, metric).await?;
    // Only a digest is stored, so that no copy of the text names a player who hides later.
    let digest = secret::hash(&text);
    let (id, channel) = (feed.channel.id, feed.channel.channel_id.as_str());
    let next = app.store.now().0 + UPDATE_INTERVAL_MS;
    let known = feed.channel.board_message_id.as_deref();
    if known.is_some() && feed.channel.board_digest.as_deref() == Some(&digest) {
        let message = known.map(ToOwned::to_owned);
        return save(&app.store, id, message, Some(digest), next).await;
    }
    let texts = feed.filter.language.bot();
    let title = texts.format("board_title", &[("metric", texts.text(metric.as_str()))]);
    let footer = message::footer(&app.settings.site.name, &format!("board {id}.{}", feed.channel.board_count));
    let body = json!({
        "embeds": [{ "title": title, "url": format!("{}/players?sort={}", app.public_url, metric.as_str()),
            "description": text, "color": ACCENT_COLOR, "footer": { "text": footer } }],
        "allowed_mentions": { "parse": [] },
    });
    if let Some(message) = known {
        return match sender.discord.edit_message(channel, message, &body).await {
            Ok(()) => save(&app.store, id, Some(message.to_owned()), Some(digest), next).await,
            Err(DiscordError::NotFound { code: UNKNOWN_MESSAGE }) => {
                // The message was deleted: the next update posts a new one.
                app.store.write(move |tx| statsfeed::forget_board(tx, id).map_err(AppError::from)).await
            }
            Err(error) => sender.handle_error(app, feed, &error).await,
        };
    }
    // After a crash between post and save, the message is found by its footer.
    match sender.discord.find_by_footer(channel, app.store.now().0 - DAY_MS, &footer).await {
        Ok(Some(message)) => return save(&app.store, id, Some(message), None, 0).await,
        Ok(None) | Err(DiscordError::Forbidden { .. }) => {}
        Err(error) => return sender.handle_error(app, feed, &error).await,
    }
    match sender.discord.post_message(channel, &format!("board-{id}-{}", feed.channel.board_count), &body).await {
        Ok(message) => save(&app.store, id, Some(message), Some(digest), next).await,
        Err(error) => sender.handle_error(app, feed, &error).await,
    }
}

async fn save(
    store: &Store,
    id: i64,
    message: Option<String>,
    digest: Option<String>,
    board_due_at: i64,
) -> Result<(), AppError> {
    store
        .write(move |tx| {
            statsfeed::update_board(tx, id, message.as_deref(), digest.as_deref(), board_due_at).map_err(AppError::from)
        })
        .await
}

/// The text of the leaderboard: the members of a guild if the filter names exactly one, else all players.
async fn text(app: &App, feed: &Feed, metric: Metric) -> Result<String, AppError> {
    let lines: Vec<String> = match feed.filter.guilds.as_slice() {
        [tag] => {
            let members = match guilds::find(&app.store, tag).await {
                Ok(guild) => app.store.read(move |conn| stored::members(conn, guild.id, metric, LINES, 0)).await?,
                // A feed may be subscribed before any member of the guild is known.
                Err(AppError::NotFound(_)) => Vec::new(),
                Err(error) => return Err(error),
            };
            let figures =
                members.into_iter().filter_map(|(player, row)| Some((player.handle, row?.scores.get(metric))));
            let ranked = figures.filter(|(_, figure)| *figure > 0).zip(1i64..);
            ranked.map(|((handle, figure), rank)| leaderboard_line(rank, &handle, metric, figure)).collect()
        }
        _ => {
            let query = BoardQuery::top(metric, Window::All, LINES);
            let (players, _) = leaderboard::players(app, query).await?;
            players
                .iter()
                .map(|player| leaderboard_line(player.rank, &player.handle, metric, metric_value(player, metric)))
                .collect()
        }
    };
    Ok(if lines.is_empty() { feed.filter.language.bot().text("nobody").to_owned() } else { lines.join("\n") })
}

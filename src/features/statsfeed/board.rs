//! The board of a feed: one message, edited in place when what it shows has changed.

use serde_json::json;

use super::post::{Feed, Sender};
use crate::app::App;
use crate::domain::scores::Metric;
use crate::domain::windows::Window;
use crate::error::AppError;
use crate::features::leaderboard::{self, BoardQuery};
use crate::features::{guilds, secret};
use crate::store::statsfeed;
use crate::upstream::discord::DiscordError;
use crate::views::chat::{ACCENT_COLOR, leaderboard_line, metric_key, metric_value};

/// How many lines a board has.
const LINES: i64 = 10;
/// A board is looked at this often.
const EVERY_MS: i64 = 60_000;
/// Discord's code for a message that is not there.
const UNKNOWN_MESSAGE: u64 = 10_008;

/// Brings the board of a feed up to date.
pub(super) async fn show(sender: &Sender, app: &App, feed: &Feed, metric: Metric) -> Result<(), AppError> {
    let text = text(app, feed, metric).await?;
    // Only a digest is stored: a player who hides must not stay in the database's copy of a board.
    let digest = secret::hash(&text);
    let (id, channel) = (feed.channel.id, feed.channel.channel_id.as_str());
    let next = App::now().0 + EVERY_MS;
    let known = feed.channel.board_message_id.as_deref();
    if known.is_some() && feed.state.board_digest.as_deref() == Some(&digest) {
        let message = known.map(ToOwned::to_owned);
        return keep(app, id, message, Some(digest), next).await;
    }
    let title =
        feed.filter.language.format("board_title", &[("figure", feed.filter.language.text(metric_key(metric)))]);
    let footer = format!("{} · board {id}.{}", app.settings.site.name, feed.state.board_count);
    let body = json!({
        "embeds": [{ "title": title, "url": format!("{}/players?sortBy={}", app.public_url, metric.as_str()),
            "description": text, "color": ACCENT_COLOR, "footer": { "text": footer } }],
        "allowed_mentions": { "parse": [] },
    });
    if let Some(message) = known {
        return match sender.discord.edit_message(channel, message, &body).await {
            Ok(()) => keep(app, id, Some(message.to_owned()), Some(digest), next).await,
            Err(DiscordError::NotFound { code: UNKNOWN_MESSAGE }) => {
                // Somebody removed it: the next look makes a new one.
                app.store
                    .write(move |tx| {
                        statsfeed::next_board_number(tx, id)?;
                        statsfeed::update_board(tx, id, None, None, 0).map_err(AppError::from)
                    })
                    .await
            }
            Err(error) => sender.failed(app, feed, &error).await,
        };
    }
    // A crash after the post and before this was written down leaves a board that nobody knows; it is found again.
    match sender.discord.messages_since(channel, App::now().0 - 86_400_000).await {
        Ok(found) => {
            if let Some(message) = found.into_iter().find(|message| message.has_footer(&footer)) {
                return keep(app, id, Some(message.id), None, 0).await;
            }
        }
        Err(DiscordError::Forbidden { .. }) => {}
        Err(error) => return sender.failed(app, feed, &error).await,
    }
    match sender.discord.post_message(channel, &format!("board-{id}-{}", feed.state.board_count), &body).await {
        Ok(message) => keep(app, id, Some(message.id), Some(digest), next).await,
        Err(error) => sender.failed(app, feed, &error).await,
    }
}

async fn keep(
    app: &App,
    id: i64,
    message: Option<String>,
    digest: Option<String>,
    board_at: i64,
) -> Result<(), AppError> {
    app.store
        .write(move |tx| {
            statsfeed::update_board(tx, id, message.as_deref(), digest.as_deref(), board_at).map_err(AppError::from)
        })
        .await
}

/// The lines of a board: of one guild's members when the feed is of one guild, else of everybody.
async fn text(app: &App, feed: &Feed, metric: Metric) -> Result<String, AppError> {
    let lines: Vec<String> = match feed.filter.guilds.as_slice() {
        [tag] => {
            let members = match guilds::members(app, tag, metric, LINES, 0).await {
                Ok((members, _)) => members,
                // A feed may be set up before anybody of the guild was seen.
                Err(AppError::NotFound(_)) => Vec::new(),
                Err(error) => return Err(error),
            };
            let figures = members.into_iter().map(|member| {
                let figure = match metric {
                    Metric::Overall => member.overall,
                    Metric::PuPlayerKills => member.pu_player_kills,
                    Metric::PveKills => member.pu_npc_kills,
                    Metric::VehicleDestructions => member.pu_vehicle_destruction_caused,
                    Metric::MissionsCompleted => member.missions_completed,
                    Metric::Playtime => member.playtime,
                };
                (member.handle, figure)
            });
            let ranked = figures.filter(|(_, figure)| *figure > 0).zip(1i64..);
            ranked.map(|((handle, figure), rank)| leaderboard_line(rank, &handle, metric, figure)).collect()
        }
        _ => {
            let query = BoardQuery { metric, is_desc: true, window: Window::All, limit: LINES, offset: 0 };
            let (players, _) = leaderboard::players(app, query).await?;
            players
                .iter()
                .map(|player| leaderboard_line(player.rank, &player.handle, metric, metric_value(player, metric)))
                .collect()
        }
    };
    Ok(if lines.is_empty() { feed.filter.language.text("nobody").to_owned() } else { lines.join("\n") })
}

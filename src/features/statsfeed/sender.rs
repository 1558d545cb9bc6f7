//! The job that turns events into queued messages and sends them.

use std::collections::HashMap;

use futures_util::StreamExt;

use super::board;
use super::delivery::Sender;
use super::feed::{Feed, parse_filter};
use super::render::{next_message, read_events};
use crate::app::App;
use crate::error::AppError;
use crate::store::statsfeed;
use crate::store::{Store, ingest};

/// Concurrent calls, so that a slow channel delays few others.
const MAX_CONCURRENT_CALLS: usize = 8;

impl Sender {
    /// Runs once: queues messages for new events, sends queued messages, and updates leaderboards.
    pub async fn run(&self, app: &App) -> Result<(), AppError> {
        let (feeds, last) = read_feeds(&app.store).await?;
        let has_work =
            |feed: &Feed| feed.outbox.is_some() || feed.channel.last_event_id != last || feed.filter.board.is_some();
        if !feeds.iter().any(has_work) {
            return Ok(());
        }
        let Some(pause_until) = self.extend_lease(app).await? else { return Ok(()) };
        // After a restore, event ids may start at a lower number.
        for feed in feeds.iter().filter(|feed| feed.channel.last_event_id > last) {
            let (id, from) = (feed.channel.id, feed.channel.last_event_id);
            app.store.write(move |tx| statsfeed::skip_events(tx, &[id], from, last).map_err(AppError::from)).await?;
        }
        queue_messages(&app.store, &feeds, last).await?;
        if pause_until > app.store.now().0 || !self.discord.blocked_for().is_zero() {
            return Ok(());
        }
        let (feeds, _) = read_feeds(&app.store).await?;
        let now = app.store.now().0;
        let mut calls = Vec::new();
        for feed in feeds.iter().filter(|feed| feed.channel.next_at <= now && feed.outbox.is_some()) {
            calls.push(self.send(app, feed));
        }
        let sent: Vec<Result<(), AppError>> =
            futures_util::stream::iter(calls).buffer_unordered(MAX_CONCURRENT_CALLS).collect().await;
        sent.into_iter().collect::<Result<(), AppError>>()?;
        // A leaderboard that shows a player who has hidden since is updated now.
        let are_stale = app.projections.bot_boards.take();
        let is_due = |feed: &&Feed| (are_stale || feed.channel.board_due_at <= now) && feed.channel.next_at <= now;
        for feed in feeds.iter().filter(is_due) {
            if let Some(metric) = feed.filter.board {
                board::update(self, app, feed, metric).await?;
            }
        }
        Ok(())
    }
}

/// Queues the next message of each feed without a queued one, and advances feeds without matching events.
async fn queue_messages(store: &Store, feeds: &[Feed], last: i64) -> Result<(), AppError> {
    let now = store.now();
    let is_free =
        |feed: &&Feed| feed.outbox.is_none() && feed.channel.last_event_id < last && feed.channel.next_at <= now.0;
    let mut by_position: HashMap<i64, Vec<&Feed>> = HashMap::new();
    for feed in feeds.iter().filter(is_free) {
        by_position.entry(feed.channel.last_event_id).or_default().push(feed);
    }
    for (from, feeds) in by_position {
        let range = read_events(store, from, now).await?;
        let (mut unmatched, mut queued) = (Vec::new(), Vec::new());
        for feed in feeds {
            match next_message(feed, &range) {
                None => unmatched.push(feed.channel.id),
                Some((ids, to)) => {
                    let ids = serde_json::to_string(&ids).map_err(AppError::internal)?;
                    queued.push((feed.channel.id, to, ids));
                }
            }
        }
        let to = range.last;
        store
            .write(move |tx| {
                statsfeed::skip_events(tx, &unmatched, from, to)?;
                for (id, to, event_ids) in &queued {
                    statsfeed::enqueue(tx, *id, from, *to, event_ids, now.0)?;
                }
                Ok::<_, AppError>(())
            })
            .await?;
    }
    Ok(())
}

/// Reads the enabled feeds and the id of the newest event.
async fn read_feeds(store: &Store) -> Result<(Vec<Feed>, i64), AppError> {
    let (rows, last) = store.read(|conn| Ok((statsfeed::list(conn)?, ingest::last_id(conn)?))).await?;
    let feeds = rows.into_iter().filter_map(|(channel, outbox)| {
        let filter = parse_filter(&channel);
        channel.disabled_reason.is_none().then_some(Feed { channel, filter, outbox })
    });
    Ok((feeds.collect(), last))
}

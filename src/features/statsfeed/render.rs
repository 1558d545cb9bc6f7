//! Selects the events of a message and renders it.
//!
//! The outbox stores event ids only. A message is rendered when it is sent, so a player who hides meanwhile is not named.

use std::collections::HashMap;

use serde_json::Value;

use super::feed::{Feed, FeedKind};
use super::message;
use crate::domain::events::is_listed;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::store::ingest::EventRow;
use crate::store::statsfeed::OutboxRow;
use crate::store::{Store, activity, leaderboard};
use crate::views::activity::{ActivityRow, Names};

/// Events per read.
const MAX_EVENTS_PER_READ: i64 = 500;

/// A visible event.
struct FeedEvent {
    event_id: i64,
    row: ActivityRow,
    /// The highest overall score among its visible players.
    best_score: i64,
}

/// A range of events: those that are visible and recent, and the id of the last one read.
pub(super) struct EventRange {
    events: Vec<FeedEvent>,
    pub last: i64,
}

/// Reads the events after `from`. Events older than a day are skipped: readers may upload old logs.
pub(super) async fn read_events(store: &Store, from: i64, now: EpochMillis) -> Result<EventRange, AppError> {
    Ok(store
        .read(move |conn| {
            let events = activity::after(conn, from, MAX_EVENTS_PER_READ)?;
            let last = events.last().map_or(from, |event| event.id);
            let is_recent = |event: &EventRow| is_listed(event.category) && event.event_time >= now.0 - DAY_MS;
            Ok(EventRange { events: visible_events(conn, &events, is_recent)?, last })
        })
        .await?)
}

/// Keeps the events that pass `filter` and are publicly visible now.
fn visible_events(
    conn: &mut AnyConn,
    events: &[EventRow],
    filter: impl Fn(&EventRow) -> bool,
) -> diesel::QueryResult<Vec<FeedEvent>> {
    let names = Names::read(conn, events)?;
    let players: Vec<i64> = names.players.iter().filter(|(_, person)| !person.is_hidden).map(|(id, _)| *id).collect();
    let scores: HashMap<i64, i64> =
        leaderboard::scores_of(conn, &players)?.into_iter().map(|s| (s.player_id, s.scores.overall())).collect();
    let visible = events.iter().filter(|event| filter(event) && names.is_visible(event)).map(|event| {
        let ids = [event.killer_id, event.victim_id, event.player_id].into_iter().flatten();
        let best_score = ids.filter_map(|id| scores.get(&id)).max().copied().unwrap_or(0);
        FeedEvent { event_id: event.id, row: names.row(event), best_score }
    });
    Ok(visible.collect())
}

/// Selects the events of a feed.
fn matching<'a>(feed: &Feed, kind: FeedKind, events: &'a [FeedEvent]) -> Vec<&'a FeedEvent> {
    let matches = |event: &&FeedEvent| kind.matches(&event.row) && feed.filter.matches(&event.row, event.best_score);
    events.iter().filter(matches).collect()
}

fn line_of(feed: &Feed, event: &FeedEvent) -> String {
    message::event_line(&event.row, feed.filter.language)
}

/// The event ids of the next message of a feed and the event that it reaches; `None` if no event matches.
pub(super) fn next_message(feed: &Feed, range: &EventRange) -> Option<(Vec<i64>, i64)> {
    let matching = matching(feed, FeedKind::parse(&feed.channel.kind)?, &range.events);
    if matching.is_empty() {
        return None;
    }
    let lines: Vec<String> = matching.iter().map(|event| line_of(feed, event)).collect();
    let fits = message::count_fitting(&lines);
    // The rest belongs to the next message.
    let to = if fits == lines.len() { range.last } else { matching.get(fits - 1)?.event_id };
    Some((matching.iter().take(fits).map(|event| event.event_id).collect(), to))
}

/// Renders a queued message from the current state of its events; `None` if none of them is still visible.
pub(super) async fn render(
    store: &Store,
    feed: &Feed,
    outbox: &OutboxRow,
    footer: &str,
) -> Result<Option<Value>, AppError> {
    let ids: Vec<i64> = serde_json::from_str(&outbox.event_ids).map_err(AppError::internal)?;
    let Some(kind) = FeedKind::parse(&feed.channel.kind) else { return Ok(None) };
    let events = store
        .read(move |conn| {
            let events = activity::find_many(conn, &ids)?;
            visible_events(conn, &events, |_| true)
        })
        .await?;
    let lines: Vec<String> = matching(feed, kind, &events).into_iter().map(|event| line_of(feed, event)).collect();
    Ok((!lines.is_empty()).then(|| message::message(&lines, footer)))
}

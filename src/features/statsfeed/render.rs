//! Which events a message is made of, and its text. The queue holds ids only: the text is rendered when it is sent.

use std::collections::HashMap;

use serde_json::Value;

use super::post::Feed;
use super::{FeedKind, lines};
use crate::app::App;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::error::AppError;
use crate::features::activity::names;
use crate::store::conn::AnyConn;
use crate::store::ingest::EventRow;
use crate::store::statsfeed::OutboxRow;
use crate::store::{activity, leaderboard};
use crate::views::activity::ActivityRow;

/// How many events one look takes.
const LOOK: i64 = 500;

/// The row of an event, to become a line.
struct Told {
    event_id: i64,
    row: ActivityRow,
    /// The highest overall score among the visible players in it.
    best: i64,
}

/// A range of events: the lines that they give, and the id of the last event.
pub(super) struct Stretch {
    told: Vec<Told>,
    pub last: i64,
}

/// Reads the events after a place. What happened more than a day ago is history, not news: old logs may still come in.
pub(super) async fn stretch(app: &App, from: i64, now: EpochMillis) -> Result<Stretch, AppError> {
    let found = app
        .store
        .read(move |conn| {
            let events = activity::after(conn, from, LOOK)?;
            let last = events.last().map_or(from, |event| event.id);
            let is_news = |event: &EventRow| {
                event.category != activity::CONNECTION_CATEGORY && event.event_time >= now.0 - DAY_MS
            };
            Ok(Stretch { told: visible(conn, &events, is_news)?, last })
        })
        .await?;
    Ok(found)
}

/// The lines of those events that pass a filter and that anybody may see now.
fn visible(
    conn: &mut AnyConn,
    events: &[EventRow],
    passes: impl Fn(&EventRow) -> bool,
) -> diesel::QueryResult<Vec<Told>> {
    let names = names(conn, events)?;
    let mut people: Vec<i64> = names.people.iter().filter(|(_, person)| !person.is_hidden).map(|(id, _)| *id).collect();
    people.sort_unstable();
    let scores: HashMap<i64, i64> =
        leaderboard::scores_of(conn, &people)?.into_iter().map(|s| (s.player_id, s.overall)).collect();
    let told = events.iter().filter(|event| passes(event) && names.is_visible(event)).map(|event| {
        let ids = [event.killer_id, event.victim_id, event.player_id].into_iter().flatten();
        let best = ids.filter_map(|id| scores.get(&id)).max().copied().unwrap_or(0);
        Told { event_id: event.id, row: names.row(event), best }
    });
    Ok(told.collect())
}

/// What of a stretch is for a feed.
fn wanted<'a>(feed: &Feed, kind: FeedKind, told: &'a [Told]) -> Vec<&'a Told> {
    told.iter().filter(|told| kind.takes(&told.row) && feed.filter.takes(&told.row, told.best)).collect()
}

fn line_of(feed: &Feed, told: &Told) -> String {
    lines::line(&told.row, feed.filter.language)
}

/// The events of the next message of a feed and the event it goes up to; `None` when nothing in the stretch is for it.
pub(super) fn next_message(feed: &Feed, stretch: &Stretch) -> Option<(Vec<i64>, i64)> {
    let wanted = wanted(feed, FeedKind::parse(&feed.channel.kind)?, &stretch.told);
    if wanted.is_empty() {
        return None;
    }
    let lines: Vec<String> = wanted.iter().map(|told| line_of(feed, told)).collect();
    let fits = lines::fitting(&lines);
    // What does not fit is the next message: the place stays before it.
    let to = if fits == lines.len() { stretch.last } else { wanted.get(fits - 1)?.event_id };
    Some((wanted.iter().take(fits).map(|told| told.event_id).collect(), to))
}

/// Renders a queued message from the events as they are now, so that a player who has hidden meanwhile is not named, nor
/// shown by a filter for that player; `None` when nothing is left.
pub(super) async fn rendered(app: &App, feed: &Feed, outbox: &OutboxRow) -> Result<Option<Value>, AppError> {
    let ids: Vec<i64> = serde_json::from_str(&outbox.event_ids).map_err(AppError::internal)?;
    let Some(kind) = FeedKind::parse(&feed.channel.kind) else { return Ok(None) };
    let told = app
        .store
        .read(move |conn| {
            let events = activity::find_many(conn, &ids)?;
            visible(conn, &events, |_| true)
        })
        .await?;
    let lines: Vec<String> = wanted(feed, kind, &told).into_iter().map(|told| line_of(feed, told)).collect();
    Ok((!lines.is_empty()).then(|| lines::message(&lines)))
}

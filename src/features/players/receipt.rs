//! What a score of a player consists of: every event behind it, and those that do not count.

use std::collections::BTreeMap;

use crate::app::App;
use crate::domain::play_sessions::PlaySession;
use crate::domain::scores::{Evidence, Metric};
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::domain::trust::{Grade, RULES_VERSION, Reasons};
use crate::domain::viewer::Viewer;
use crate::domain::windows::{RankedBy, Window};
use crate::error::AppError;
use crate::features::ingest::Baseline;
use crate::store::activity::{self, FeedCursor};
use crate::store::conn::AnyConn;
use crate::store::ingest::{EventRow, PlaySessionRow};
use crate::store::players::PlayerRow;
use crate::store::receipts::{self, GradeCount, ReceiptScope};
use crate::store::{leaderboard, patch, recount, tlog};
use crate::views::activity::Names;
use crate::views::receipts::{Receipt, ReceiptEvent, ReceiptGrade, ReceiptReason, ReceiptSession};
use crate::views::secs;
use crate::views::tlog::LogPosition;

use super::profile::require_visible;

/// A page of a receipt.
#[derive(Debug, Clone, Copy)]
pub struct ReceiptQuery {
    pub metric: Metric,
    pub window: Window,
    /// The id of the last event of the previous page, or for playtime the login of its last session in epoch seconds.
    pub before: Option<i64>,
    pub limit: i64,
}

/// The receipt of a score.
pub async fn receipt(app: &App, viewer: &Viewer, handle: &str, query: ReceiptQuery) -> Result<Receipt, AppError> {
    let player = require_visible(&app.store, viewer, handle).await?;
    let rank = rank(app, &player, query).await?;
    let now = EpochMillis::now();
    let read = move |conn: &mut AnyConn| read(conn, &player, query, rank, now);
    let receipt = app.store.read_consistent(read).await?;
    receipt.ok_or_else(|| AppError::invalid_parameter("before", "the id of an event of this receipt"))
}

/// The rank that the leaderboard shows.
async fn rank(app: &App, player: &PlayerRow, query: ReceiptQuery) -> Result<Option<i64>, AppError> {
    if player.is_hidden {
        return Ok(None);
    }
    if query.window == Window::All {
        let id = player.id;
        let scores = app.store.read(move |conn| leaderboard::score_of(conn, id)).await?;
        let score = scores.map_or(0, |row| row.scores().get(query.metric));
        return Ok(app.projections.players().rank(query.metric, score));
    }
    let by = RankedBy { metric: query.metric, evidence: Evidence::Any };
    Ok(app.projections.window(query.window).await?.board.player(player.id, by).map(|row| row.rank))
}

/// Reads a receipt; `None` if `before` is unknown.
fn read(
    conn: &mut AnyConn,
    player: &PlayerRow,
    query: ReceiptQuery,
    rank: Option<i64>,
    now: EpochMillis,
) -> Result<Option<Receipt>, AppError> {
    let scope = scope(conn, player.id, query, now)?;
    let is_all_time = query.window == Window::All;
    let imported = if is_all_time { imported(conn, player.id, query.metric)? } else { 0 };
    let mut receipt = Receipt {
        handle: player.handle.clone(),
        metric: query.metric,
        window: Window::NAMES.iter().find(|(_, window)| *window == query.window).map_or("all", |(name, _)| name),
        value: imported,
        rank,
        rules: RULES_VERSION,
        grades: Vec::new(),
        imported,
        withheld: Vec::new(),
        events: Vec::new(),
        sessions: Vec::new(),
        next: None,
        checkpoint: tlog::newest_checkpoint(conn)?.map(LogPosition::from),
    };
    let is_found = match (query.metric, scope) {
        (_, None) => true,
        (Metric::Playtime, Some(scope)) => {
            add_sessions(conn, &mut receipt, scope, query)?;
            true
        }
        (_, Some(scope)) => add_events(conn, &mut receipt, scope, player, query)?,
    };
    Ok(is_found.then_some(receipt))
}

/// The events of a window; `None` if there is no patch.
fn scope(
    conn: &mut AnyConn,
    player_id: i64,
    query: ReceiptQuery,
    now: EpochMillis,
) -> diesel::QueryResult<Option<ReceiptScope>> {
    let all = ReceiptScope { player_id, metric: query.metric, from: i64::MIN, patch_version: None };
    Ok(match query.window {
        Window::All => Some(all),
        Window::Patch => patch::newest(conn)?.map(|newest| ReceiptScope { patch_version: Some(newest.version), ..all }),
        window => Some(ReceiptScope { from: now.0 - window.days() * DAY_MS, ..all }),
    })
}

/// The figure that an import brought without events.
fn imported(conn: &mut AnyConn, player_id: i64, metric: Metric) -> diesel::QueryResult<i64> {
    let stored = recount::baseline(conn, player_id)?;
    let baseline: Option<Baseline> = stored.and_then(|json| serde_json::from_str(&json).ok());
    Ok(baseline.map_or(0, |baseline| baseline.scores(player_id, String::new(), false).scores.get(metric)))
}

fn add_events(
    conn: &mut AnyConn,
    receipt: &mut Receipt,
    scope: ReceiptScope,
    player: &PlayerRow,
    query: ReceiptQuery,
) -> diesel::QueryResult<bool> {
    let before: Option<FeedCursor> = match query.before {
        None => None,
        Some(id) => match activity::cursor_of(conn, id)? {
            Some(cursor) => Some(cursor),
            None => return Ok(false),
        },
    };
    let standing = receipts::count_standing(conn, scope)?;
    let withheld = receipts::count_withheld(conn, scope)?;
    receipt.grades = grades(&standing);
    receipt.value += receipt.grades.iter().map(|part| part.value).sum::<i64>();
    receipt.withheld = reasons(standing.iter().chain(&withheld));
    let ids = receipts::list_standing(conn, scope, before, query.limit)?;
    let mut events = activity::find_many(conn, &ids)?;
    events.sort_by_key(|event| std::cmp::Reverse((event.event_time, event.id)));
    let mut names = Names::from(activity::names_of(conn, &events)?);
    // A viewer who may see a hidden profile sees its name.
    if let Some(person) = names.people.get_mut(&player.id) {
        person.is_hidden = false;
        person.handle.clone_from(&player.handle);
    }
    receipt.events = events.iter().map(|event| row(&names, event)).collect();
    receipt.next = events.last().filter(|_| ids.len() as i64 == query.limit).map(|event| event.id.to_string());
    Ok(true)
}

fn row(names: &Names, event: &EventRow) -> ReceiptEvent {
    let reasons = event.reasons();
    ReceiptEvent { event: names.row(event), counts: reasons.counts(), reasons: reasons.names() }
}

fn grades(counts: &[GradeCount]) -> Vec<ReceiptGrade> {
    let counted = |grade: Grade| {
        let of_grade = counts.iter().filter(|count| count.grade == grade.code());
        of_grade.filter(|count| Reasons::from_bits(count.reasons).counts()).map(|count| count.events).sum::<i64>()
    };
    let parts = Grade::ALL.into_iter().map(|grade| ReceiptGrade { grade: grade.as_str(), value: counted(grade) });
    parts.filter(|part| part.value > 0).collect()
}

fn reasons<'a>(counts: impl Iterator<Item = &'a GradeCount>) -> Vec<ReceiptReason> {
    let mut by_reason: BTreeMap<&'static str, i64> = BTreeMap::new();
    for count in counts {
        for reason in Reasons::from_bits(count.reasons).names() {
            *by_reason.entry(reason).or_default() += count.events;
        }
    }
    let mut listed: Vec<ReceiptReason> =
        by_reason.into_iter().map(|(reason, events)| ReceiptReason { reason, events }).collect();
    listed.sort_by_key(|part| (-part.events, part.reason));
    listed
}

fn add_sessions(
    conn: &mut AnyConn,
    receipt: &mut Receipt,
    scope: ReceiptScope,
    query: ReceiptQuery,
) -> diesel::QueryResult<()> {
    let mut sessions: Vec<PlaySession> =
        receipts::list_sessions(conn, scope)?.iter().map(PlaySessionRow::session).collect();
    sessions.retain(|session| session.end().0 >= scope.from);
    receipt.value += sessions.iter().map(PlaySession::secs).sum::<i64>();
    let is_older = |session: &PlaySession| query.before.is_none_or(|before| secs(session.login_at.0) < before);
    let older: Vec<&PlaySession> = sessions.iter().filter(|session| is_older(session)).collect();
    let page = older.iter().take(usize::try_from(query.limit).unwrap_or(usize::MAX));
    receipt.sessions = page
        .map(|session| ReceiptSession {
            login_at: secs(session.login_at.0),
            ended_at: secs(session.end().0),
            playtime: session.secs(),
        })
        .collect();
    let has_more = older.len() > receipt.sessions.len();
    receipt.next = receipt.sessions.last().filter(|_| has_more).map(|session| session.login_at.to_string());
    Ok(())
}

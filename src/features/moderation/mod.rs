//! Moderation: admins hold, release and void events, and undo that. Every action is an entry of the history, which only admins see; a job
//! applies it in short transactions.

mod events;
mod preview;
mod run;
mod target;

use std::sync::Arc;

pub use events::{EventFilter, list_events};
pub use preview::preview;
pub use run::run_pending;
pub use target::{Selection, Target};

use crate::app::App;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Action, TargetKind};
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::replication::{self, Change, RecordedChange};
use crate::store::conn::AnyConn;
use crate::store::moderation::{self, ModerationRow};
use crate::store::{Store, Tx, ingest, keys, players, users};
use crate::views::moderation::{ModerationEntry, ModerationPage};

use target::Resolved;

/// The job that applies entries.
pub const JOB: &str = "moderation";

const MAX_REASON_CHARS: usize = 500;

pub fn require_admin(viewer: &Member) -> Result<(), AppError> {
    if viewer.is_admin {
        return Ok(());
    }
    Err(AppError::Forbidden("Only admins of this site can moderate events.".into()))
}

/// Enters an action of an admin into the history and begins to apply it.
pub async fn start(
    app: &Arc<App>,
    viewer: &Member,
    action: Action,
    selection: Selection,
    reason: &str,
) -> Result<ModerationEntry, AppError> {
    require_admin(viewer)?;
    let after = Arc::clone(app);
    let publish = move |recorded: &RecordedChange| after.projections.apply([recorded.clone()]);
    let entry = enter(&app.store, Some(viewer.user_id), action, selection, reason, publish).await?;
    app.diagnostics.jobs.trigger(JOB);
    tracing::info!(user = viewer.user_id, entry = entry.id, action = action.as_str(), "an admin moderates events");
    Ok(entry)
}

/// Enters the undoing of an entry into the history and begins to apply it.
pub async fn start_undo(app: &Arc<App>, viewer: &Member, id: i64, reason: &str) -> Result<ModerationEntry, AppError> {
    require_admin(viewer)?;
    let entry = enter_undo(&app.store, Some(viewer.user_id), id, reason).await?;
    app.diagnostics.jobs.trigger(JOB);
    tracing::info!(user = viewer.user_id, entry = entry.id, undoes = id, "an admin undoes moderation");
    Ok(entry)
}

/// Enters an action into the history. `publish` receives the committed change. To void a reporter also revokes its keys, and bans an account, so that no further reports
/// arrive.
pub async fn enter(
    store: &Store,
    actor_id: Option<i64>,
    action: Action,
    selection: Selection,
    reason: &str,
    publish: impl Fn(&RecordedChange) + Send + 'static,
) -> Result<ModerationEntry, AppError> {
    let reason = parse_reason(reason)?;
    let (now, wanted) = (store.now(), selection.clone());
    let (resolved, last_id, total) = store
        .read(move |conn| {
            let Some(resolved) = wanted.target.resolve(conn)? else { return Ok(None) };
            let last_id = ingest::last_id(conn)?;
            let total = moderation::count_selected(conn, Some(&resolved.events), wanted.bounds(1, last_id))?;
            Ok(Some((resolved, last_id, total)))
        })
        .await?
        .ok_or_else(|| selection.target.not_found())?;
    let row = ModerationRow {
        id: 0,
        at: now.0,
        actor_id,
        action: action.code(),
        target: resolved.kind.code(),
        subject: resolved.subject.clone(),
        name: resolved.name.clone(),
        from_time: selection.from,
        until_time: selection.until,
        reason,
        state: moderation::RUNNING,
        position: 0,
        last_id,
        done: 0,
        total,
        undoes: None,
        undone_by: None,
    };
    let act = move |tx: &mut Tx| {
        let recorded = if action == Action::Void { stop_reporter(tx, &resolved, now)? } else { None };
        let id = moderation::insert(tx, &row)?;
        Ok::<_, AppError>((ModerationEntry::from(ModerationRow { id, ..row.clone() }), recorded))
    };
    let apply = move |(_, recorded): &(ModerationEntry, Option<RecordedChange>)| recorded.iter().for_each(&publish);
    Ok(store.write_then(act, apply).await?.0)
}

/// Revokes the keys of a reporter, and bans an account.
fn stop_reporter(tx: &mut Tx, target: &Resolved, now: EpochMillis) -> Result<Option<RecordedChange>, AppError> {
    if !target.kind.is_reporter() {
        return Ok(None);
    }
    if let Some(user_id) = target.user_id() {
        users::set_banned(tx, user_id, Some(now.0))?;
    }
    for key_id in target.key_ids() {
        keys::revoke(tx, *key_id, now.0)?;
    }
    Ok(Some(replication::record(tx, Change::IngestKeys)?))
}

/// Enters the undoing of an entry into the history. Revoked keys remain revoked; a banned account is no longer banned.
pub async fn enter_undo(
    store: &Store,
    actor_id: Option<i64>,
    id: i64,
    reason: &str,
) -> Result<ModerationEntry, AppError> {
    let (reason, now) = (parse_reason(reason)?, store.now());
    store
        .write(move |tx| {
            let entry = moderation::find(tx, id)?.ok_or_else(|| AppError::NotFound(format!("No entry {id}.")))?;
            let total = moderation::count_events(tx, id)?;
            require_undoable(&entry, total)?;
            let row = ModerationRow {
                id: 0,
                at: now.0,
                actor_id,
                action: Action::Undo.code(),
                reason: reason.clone(),
                state: moderation::RUNNING,
                position: 0,
                done: 0,
                total,
                undoes: Some(id),
                undone_by: None,
                ..entry
            };
            let undo_id = moderation::insert(tx, &row)?;
            if !moderation::set_undone(tx, id, undo_id)? {
                return Err(already_undone(id));
            }
            if row.target == TargetKind::Account.code() && entry.action == Action::Void.code() {
                users::set_banned(tx, row.subject.parse().unwrap_or_default(), None)?;
            }
            Ok::<_, AppError>(ModerationRow { id: undo_id, ..row }.into())
        })
        .await
}

fn require_undoable(entry: &ModerationRow, changed_events: i64) -> Result<(), AppError> {
    if entry.state == moderation::RUNNING {
        return Err(AppError::Conflict(format!("Entry {} is not complete yet.", entry.id)));
    }
    if entry.action == Action::Undo.code() {
        return Err(AppError::Conflict("An undo cannot be undone: repeat the action instead.".into()));
    }
    if entry.undone_by.is_some() {
        return Err(already_undone(entry.id));
    }
    if changed_events == 0 && entry.done > 0 {
        let sentence = format!("Entry {} changed no event of this database, so there is nothing to undo.", entry.id);
        return Err(AppError::Conflict(sentence));
    }
    Ok(())
}

fn already_undone(id: i64) -> AppError {
    AppError::Conflict(format!("Entry {id} is undone already."))
}

/// The text with which an action is explained.
pub fn parse_reason(reason: &str) -> Result<String, AppError> {
    let reason = reason.trim();
    let is_valid =
        !reason.is_empty() && reason.chars().count() <= MAX_REASON_CHARS && !reason.chars().any(char::is_control);
    if is_valid { Ok(reason.to_owned()) } else { Err(AppError::invalid_parameter("reason", "1 to 500 characters")) }
}

/// The history, newest entries first. `before` is the id of the last entry of the previous page.
pub async fn list(store: &Store, before: Option<i64>, limit: i64) -> Result<ModerationPage, AppError> {
    let rows = store
        .read(move |conn| {
            let mut rows = moderation::list_entries(conn, before.unwrap_or(i64::MAX), limit)?;
            name_players(conn, &mut rows)?;
            Ok(rows)
        })
        .await?;
    let next = rows.last().filter(|_| rows.len() as i64 == limit).map(|row| row.id);
    Ok(ModerationPage { data: rows.into_iter().map(ModerationEntry::from).collect(), next })
}

/// Names players as they are called now; hidden ones are not named.
fn name_players(conn: &mut AnyConn, rows: &mut [ModerationRow]) -> diesel::QueryResult<()> {
    let player_id =
        |row: &ModerationRow| row.subject.parse::<i64>().ok().filter(|_| row.target == TargetKind::Player.code());
    let ids: Vec<i64> = rows.iter().filter_map(player_id).collect();
    let players = players::find_refs_by_id(conn, &ids)?;
    for row in rows {
        if let Some(id) = player_id(row) {
            let visible = players.iter().find(|player| player.id == id && !player.is_hidden);
            row.name = visible.map(|player| player.handle.clone());
        }
    }
    Ok(())
}

/// an entry of the history.
pub async fn find(store: &Store, id: i64) -> Result<Option<ModerationEntry>, AppError> {
    Ok(store.read(move |conn| moderation::find(conn, id)).await?.map(ModerationEntry::from))
}

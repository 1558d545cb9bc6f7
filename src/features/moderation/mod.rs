//! Moderation: admins block accounts and keys, remove reports, pin patches, rename and merge players, and undo that. Every action is an
//! entry of the history. What it does to accounts, players and patches happens at once; a job applies it to stored reports.

mod entry;
mod job;
mod players;
mod reports;

use std::sync::Arc;

pub use job::run_pending;
pub use reports::{list_reports, removal_reason};

use crate::app::App;
use crate::domain::trust::Action;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::admin;
use crate::store::changes::{self, Change, EntityChange};
use crate::store::conn::AnyConn;
use crate::store::moderation::{self, ModerationRow};
use crate::store::{Store, Tx, ingest, keys, patch, users};
use crate::views::moderation::{ModerationEntry, ModerationPage, ModerationRequest};

/// The job that applies entries.
pub const JOB: &str = "moderation";

pub fn require_admin(viewer: &Member) -> Result<(), AppError> {
    admin::require(viewer, "moderate")
}

/// Enters an action of an admin into the history and begins to apply it.
pub async fn start(app: &Arc<App>, viewer: &Member, request: ModerationRequest) -> Result<ModerationEntry, AppError> {
    require_admin(viewer)?;
    let action = request.action;
    let entry = enter(&app.store, Some(viewer.user_id), request).await?;
    app.diagnostics.jobs.trigger(JOB);
    tracing::info!(user = viewer.user_id, entry = entry.id, action = action.as_str(), "an admin moderates");
    Ok(entry)
}

/// Undoes an entry and begins to apply that.
pub async fn start_undo(app: &Arc<App>, viewer: &Member, id: i64) -> Result<ModerationEntry, AppError> {
    require_admin(viewer)?;
    let entry = enter_undo(&app.store, Some(viewer.user_id), id).await?;
    app.diagnostics.jobs.trigger(JOB);
    tracing::info!(user = viewer.user_id, entry = id, "an admin undoes moderation");
    Ok(entry)
}

/// Enters an action into the history.
pub async fn enter(
    store: &Store,
    actor_id: Option<i64>,
    request: ModerationRequest,
) -> Result<ModerationEntry, AppError> {
    let now = store.now();
    let read = move |conn: &mut AnyConn| Ok(entry::parse(conn, &request).and_then(|row| Ok(counted(conn, row)?)));
    let row = ModerationRow { at: now.0, actor_id, ..store.read(read).await?? };
    let act = move |tx: &mut Tx| {
        let row = ModerationRow { id: moderation::insert(tx, &row)?, ..row.clone() };
        apply_at_once(tx, &row, now.0)?;
        Ok::<_, AppError>(ModerationEntry::from(row))
    };
    store.write(act).await
}

/// An entry with the number of reports that it will process.
fn counted(conn: &mut AnyConn, row: ModerationRow) -> diesel::QueryResult<ModerationRow> {
    let row = ModerationRow { last_id: ingest::last_id(conn)?, ..row };
    Ok(ModerationRow { total: job::count(conn, &row)?, ..row })
}

/// Undoes an entry.
pub async fn enter_undo(store: &Store, actor_id: Option<i64>, id: i64) -> Result<ModerationEntry, AppError> {
    let now = store.now();
    let read = move |conn: &mut AnyConn| {
        let Some(row) = moderation::find(conn, id)? else { return Ok(None) };
        counted(conn, ModerationRow { position: 0, undone_at: Some(now.0), ..row }).map(Some)
    };
    let row = store.read(read).await?.ok_or_else(|| AppError::NotFound(format!("No entry {id}.")))?;
    if !row.is_applied {
        return Err(AppError::Conflict(format!("Entry {id} is not complete yet.")));
    }
    let act = move |tx: &mut Tx| {
        if !moderation::undo(tx, id, actor_id, now.0, row.last_id, row.total)? {
            return Err(AppError::Conflict(format!("Entry {id} is undone already.")));
        }
        let undone = moderation::find(tx, id)?.unwrap_or_else(|| row.clone());
        apply_at_once(tx, &undone, now.0)?;
        Ok::<_, AppError>(ModerationEntry::from(undone))
    };
    store.write(act).await
}

/// Applies what an entry, or its undoing, changes beside stored reports.
fn apply_at_once(tx: &mut Tx, row: &ModerationRow, now: i64) -> Result<(), AppError> {
    let mut entities = EntityChange::default();
    match row.action() {
        Some(Action::Block | Action::Unblock) => {
            set_blocked(tx, row, now)?;
            return Ok(changes::record(tx, Change::IngestKeys)?);
        }
        Some(Action::Pin) => pin_last(tx, now)?,
        Some(Action::Rename) => players::rename(tx, row, now, &mut entities)?,
        Some(Action::Merge) => players::merge(tx, row, now, &mut entities)?,
        Some(Action::Remove | Action::Restore) | None => {}
    }
    if !entities.players.is_empty() {
        changes::record(tx, Change::Entities(entities))?;
    }
    Ok(())
}

/// The last entry in force about an account or a key decides whether it is blocked.
fn set_blocked(tx: &mut Tx, changed: &ModerationRow, now: i64) -> Result<(), AppError> {
    let is_same = |row: &ModerationRow| (row.key_id, row.user_id) == (changed.key_id, changed.user_id);
    let last = moderation::in_force(tx)?
        .into_iter()
        .rfind(|row| is_same(row) && matches!(row.action(), Some(Action::Block | Action::Unblock)));
    let at = last.is_some_and(|row| row.action() == Some(Action::Block)).then_some(now);
    if let Some(user_id) = changed.user_id {
        users::set_blocked(tx, user_id, at)?;
    }
    if let Some(key_id) = changed.key_id {
        keys::set_blocked(tx, key_id, at)?;
    }
    Ok(())
}

/// The patch of the last pin in force is pinned.
fn pin_last(tx: &mut Tx, now: i64) -> Result<(), AppError> {
    let pins = moderation::in_force(tx)?.into_iter().filter(|row| row.action() == Some(Action::Pin));
    match pins.filter_map(|row| Some((row.patch_version?, row.name?))).next_back() {
        Some((version, name)) => patch::pin(tx, version, &name, now)?,
        None => patch::unpin(tx)?,
    }
    Ok(())
}

/// The reason for which an account or a key is blocked.
pub fn block_reason(conn: &mut AnyConn, key_id: i64, user_id: Option<i64>) -> diesel::QueryResult<Option<String>> {
    let blocks = moderation::in_force(conn)?.into_iter().filter(|row| {
        let is_target = row.key_id == Some(key_id) || (row.user_id.is_some() && row.user_id == user_id);
        is_target && row.action() == Some(Action::Block)
    });
    Ok(blocks.map(|row| row.reason).next_back())
}

/// The history, newest entries first. `before` is the id of the last entry of the previous page.
pub async fn list(store: &Store, before: Option<i64>, limit: i64) -> Result<ModerationPage, AppError> {
    let rows = store.read(move |conn| moderation::list_entries(conn, before.unwrap_or(i64::MAX), limit)).await?;
    let next = rows.last().filter(|_| rows.len() as i64 == limit).map(|row| row.id);
    Ok(ModerationPage { data: rows.into_iter().map(ModerationEntry::from).collect(), next })
}

/// An entry of the history.
pub async fn find(store: &Store, id: i64) -> Result<Option<ModerationEntry>, AppError> {
    Ok(store.read(move |conn| moderation::find(conn, id)).await?.map(ModerationEntry::from))
}

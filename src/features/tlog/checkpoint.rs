//! Signs checkpoints, and sends one per day to webhooks.

use super::damaged;
use crate::app::App;
use crate::domain::hex;
use crate::domain::times::EpochMillis;
use crate::domain::tlog::{Checkpoint, Hash, Tree, partial_tiles};
use crate::error::AppError;
use crate::features::webhooks;
use crate::store::conn::AnyConn;
use crate::store::tlog::{self, CheckpointRow};
use crate::views::secs;
use crate::views::tlog::LogInfo;

/// Whether the newest checkpoint is older than the interval in the settings, or signed with another key.
pub(super) async fn is_due(app: &App) -> Result<bool, AppError> {
    let interval_ms = i64::from(app.settings.transparency_log.checkpoint_secs) * 1_000;
    let now = EpochMillis::now().0;
    let newest = app.store.read(tlog::newest_checkpoint).await?;
    Ok(newest.is_none_or(|newest| {
        // A time in the future is from before the clock was corrected.
        !(0..interval_ms).contains(&(now - newest.signed_at))
            || Checkpoint::open(&newest.note, app.log_key.verifier()).is_err()
    }))
}

/// Signs the tree if it has grown or the key has changed, and sends the first checkpoint of a day to webhooks.
pub(super) async fn sign(app: &App) -> Result<(), AppError> {
    let (size, root, newest) = app.store.read_consistent(read_root).await?;
    let is_current = |row: &CheckpointRow| {
        row.size == size && Checkpoint::open(&row.note, app.log_key.verifier()).is_ok_and(|read| read.root == root)
    };
    let now = EpochMillis::now();
    let row = match newest {
        Some(row) if is_current(&row) => row,
        _ => {
            let note = app.log_key.sign(size.unsigned_abs(), root);
            let row = CheckpointRow { size, signed_at: now.0, root: root.0.to_vec(), note };
            let new = row.clone();
            app.store.write(move |tx| tlog::put_checkpoint(tx, &new).map_err(AppError::from)).await?;
            row
        }
    };
    if row.size > 0 { announce(app, row, now).await } else { Ok(()) }
}

fn read_root(conn: &mut AnyConn) -> Result<(i64, Hash, Option<CheckpointRow>), AppError> {
    let size = tlog::state(conn)?.size;
    let tiles = tlog::tiles(conn, partial_tiles(size.unsigned_abs()))?;
    let root = Tree::resume(size.unsigned_abs(), tiles).and_then(|tree| tree.root()).ok_or_else(|| damaged(size))?;
    Ok((size, root, tlog::newest_checkpoint(conn)?))
}

/// Sends a checkpoint to webhooks, unless one of this day was sent.
async fn announce(app: &App, row: CheckpointRow, now: EpochMillis) -> Result<(), AppError> {
    let today = now.day().0;
    if app.store.read(tlog::state).await?.announced_day >= today {
        return Ok(());
    }
    let data = serde_json::to_value(view(app, row)).map_err(AppError::internal)?;
    webhooks::enqueue_checkpoint(app, data, move |tx| Ok(tlog::set_announced(tx, today)?)).await
}

fn view(app: &App, row: CheckpointRow) -> LogInfo {
    LogInfo {
        origin: app.log_key.origin().to_owned(),
        size: row.size,
        root: hex::encode(&row.root),
        signed_at: secs(row.signed_at),
        key: app.log_key.verifier().to_string(),
        checkpoint: row.note,
    }
}

async fn newest(app: &App) -> Result<CheckpointRow, AppError> {
    let newest = app.store.read(tlog::newest_checkpoint).await?;
    newest.ok_or_else(|| AppError::NotFound("The log has no checkpoint yet.".into()))
}

/// The newest checkpoint as a signed note.
pub async fn note(app: &App) -> Result<String, AppError> {
    Ok(newest(app).await?.note)
}

/// Size, root and key of the log.
pub async fn info(app: &App) -> Result<LogInfo, AppError> {
    Ok(view(app, newest(app).await?))
}

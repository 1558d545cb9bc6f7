//! Erases what the log has about a player whose account was deleted. Leaves remain in the tree as hashes.

use crate::domain::tlog;
use crate::error::AppError;
use crate::store::ledger::{self, EventBounds, EventSelection, IdOrder};
use crate::store::tlog as stored;
use crate::store::{Store, players};

/// Events or lines per transaction.
const CHUNK: i64 = 1_000;

/// Carries out all requested erasures, each in short transactions. One that is interrupted begins again.
pub(super) async fn erase_pending(store: &Store) -> Result<(), AppError> {
    while let Some((id, player_id)) = store.read(stored::next_erasure).await? {
        erase_events(store, player_id).await?;
        erase_former_lines(store, player_id).await?;
        store
            .write(move |tx| {
                stored::erase_players_entries(tx, player_id)?;
                Ok::<_, AppError>(stored::remove_erasure(tx, id)?)
            })
            .await?;
    }
    Ok(())
}

/// Erases salts and lines of all events that name the player.
async fn erase_events(store: &Store, player_id: i64) -> Result<(), AppError> {
    let (selection, mut after) = (EventSelection::Player(player_id), 0);
    loop {
        let (selection, bounds) =
            (selection.clone(), EventBounds { first_id: after + 1, ..EventBounds::up_to(i64::MAX) });
        let ids = store
            .read(move |conn| ledger::select_events(conn, Some(&selection), bounds, IdOrder::Ascending, CHUNK))
            .await?;
        let Some(last) = ids.last() else { return Ok(()) };
        after = *last;
        store.write(move |tx| stored::erase(tx, &ids, &[]).map_err(AppError::from)).await?;
    }
}

/// Erases the lines of events that named the player before they changed.
async fn erase_former_lines(store: &Store, player_id: i64) -> Result<(), AppError> {
    let Some(player) = store.read(move |conn| players::find_by_id(conn, player_id)).await? else { return Ok(()) };
    let mut after = -1;
    loop {
        let lines = store.read(move |conn| stored::leaves_with_line(conn, after, CHUNK)).await?;
        let Some((last, _)) = lines.last() else { return Ok(()) };
        after = *last;
        let is_named = |line: &str| tlog::names(line).is_none_or(|names| names.contains(&player.handle_folded));
        let positions: Vec<i64> =
            lines.iter().filter(|(_, line)| is_named(line)).map(|(position, _)| *position).collect();
        store.write(move |tx| stored::erase(tx, &[], &positions).map_err(AppError::from)).await?;
    }
}

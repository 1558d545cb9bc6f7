//! The transparency log: its state, leaves, tiles and checkpoints, and what waits to be logged or erased.

mod leaves;
mod lines;
mod queue;

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;
use crate::domain::times::DAY_MS;
use crate::domain::tlog::{Hash, TileId, TileSet};

pub use leaves::{
    LeafKind, LeafRow, archive_line, erase, erase_players_entries, insert_leaves, leaves_between, leaves_of,
    leaves_with_line, newest_leaves,
};
pub use lines::{event_line, handles_of, ledger_line, ledger_player};
pub use queue::{
    RevisionRow, add_erasure, add_event_revisions, next_erasure, remove_erasure, remove_revisions, revised_events,
    revisions_of, unlogged_entries,
};

/// Maximum number of ids per statement.
const CHUNK: usize = 1_000;
/// The id of the only row of `tlog_state`.
const STATE_ID: i16 = 1;

/// How far the log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = tlog_state)]
pub struct StateRow {
    /// Number of leaves.
    pub size: i64,
    /// The last event that has a leaf.
    pub last_event_id: i64,
    /// The UTC day of the last checkpoint that was sent to webhooks; 0 if there is none.
    pub announced_day: i32,
}

pub fn state(conn: &mut AnyConn) -> QueryResult<StateRow> {
    tlog_state::table.find(STATE_ID).select(StateRow::as_select()).first(conn)
}

/// Records that the log grew, unless another process has appended leaves; returns whether it did.
pub fn advance(tx: &mut Tx, from_size: i64, size: i64, last_event_id: i64) -> QueryResult<bool> {
    use tlog_state as s;
    let changed = diesel::update(s::table.find(STATE_ID).filter(s::size.eq(from_size)))
        .set((s::size.eq(size), s::last_event_id.eq(last_event_id)))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

/// Records that the checkpoint of a day is sent; returns whether that was not recorded before.
pub fn set_announced(tx: &mut Tx, day: i32) -> QueryResult<bool> {
    use tlog_state as s;
    let before = s::table.find(STATE_ID).filter(s::announced_day.lt(day));
    Ok(diesel::update(before).set(s::announced_day.eq(day)).execute(&mut **tx)? == 1)
}

/// The stored tiles with these ids. A tile may have more hashes than at an earlier size of the tree.
pub fn tiles(conn: &mut AnyConn, ids: impl IntoIterator<Item = TileId>) -> QueryResult<TileSet> {
    let mut found = TileSet::default();
    for id in ids {
        let position = i64::try_from(id.index).unwrap_or(i64::MAX);
        let row = tlog_tiles::table.find((i16::from(id.level), position)).select(tlog_tiles::hashes);
        if let Some(bytes) = row.first::<Vec<u8>>(conn).optional()? {
            found.insert(id, bytes.chunks_exact(Hash::BYTES).filter_map(Hash::from_bytes).collect());
        }
    }
    Ok(found)
}

/// Stores tiles that are new or grew.
pub fn put_tiles<'a>(tx: &mut Tx, changed: impl Iterator<Item = (TileId, &'a [Hash])>) -> QueryResult<()> {
    for (id, hashes) in changed {
        let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.0).collect();
        bulk!(tlog_tiles, [bytes], |bytes| {
            level: i16::from(id.level),
            position: i64::try_from(id.index).unwrap_or(i64::MAX),
            hashes: bytes,
        })
        .on_conflict("tlog_tiles", &["level", "position"], &[("hashes", Merge::Replace)])
        .execute(tx)?;
    }
    Ok(())
}

/// A signed checkpoint.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = tlog_checkpoints)]
pub struct CheckpointRow {
    pub size: i64,
    /// Epoch milliseconds.
    pub signed_at: i64,
    pub root: Vec<u8>,
    /// The signed text.
    pub note: String,
}

/// The newest checkpoint.
pub fn newest_checkpoint(conn: &mut AnyConn) -> QueryResult<Option<CheckpointRow>> {
    use tlog_checkpoints as c;
    c::table.order(c::size.desc()).select(CheckpointRow::as_select()).first(conn).optional()
}

/// Stores the newest checkpoint, in the place of earlier ones of the same UTC day.
pub fn put_checkpoint(tx: &mut Tx, row: &CheckpointRow) -> QueryResult<()> {
    use tlog_checkpoints as c;
    let midnight = row.signed_at - row.signed_at.rem_euclid(DAY_MS);
    diesel::delete(c::table.filter(c::signed_at.ge(midnight).or(c::size.eq(row.size)))).execute(&mut **tx)?;
    bulk!(tlog_checkpoints, [row], |row| {
        size: row.size,
        signed_at: row.signed_at,
        root: row.root.as_slice(),
        note: row.note.as_str(),
    })
    .execute(tx)?;
    Ok(())
}

//! Entries of the log for everyone. An entry that names a hidden player is shown as a hash only: with its salt, its line could be
//! guessed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::damaged;
use crate::app::{App, Store};
use crate::domain::hex;
use crate::domain::tlog::{self, Hash, TILE_WIDTH, TileId, TilePath, TileSet, inclusion_ranges, tiles_of};
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::store::tlog::{self as stored, LeafKind, LeafRow};
use crate::store::{activity, ledger, players};
use crate::views::tlog::{EntryKind, LogEntries, LogEntry, LogEntryProof, Withheld};

/// Salt and line of an entry, or why they are not shown.
type Content = Result<(Vec<u8>, String), Withheld>;

/// The number of leaves of the newest checkpoint.
fn signed_size(conn: &mut AnyConn) -> diesel::QueryResult<i64> {
    Ok(stored::newest_checkpoint(conn)?.map_or(0, |checkpoint| checkpoint.size))
}

/// Entries from an index on.
pub async fn list(store: &Store, start: i64, limit: i64) -> Result<LogEntries, AppError> {
    store
        .read_consistent(move |conn| {
            let size = signed_size(conn)?;
            let end = start.saturating_add(limit).min(size);
            let leaves = stored::leaves_between(conn, start, end)?;
            let data = to_views(conn, leaves, size)?;
            Ok(LogEntries { data, size, next: (end < size).then_some(end) })
        })
        .await
}

/// All entries of an event.
pub async fn list_of_event(store: &Store, event_id: i64) -> Result<LogEntries, AppError> {
    store
        .read_consistent(move |conn| {
            let size = signed_size(conn)?;
            let mut leaves = stored::leaves_of(conn, LeafKind::Event, event_id)?;
            leaves.retain(|leaf| leaf.position < size);
            Ok(LogEntries { data: to_views(conn, leaves, size)?, size, next: None })
        })
        .await
}

/// An entry with the proof that it is in the log.
pub async fn entry(app: &App, index: i64) -> Result<LogEntryProof, AppError> {
    let found = app
        .store
        .read_consistent(move |conn| {
            let Some(checkpoint) = stored::newest_checkpoint(conn)?.filter(|checkpoint| index < checkpoint.size) else {
                return Ok(None);
            };
            let leaves = stored::leaves_between(conn, index, index + 1)?;
            let ranges = inclusion_ranges(index.unsigned_abs(), checkpoint.size.unsigned_abs());
            let proof =
                stored::tiles(conn, tiles_of(&ranges))?.ranges(&ranges).ok_or_else(|| damaged(checkpoint.size))?;
            let entry = to_views(conn, leaves, checkpoint.size)?.pop();
            let proof = proof.iter().map(Hash::to_string).collect();
            Ok::<_, AppError>(entry.map(|entry| LogEntryProof { entry, proof, checkpoint: checkpoint.note }))
        })
        .await?;
    found.ok_or_else(|| AppError::NotFound(format!("The log has no entry {index} yet.")))
}

/// The bytes of a tile.
pub async fn tile(store: &Store, path: TilePath) -> Result<Vec<u8>, AppError> {
    let hashes = store
        .read_consistent(move |conn| {
            let size = signed_size(conn)?;
            if path.width > path.tile.width(size.unsigned_abs()) {
                return Ok(None);
            }
            let tiles = stored::tiles(conn, [path.tile])?;
            let width = usize::try_from(path.width).unwrap_or(usize::MAX);
            let hashes = tiles.hashes(path.tile).and_then(|hashes| hashes.get(..width)).ok_or_else(|| damaged(size))?;
            Ok::<_, AppError>(Some(hashes.iter().flat_map(|hash| hash.0).collect()))
        })
        .await?;
    hashes.ok_or_else(unknown_tile)
}

/// Entries in the format of an entry bundle: a length of two bytes, salt and line. An entry that is not shown has the length 0.
pub async fn bundle(store: &Store, path: TilePath) -> Result<Vec<u8>, AppError> {
    let bytes = store
        .read_consistent(move |conn| {
            let size = signed_size(conn)?;
            if path.width > path.tile.width(size.unsigned_abs()) {
                return Ok(None);
            }
            let start = (path.tile.index * TILE_WIDTH).cast_signed();
            let leaves = stored::leaves_between(conn, start, start + path.width.cast_signed())?;
            let (contents, _) = contents(conn, &leaves)?;
            let mut bytes = Vec::new();
            for content in contents {
                let entry = content.map(|(salt, line)| tlog::entry(&salt, &line)).unwrap_or_default();
                let length = u16::try_from(entry.len()).unwrap_or(0);
                bytes.extend(length.to_be_bytes());
                bytes.extend(entry.get(..usize::from(length)).unwrap_or_default());
            }
            Ok::<_, AppError>(Some(bytes))
        })
        .await?;
    bytes.ok_or_else(unknown_tile)
}

fn unknown_tile() -> AppError {
    AppError::NotFound("The log has no such tile yet.".into())
}

fn to_views(conn: &mut AnyConn, leaves: Vec<LeafRow>, size: i64) -> Result<Vec<LogEntry>, AppError> {
    let tiles = tiles_with(conn, &leaves)?;
    let (contents, newest) = contents(conn, &leaves)?;
    let view = |(leaf, content): (LeafRow, Content)| {
        let hash = tiles.leaf(leaf.position.unsigned_abs()).ok_or_else(|| damaged(size))?;
        let kind = LeafKind::from_code(leaf.kind).unwrap_or(LeafKind::Event);
        let later = newest.get(&leaf.subject_id).copied().filter(|_| kind == LeafKind::Event);
        let (salt, line, withheld) = match content {
            Ok((salt, line)) => (Some(hex::encode(salt)), Some(line), None),
            Err(why) => (None, None, Some(why)),
        };
        Ok(LogEntry {
            index: leaf.position,
            kind: if kind == LeafKind::Event { EntryKind::Event } else { EntryKind::Ledger },
            id: leaf.subject_id,
            hash: hash.to_string(),
            salt,
            line,
            withheld,
            superseded_by: later.filter(|newest| *newest > leaf.position),
        })
    };
    leaves.into_iter().zip(contents).map(view).collect()
}

/// The tiles with the hashes of these leaves.
fn tiles_with(conn: &mut AnyConn, leaves: &[LeafRow]) -> diesel::QueryResult<TileSet> {
    let index = |leaf: &LeafRow| leaf.position.unsigned_abs() / TILE_WIDTH;
    let tiles: BTreeSet<TileId> = leaves.iter().map(|leaf| TileId { level: 0, index: index(leaf) }).collect();
    stored::tiles(conn, tiles)
}

/// The contents of leaves, and the newest leaf of each of their events.
fn contents(conn: &mut AnyConn, leaves: &[LeafRow]) -> diesel::QueryResult<(Vec<Content>, HashMap<i64, i64>)> {
    let of_kind = |kind: LeafKind| -> Vec<i64> {
        let ids: BTreeSet<i64> =
            leaves.iter().filter(|leaf| leaf.kind == kind.code()).map(|leaf| leaf.subject_id).collect();
        ids.into_iter().collect()
    };
    let event_ids = of_kind(LeafKind::Event);
    let newest = stored::newest_leaves(conn, LeafKind::Event, &event_ids)?;
    let current = current_lines(conn, &event_ids)?;
    let entries = entry_lines(conn, &of_kind(LeafKind::LedgerEntry))?;
    let content = |leaf: &LeafRow| {
        let salt = leaf.salt.clone().ok_or(Withheld::Erased)?;
        let line = if leaf.kind == LeafKind::LedgerEntry.code() {
            entries.get(&leaf.subject_id)
        } else if newest.get(&leaf.subject_id) == Some(&leaf.position) {
            current.get(&leaf.subject_id).or(leaf.line.as_ref())
        } else {
            leaf.line.as_ref()
        };
        Ok((salt, line.cloned().ok_or(Withheld::Missing)?))
    };
    let mut contents: Vec<Content> = leaves.iter().map(content).collect();
    withhold_hidden(conn, &mut contents)?;
    Ok((contents, newest))
}

/// The line of each of these events at its newest leaf: the event as it is stored, or as it was before changes that have no leaf yet.
fn current_lines(conn: &mut AnyConn, event_ids: &[i64]) -> diesel::QueryResult<HashMap<i64, String>> {
    let mut events = Vec::new();
    for chunk in event_ids.chunks(TILE_WIDTH as usize) {
        events.extend(activity::find_many(conn, chunk)?);
    }
    let handles = stored::handles_of(conn, &events)?;
    let mut lines: HashMap<i64, String> =
        events.iter().map(|event| (event.id, stored::event_line(event, &handles))).collect();
    let mut oldest: BTreeMap<i64, String> = BTreeMap::new();
    for revision in stored::revisions_of(conn, event_ids)? {
        oldest.entry(revision.event_id).or_insert(revision.line);
    }
    lines.extend(oldest);
    Ok(lines)
}

fn entry_lines(conn: &mut AnyConn, ids: &[i64]) -> diesel::QueryResult<HashMap<i64, String>> {
    let mut rows = Vec::new();
    for id in ids {
        rows.extend(ledger::find(conn, *id)?);
    }
    let about: Vec<i64> = rows.iter().filter_map(stored::ledger_player).collect();
    let handles: HashMap<i64, String> =
        players::find_refs_by_id(conn, &about)?.into_iter().map(|player| (player.id, player.handle_folded)).collect();
    Ok(rows.iter().map(|row| (row.id, stored::ledger_line(row, &handles))).collect())
}

/// Withholds lines that name a hidden player, or one whose name is provisional. A name that no player has may be a former one of a
/// hidden player.
fn withhold_hidden(conn: &mut AnyConn, contents: &mut [Content]) -> diesel::QueryResult<()> {
    let named: BTreeSet<String> =
        contents.iter().flatten().filter_map(|(_, line)| tlog::names(line)).flatten().collect();
    let named: Vec<String> = named.into_iter().collect();
    let visible: HashSet<String> = players::find_refs(conn, &named)?
        .into_iter()
        .filter(|player| !player.is_hidden && !player.is_provisional)
        .map(|player| player.handle_folded)
        .collect();
    for content in contents {
        let is_visible = |line: &str| tlog::names(line).is_some_and(|names| names.iter().all(|n| visible.contains(n)));
        if content.as_ref().is_ok_and(|(_, line)| !is_visible(line)) {
            *content = Err(Withheld::Hidden);
        }
    }
    Ok(())
}

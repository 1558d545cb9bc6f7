//! Checks that entries of a log are what the site shows.

use std::collections::BTreeSet;

use serde_json::Value;

use super::tiles::RemoteTiles;
use super::watch::{Problem, WatchReport};
use crate::domain::hex;
use crate::domain::tlog::{Checkpoint, Hash, TILE_WIDTH, leaf_hash};
use crate::upstream::public_site::{PublicSite, PublicSiteError};
use crate::views::tlog::{EntryKind, LogEntries, LogEntry, Withheld};

/// Which tiles of entries to check.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub tiles: BTreeSet<u64>,
    /// Where the next check continues.
    pub next_tile: u64,
}

/// Plans a check of about `max_entries` entries: up to half of them are the newest ones since `new_from`, and the others continue at
/// the tile `next_tile`, round and round.
pub(super) fn plan(new_from: u64, next_tile: u64, size: u64, max_entries: u64) -> Plan {
    let (count, budget) = (size.div_ceil(TILE_WIDTH), max_entries.div_ceil(TILE_WIDTH).max(2));
    let newest = (new_from / TILE_WIDTH..count).rev();
    let mut tiles: BTreeSet<u64> = newest.take((budget / 2) as usize).collect();
    let (mut next_tile, mut left) = (if next_tile < count { next_tile } else { 0 }, count);
    while left > 0 && (tiles.len() as u64) < budget.min(count) {
        tiles.insert(next_tile);
        next_tile = (next_tile + 1) % count;
        left -= 1;
    }
    Plan { tiles, next_tile }
}

/// Checks the entries of a tile.
pub(super) async fn check(
    site: &PublicSite,
    tiles: &mut RemoteTiles<'_>,
    checkpoint: &Checkpoint,
    tile: u64,
    report: &mut WatchReport,
) -> Result<(), PublicSiteError> {
    let Some(hashes) = tiles.leaves(tile, checkpoint.root).await? else {
        report.problems.push(Problem::WrongTile(tiles.path(tile)));
        return Ok(());
    };
    let start = tile * TILE_WIDTH;
    let path = format!("api/log/entries?start={start}&limit={TILE_WIDTH}");
    let malformed = || PublicSiteError::Malformed(path.clone());
    let page: LogEntries = serde_json::from_slice(&site.bytes(&path).await?).map_err(|_| malformed())?;
    if page.data.len() < hashes.len() {
        return Err(malformed());
    }
    for ((entry, hash), index) in page.data.iter().zip(hashes).zip(start..) {
        if entry.index.cast_unsigned() != index {
            return Err(malformed());
        }
        report.checked += 1;
        match entry.withheld {
            Some(Withheld::Hidden) => report.hidden += 1,
            Some(Withheld::Erased) => report.erased += 1,
            Some(Withheld::Missing) => report.problems.push(Problem::Missing { index, subject: subject(entry) }),
            None if !matches(entry, hash) => report.problems.push(Problem::Changed { index, subject: subject(entry) }),
            None => {}
        }
    }
    Ok(())
}

fn subject(entry: &LogEntry) -> String {
    match entry.kind {
        EntryKind::Event => format!("event {}", entry.id),
        EntryKind::Ledger => format!("ledger entry {}", entry.id),
    }
}

/// Whether salt and line have this hash, and the line is about the subject of the entry.
fn matches(entry: &LogEntry, hash: Hash) -> bool {
    let (Some(salt), Some(line)) = (entry.salt.as_deref().and_then(hex::decode), &entry.line) else { return false };
    let fields: Value = serde_json::from_str(line).unwrap_or_default();
    let kind = match entry.kind {
        EntryKind::Event => "event",
        EntryKind::Ledger => "ledger",
    };
    leaf_hash(&salt, line) == hash && fields["type"] == kind && fields["id"] == entry.id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_checked_in_turn_and_new_ones_first() {
        assert_eq!(plan(0, 0, 0, 1_000), Plan { tiles: BTreeSet::new(), next_tile: 0 });
        assert_eq!(plan(0, 0, 300, 1_000).tiles, [0, 1].into());
        // 100 tiles, of which the last two are new; four per check.
        let (mut next_tile, mut checked, size) = (0, BTreeSet::new(), 100 * TILE_WIDTH);
        for _ in 0..50 {
            let plan = plan(98 * TILE_WIDTH, next_tile, size, 4 * TILE_WIDTH);
            assert!(plan.tiles.is_superset(&[98, 99].into()) && plan.tiles.len() == 4, "{plan:?}");
            next_tile = plan.next_tile;
            checked.extend(plan.tiles);
        }
        assert_eq!(checked.len(), 100);
    }

    #[test]
    fn an_entry_matches_only_its_own_hash_and_subject() {
        let line = "{\"id\":7,\"type\":\"event\",\"v\":1}";
        let hash = leaf_hash(&[1; 16], line);
        let entry = LogEntry {
            index: 0,
            kind: EntryKind::Event,
            id: 7,
            hash: hash.to_string(),
            salt: Some(hex::encode([1; 16])),
            line: Some(line.into()),
            withheld: None,
            superseded_by: None,
        };
        assert!(matches(&entry, hash));
        assert!(!matches(&LogEntry { id: 8, ..entry.clone() }, hash));
        assert!(!matches(&LogEntry { kind: EntryKind::Ledger, ..entry.clone() }, hash));
        assert!(!matches(&LogEntry { line: Some(line.replace('7', "8")), ..entry.clone() }, hash));
        assert!(!matches(&LogEntry { line: None, ..entry }, hash));
    }
}

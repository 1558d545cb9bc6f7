//! Helpers that build small indexes.

mod disk;
mod rules;

use super::*;

fn player(id: i64, key: &str, score: i64) -> Entry {
    Entry {
        kind: Kind::Player,
        id,
        key: key.to_owned(),
        name: key.to_owned(),
        former: vec![],
        org_short: None,
        score,
        member_count: 0,
        is_claimed: false,
    }
}

fn guild(id: i64, tag: &str, name: &str, score: i64) -> Entry {
    Entry { kind: Kind::Guild, name: name.to_owned(), member_count: 5, ..player(id, tag, score) }
}

fn puts(entries: impl IntoIterator<Item = Entry>) -> Vec<Change> {
    entries.into_iter().map(Change::Put).collect()
}

/// Runs `check` on entries in memory, on disk, and half of each.
fn in_memory_and_on_disk(entries: &[Entry], check: impl Fn(&SearchIndex)) {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts(entries.iter().cloned()), 1).unwrap();
    assert_eq!(index.pending(), entries.len());
    check(&index);
    index.flush().unwrap();
    assert_eq!((index.pending(), index.len()), (0, entries.len()));
    check(&index);

    let half = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(half.path()).unwrap();
    index.apply(puts(entries.iter().step_by(2).cloned()), 1).unwrap();
    index.flush().unwrap();
    for entry in entries.iter().skip(1).step_by(2) {
        index.apply(puts([entry.clone()]), 2).unwrap();
    }
    check(&index);
}

fn keys(index: &SearchIndex, kind: Kind, text: &str) -> Vec<String> {
    index.suggest(kind, text, 8).unwrap().into_iter().map(|hit| hit.entry.key.clone()).collect()
}

fn match_kinds(index: &SearchIndex, kind: Kind, text: &str) -> Vec<(String, MatchKind)> {
    index.suggest(kind, text, 8).unwrap().into_iter().map(|hit| (hit.entry.key.clone(), hit.matched)).collect()
}

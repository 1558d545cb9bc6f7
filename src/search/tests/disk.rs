//! The state on disk: watermarks, rebuilds, damage, and commits under load.

use std::path::Path;
use std::time::Duration;

use super::*;

/// Waits until the commit of these events in the background.
fn wait_for_commit(index: &SearchIndex, events: i64) {
    while index.watermark().events != events {
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_watermark_on_disk_covers_exactly_the_committed_entries() {
    let dir = tempfile::tempdir().unwrap();
    let (index, opened) = SearchIndex::open(dir.path()).unwrap();
    assert_eq!(opened, OpenOutcome::Empty);
    index.apply(puts([player(1, "first", 1)]), 7).unwrap();
    assert_eq!(index.watermark().events, 0);
    index.flush().unwrap();
    assert_eq!(index.watermark().events, 7);
    index.apply(puts([player(2, "second", 1)]), 9).unwrap();
    // Dropping acts like a kill: the watermark does not cover uncommitted changes.
    drop(index);
    let (index, opened) = SearchIndex::open(dir.path()).unwrap();
    assert_eq!(opened, OpenOutcome::Ready { watermark: 7.into() });
    assert_eq!(keys(&index, Kind::Player, "second"), [""; 0]);
    index.apply(puts([player(2, "second", 1)]), 9).unwrap();
    index.apply(vec![], 12).unwrap();
    index.flush().unwrap();
    drop(index);
    let (index, opened) = SearchIndex::open(dir.path()).unwrap();
    assert_eq!(opened, OpenOutcome::Ready { watermark: 12.into() });
    assert_eq!(keys(&index, Kind::Player, "second"), ["second"]);
}

#[test]
fn changes_are_committed_in_the_background() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts([player(1, "alone", 1)]), 3).unwrap();
    wait_for_commit(&index, 3);
    assert_eq!((index.pending(), index.len()), (0, 1));
}

#[test]
fn a_rebuild_replaces_everything_and_a_failed_one_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts([player(1, "earlier", 1)]), 1).unwrap();
    index.flush().unwrap();
    index.apply(puts([player(5, "waiting", 1)]), 2).unwrap();

    let broken = [Ok(player(2, "half", 1)), Err(SearchError::Closed), Ok(player(3, "never", 1))];
    assert!(index.rebuild(broken.into_iter(), 9, |_| ()).is_err());
    assert_eq!(keys(&index, Kind::Player, "earlier"), ["earlier"]);
    assert_eq!(keys(&index, Kind::Player, "half"), [""; 0]);
    assert_eq!(keys(&index, Kind::Player, "waiting"), ["waiting"]);

    let mut seen = 0;
    let all = (10..500).map(|id| Ok::<_, SearchError>(player(id, &format!("later{id}"), id)));
    assert_eq!(index.rebuild(all, 9, |count| seen = count).unwrap(), 490);
    assert_eq!((seen, index.len(), index.watermark().events, index.pending()), (490, 490, 9, 0));
    assert_eq!(keys(&index, Kind::Player, "earlier"), [""; 0]);
    assert_eq!(keys(&index, Kind::Player, "later")[0], "later499");
    index.apply(puts([player(10, "moved", 1)]), 10).unwrap();
    index.flush().unwrap();
    drop(index);
    let (index, opened) = SearchIndex::open(dir.path()).unwrap();
    assert_eq!((opened, index.len()), (OpenOutcome::Ready { watermark: 10.into() }, 490));
    assert_eq!(keys(&index, Kind::Player, "moved"), ["moved"]);
}

#[test]
fn changes_during_a_rebuild_override_its_entries() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    let entries = (0..50).map(|id| {
        if id == 25 {
            index.apply(puts([player(3, "renamed_meanwhile", 1)]), 20).unwrap();
            index.apply(vec![Change::Remove(Kind::Player, 40)], 21).unwrap();
        }
        Ok::<_, SearchError>(player(id, &format!("steady{id}"), id))
    });
    index.rebuild(entries, 15, |_| ()).unwrap();
    assert_eq!(index.watermark().events, 15);
    for _ in 0..2 {
        assert_eq!(keys(&index, Kind::Player, "renamed"), ["renamed_meanwhile"]);
        assert_eq!(keys(&index, Kind::Player, "steady3")[0], "steady39");
        assert!(!keys(&index, Kind::Player, "steady40").contains(&"steady40".to_owned()));
        index.flush().unwrap();
    }
    assert_eq!((index.watermark().events, index.len()), (21, 49));
}

/// Every file of the index except locks.
fn files(dir: &Path) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
    all.filter(|path| path.extension().is_none_or(|ending| ending != "lock")).collect()
}

#[test]
fn a_damaged_index_is_renamed_and_not_fatal() {
    let whole = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(&whole.path().join("index")).unwrap();
    index.apply(puts((0..200).map(|id| player(id, &format!("pilot{id}"), id))), 5).unwrap();
    index.flush().unwrap();
    drop(index);
    let names: Vec<_> =
        files(&whole.path().join("index")).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert!(names.len() > 5);
    type Damage = fn(&Path);
    let ways: [(&str, Damage); 4] = [
        ("emptied", |path| std::fs::write(path, b"").unwrap()),
        ("cut", |path| {
            let bytes = std::fs::read(path).unwrap();
            std::fs::write(path, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("changed", |path| {
            let mut bytes = std::fs::read(path).unwrap();
            let middle = bytes.len() / 3;
            bytes[middle] ^= 0x55;
            std::fs::write(path, bytes).unwrap();
        }),
        ("gone", |path| std::fs::remove_file(path).unwrap()),
    ];
    for name in &names {
        for (way, damage) in &ways {
            let there = tempfile::tempdir().unwrap();
            let dir = there.path().join("index");
            std::fs::create_dir(&dir).unwrap();
            for name in &names {
                std::fs::copy(whole.path().join("index").join(name), dir.join(name)).unwrap();
            }
            damage(&dir.join(name));
            let (index, opened) = SearchIndex::open(&dir).unwrap_or_else(|error| panic!("{name:?} {way}: {error:?}"));
            match opened {
                // A file that only repeats information may be lost without effect.
                OpenOutcome::Ready { watermark } => {
                    assert_eq!((watermark.events, index.len()), (5, 200), "{name:?} {way}");
                    assert_eq!(keys(&index, Kind::Player, "pilot199"), ["pilot199"], "{name:?} {way}");
                }
                OpenOutcome::SetAside { to, .. } => {
                    assert!(to.is_dir() && index.is_empty(), "{name:?} {way}");
                    index.apply(puts([player(1, "again", 1)]), 1).unwrap();
                    index.flush().unwrap();
                    assert_eq!(keys(&index, Kind::Player, "again"), ["again"]);
                }
                OpenOutcome::Empty => panic!("{name:?} {way}: damage was taken for a new index"),
            }
        }
    }
}

#[test]
fn an_index_of_another_format_is_renamed() {
    let there = tempfile::tempdir().unwrap();
    for round in 0..2 {
        let dir = there.path().join("index");
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir(&dir).unwrap();
        let mut schema = tantivy::schema::Schema::builder();
        schema.add_text_field("title", tantivy::schema::TEXT);
        tantivy::Index::create_in_dir(&dir, schema.build()).unwrap();
        let (_, opened) = SearchIndex::open(&dir).unwrap();
        assert!(matches!(opened, OpenOutcome::SetAside { .. }), "round {round}");
    }
    let names: Vec<_> = std::fs::read_dir(there.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "only one index is set aside: {names:?}");
}

#[test]
fn an_index_that_another_process_has_open_is_not_considered_damaged() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts([player(1, "mine", 1)]), 1).unwrap();
    index.flush().unwrap();
    let (_, opened) = directory::open(dir.path()).unwrap();
    assert_eq!(opened, OpenOutcome::Ready { watermark: 1.into() });
    assert_eq!(keys(&index, Kind::Player, "mine"), ["mine"]);
}

#[test]
fn results_are_consistent_during_changes_and_commits() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts((0..300).map(|id| player(id, &format!("busy{id:03}"), id))), 1).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let queries: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut rounds = 0;
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) || rounds == 0 {
                        for text in ["busy", "busy1", "buys29"] {
                            let hits = index.suggest(Kind::Player, text, 8).unwrap();
                            let mut ids: Vec<_> = hits.iter().map(|hit| hit.entry.id).collect();
                            assert!(
                                hits.windows(2).all(|pair| pair[0].entry.score >= pair[1].entry.score),
                                "{text}: {hits:?}"
                            );
                            ids.sort_unstable();
                            ids.dedup();
                            assert_eq!(ids.len(), 8, "{text}: {hits:?}");
                        }
                        rounds += 1;
                    }
                })
            })
            .collect();
        let changed = (|| -> Result<(), SearchError> {
            for round in 0..40_i64 {
                let changes = (0..30).map(|n| {
                    let id = (round * 17 + n * 7) % 300;
                    Change::Score { kind: Kind::Player, id, score: (round * 31 + n) % 500 }
                });
                index.apply(changes.collect(), round + 2)?;
                if round % 8 == 0 {
                    index.flush()?;
                }
            }
            Ok(())
        })();
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        for queries in queries {
            queries.join().unwrap();
        }
        changed.unwrap();
    });
}

#[test]
fn a_commit_that_panics_is_counted_and_repeated() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts([player(1, "earlier", 1)]), 1).unwrap();
    index.flush().unwrap();
    index.panic_next();
    index.apply(puts([player(2, "later", 1)]), 2).unwrap();
    wait_for_commit(&index, 2);
    assert_eq!((index.panics(), index.pending(), index.len()), (1, 0, 2));
    assert_eq!(keys(&index, Kind::Player, "later"), ["later"]);
    drop(index);
    let (_, opened) = SearchIndex::open(dir.path()).unwrap();
    assert_eq!(opened, OpenOutcome::Ready { watermark: 2.into() });
}

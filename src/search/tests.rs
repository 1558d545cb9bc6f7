//! The contract's search rules on small indexes.

use std::path::Path;
use std::time::{Duration, Instant};

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

/// The same rules must hold for what is on disk and for what is not there yet.
fn in_memory_and_on_disk(entries: &[Entry], check: impl Fn(&SearchIndex)) {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts(entries.iter().cloned()), 1).unwrap();
    assert_eq!(index.waiting(), entries.len());
    check(&index);
    index.flush().unwrap();
    assert_eq!((index.waiting(), index.len()), (0, entries.len()));
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
    index.suggest(kind, text, 8).unwrap().into_iter().map(|hit| hit.key).collect()
}

fn how(index: &SearchIndex, kind: Kind, text: &str) -> Vec<(String, Matched)> {
    index.suggest(kind, text, 8).unwrap().into_iter().map(|hit| (hit.key, hit.matched)).collect()
}

#[test]
fn prefixes_are_found_without_case_or_accents_best_by_score_first() {
    let mut zoe = player(4, "Zed_4", 4);
    zoe.name = "Zoë Öztürk".to_owned();
    let entries = [player(1, "Nomad", 10), player(2, "NOMADIC_77", 90), player(3, "nomad-two", 50), zoe];
    in_memory_and_on_disk(&entries, |index| {
        for (text, expected) in [
            ("no", &["NOMADIC_77", "nomad-two", "Nomad"][..]),
            ("NOMA", &["NOMADIC_77", "nomad-two", "Nomad"]),
            ("nómádí", &["NOMADIC_77"]),
            ("nomad", &["Nomad", "NOMADIC_77", "nomad-two"]),
            ("  nomad-", &["nomad-two"]),
            ("nomadic_7", &["NOMADIC_77"]),
            ("nomadic_77", &["NOMADIC_77"]),
            ("zoe", &["Zed_4"]),
            ("ZOË öz", &["Zed_4"]),
            ("zoe ozturk", &["Zed_4"]),
            ("ozt", &["Zed_4"]),
            ("two", &["nomad-two"]),
            ("xy", &[]),
        ] {
            assert_eq!(keys(index, Kind::Player, text), expected, "{text:?}");
        }
    });
}

#[test]
fn guilds_are_found_by_tag_and_name_and_never_among_players() {
    let entries = [
        guild(1, "FRI", "The Frinauts", 5),
        guild(2, "NAUTS", "Fribourg Haulers", 50),
        player(1, "Frida", 99),
        guild(3, "TEST", "Test Squadron", 70),
    ];
    in_memory_and_on_disk(&entries, |index| {
        for (text, expected) in [
            ("fri", &["FRI", "NAUTS"][..]),
            ("frib", &["NAUTS"]),
            ("frin", &["FRI"]),
            ("the f", &["FRI"]),
            ("squad", &["TEST"]),
            ("test squadron", &["TEST"]),
        ] {
            assert_eq!(keys(index, Kind::Guild, text), expected, "{text:?}");
        }
        assert_eq!(keys(index, Kind::Player, "fri"), ["Frida"]);
        assert_eq!(index.suggest(Kind::Guild, "frin", 8).unwrap()[0].member_count, 5);
    });
}

#[test]
fn an_exact_match_stands_first_however_low_its_score() {
    let mut named = player(1, "someone", 500);
    named.name = "Ace".to_owned();
    let mut entries: Vec<_> = (10..60).map(|id| player(id, &format!("ace{id}"), 1_000 + id)).collect();
    entries.extend([player(2, "ACE", 1), named]);
    in_memory_and_on_disk(&entries, |index| {
        let found = how(index, Kind::Player, "ace");
        assert_eq!(found[0], ("ACE".to_owned(), Matched::Exact));
        assert_eq!(found[1], ("someone".to_owned(), Matched::Exact));
        assert_eq!(found[2], ("ace59".to_owned(), Matched::Prefix));
        assert_eq!(found.len(), 8);
        assert_eq!(
            keys(index, Kind::Player, "ac"),
            ["ace59", "ace58", "ace57", "ace56", "ace55", "ace54", "ace53", "ace52"]
        );
    });
}

#[test]
fn one_typo_is_forgiven_from_four_characters_when_nothing_begins_so() {
    let entries = [player(1, "Marauder", 10), player(2, "Nova", 20), player(3, "LongRangeScout_99", 30)];
    in_memory_and_on_disk(&entries, |index| {
        for (text, expected) in [
            ("marudr", &[][..]),
            ("maruder", &["Marauder"]),
            ("maraduer", &["Marauder"]),
            ("maraxder", &["Marauder"]),
            ("marauuder", &["Marauder"]),
            ("xarau", &["Marauder"]),
            ("arau", &["Marauder"]),
            ("noav", &["Nova"]),
            ("nxva", &["Nova"]),
            ("nxv", &[]),
            ("longrangescuot", &["LongRangeScout_99"]),
            ("longrangescout_9x", &["LongRangeScout_99"]),
            ("longragescout_99", &["LongRangeScout_99"]),
            ("longragescout_98", &[]),
        ] {
            let found = how(index, Kind::Player, text);
            assert_eq!(found.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), expected, "{text:?}");
            assert!(found.iter().all(|(_, matched)| *matched == Matched::Typo), "{text:?}");
        }
    });
    let with_prefix = [player(1, "Nova", 10), player(2, "Noxa", 900)];
    in_memory_and_on_disk(&with_prefix, |index| assert_eq!(keys(index, Kind::Player, "nova"), ["Nova"]));
}

#[test]
fn former_handles_are_found_and_shown_as_such() {
    let mut renamed = player(1, "Phoenix", 10);
    renamed.former = vec!["OldTimer".to_owned(), "Older".to_owned()];
    let entries = [renamed, player(2, "Oldsmobile", 5)];
    in_memory_and_on_disk(&entries, |index| {
        let hits = index.suggest(Kind::Player, "oldti", 8).unwrap();
        assert_eq!((hits[0].key.as_str(), hits[0].matched), ("Phoenix", Matched::Former));
        assert_eq!(hits[0].former.as_deref(), Some("OldTimer"));
        assert_eq!(keys(index, Kind::Player, "old"), ["Phoenix", "Oldsmobile"]);
        let current = &index.suggest(Kind::Player, "phoe", 8).unwrap()[0];
        assert_eq!((current.matched, current.former.as_deref()), (Matched::Prefix, None));
        assert_eq!(index.suggest(Kind::Player, "odltimer", 8).unwrap()[0].former.as_deref(), Some("OldTimer"));
    });
}

#[test]
fn a_look_alike_never_stands_above_the_claimed_handle() {
    let mut claimed = player(1, "Captain_O", 1);
    claimed.is_claimed = true;
    let mut entries = vec![claimed, player(2, "Captain-0", 900), player(3, "CaptainAhab", 500)];
    in_memory_and_on_disk(&entries, |index| {
        assert_eq!(keys(index, Kind::Player, "captain"), ["Captain_O", "Captain-0", "CaptainAhab"]);
        let hits = index.suggest(Kind::Player, "captain", 8).unwrap();
        assert_eq!(hits[1].look_alike_of.as_deref(), Some("Captain_O"));
        assert_eq!((hits[0].look_alike_of.as_deref(), hits[2].look_alike_of.as_deref()), (None, None));
        // Also where the claimed one alone would not be among the best.
        let one = index.suggest(Kind::Player, "captain", 1).unwrap();
        assert_eq!(one[0].key, "Captain_O");
        // Typed in full, it is what was asked for, and says what it looks like.
        let exact = index.suggest(Kind::Player, "captain-0", 8).unwrap();
        assert_eq!((exact[0].key.as_str(), exact[0].look_alike_of.as_deref()), ("Captain-0", Some("Captain_O")));
    });
    entries[1].is_claimed = true;
    in_memory_and_on_disk(&entries, |index| assert_eq!(keys(index, Kind::Player, "captain")[0], "Captain-0"));
}

#[test]
fn fewer_than_two_characters_and_more_than_256_bytes_find_nothing() {
    in_memory_and_on_disk(&[player(1, "aa", 1), player(2, "ssss", 1)], |index| {
        for text in ["", " ", "a", " a ", "ß", "a\u{301}", &"a".repeat(257)] {
            assert_eq!(keys(index, Kind::Player, text), [""; 0], "{text:?}");
        }
        assert_eq!(keys(index, Kind::Player, "aa"), ["aa"]);
        assert_eq!(index.suggest(Kind::Player, "aa", 0).unwrap(), []);
    });
}

#[test]
fn hostile_texts_are_answered_quickly() {
    let entries: Vec<_> = (0..300).map(|id| player(id, &format!("pilot{id}"), id)).collect();
    let mut texts = vec![
        "- *".to_owned(),
        "a:(^".to_owned(),
        "(".repeat(20) + "a" + &")".repeat(20),
        "(".repeat(1_000),
        "NOT ".repeat(1_500),
        "x".repeat(10_000),
        "pilot\0pilot".to_owned(),
        "\u{1f}\u{1e}pilot".to_owned(),
        "*".repeat(64),
        "~1 AND [a TO z] ^5 \"pilot\"".to_owned(),
        "ﷺ".repeat(20),
        "a".to_owned() + &"\u{301}".repeat(100),
    ];
    texts.extend(
        (0..=0x10ffff_u32).step_by(61).filter_map(char::from_u32).collect::<Vec<_>>().chunks(40).map(String::from_iter),
    );
    in_memory_and_on_disk(&entries, |index| {
        for text in &texts {
            let begun = Instant::now();
            for kind in [Kind::Player, Kind::Guild] {
                index.suggest(kind, text, 20).unwrap();
            }
            assert!(begun.elapsed() < Duration::from_millis(100), "{text:?} took {:?}", begun.elapsed());
        }
        assert_eq!(keys(index, Kind::Player, "pilot299"), ["pilot299"]);
    });
}

#[test]
fn odd_names_are_stored_and_found_as_they_are() {
    let mut odd = player(1, "odd", 1);
    odd.name = "a\u{1f}b\u{1e}c\0d \u{202e}רות".to_owned();
    odd.former = vec![String::new(), "é".repeat(300)];
    in_memory_and_on_disk(&[odd.clone()], |index| {
        let hit = &index.suggest(Kind::Player, "abcd רו", 8).unwrap()[0];
        assert_eq!((&hit.name, hit.matched), (&odd.name, Matched::Prefix));
        assert_eq!(index.suggest(Kind::Player, &"é".repeat(50), 8).unwrap()[0].former, Some("é".repeat(300)));
    });
}

#[test]
fn the_order_is_that_of_the_scores_of_now() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    let mut scores: Vec<i64> = (0..400).collect();
    index.apply(puts(scores.iter().map(|&n| player(n, &format!("rank{n:03}"), n))), 1).unwrap();
    index.flush().unwrap();
    for round in 0..60_usize {
        let changes: Vec<_> = (0..7)
            .map(|n| {
                let who = (round * 131 + n * 37) % scores.len();
                scores[who] = ((round * 7_919 + n * 104_729) % 1_000) as i64;
                Change::Score { kind: Kind::Player, id: who as i64, score: scores[who] }
            })
            .collect();
        index.apply(changes, round as i64 + 2).unwrap();
        if round % 9 == 4 {
            index.flush().unwrap();
        }
        for prefix in ["rank", "rank1", "rank30"] {
            let mut best: Vec<_> = (0..scores.len()).map(|who| (format!("rank{who:03}"), scores[who])).collect();
            best.retain(|(key, _)| key.starts_with(prefix));
            best.sort_by_key(|(_, score)| -score);
            let expected: Vec<_> = best.iter().take(8).map(|(_, score)| *score).collect();
            let hits = index.suggest(Kind::Player, prefix, 8).unwrap();
            assert_eq!(hits.iter().map(|hit| hit.score).collect::<Vec<_>>(), expected, "round {round}, {prefix}");
            for hit in hits {
                assert_eq!(hit.score, scores[hit.id as usize]);
            }
        }
    }
}

#[test]
fn removed_entries_are_gone_at_once_and_stay_gone() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts([player(1, "ghost", 5), player(2, "ghostly", 4)]), 1).unwrap();
    index.flush().unwrap();
    index.apply(vec![Change::Remove(Kind::Player, 1)], 2).unwrap();
    assert_eq!(keys(&index, Kind::Player, "ghost"), ["ghostly"]);
    index.apply(vec![Change::Score { kind: Kind::Player, id: 1, score: 900 }], 3).unwrap();
    assert_eq!(keys(&index, Kind::Player, "ghost"), ["ghostly"]);
    index.flush().unwrap();
    assert_eq!((keys(&index, Kind::Player, "ghost"), index.len()), (vec!["ghostly".to_owned()], 1));
    index.apply(puts([player(1, "ghost", 5)]), 4).unwrap();
    assert_eq!(keys(&index, Kind::Player, "ghost"), ["ghost", "ghostly"]);
}

#[test]
fn a_renamed_player_is_no_longer_found_by_what_is_not_theirs() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts([player(1, "before", 5)]), 1).unwrap();
    index.flush().unwrap();
    index.apply(puts([player(1, "afterwards", 5)]), 2).unwrap();
    for _ in 0..2 {
        assert_eq!(keys(&index, Kind::Player, "before"), [""; 0]);
        assert_eq!(keys(&index, Kind::Player, "after"), ["afterwards"]);
        index.flush().unwrap();
    }
}

#[test]
fn the_watermark_on_disk_is_that_of_what_is_on_disk() {
    let dir = tempfile::tempdir().unwrap();
    let (index, opened) = SearchIndex::open(dir.path()).unwrap();
    assert_eq!(opened, Opened::Empty);
    index.apply(puts([player(1, "first", 1)]), 7).unwrap();
    assert_eq!(index.watermark(), 0);
    index.flush().unwrap();
    assert_eq!(index.watermark(), 7);
    index.apply(puts([player(2, "second", 1)]), 9).unwrap();
    // Dropped like a killed process: what was not committed is not claimed to be there.
    drop(index);
    let (index, opened) = SearchIndex::open(dir.path()).unwrap();
    assert_eq!(opened, Opened::Ready { watermark: 7 });
    assert_eq!(keys(&index, Kind::Player, "second"), [""; 0]);
    index.apply(puts([player(2, "second", 1)]), 9).unwrap();
    index.apply(vec![], 12).unwrap();
    index.flush().unwrap();
    drop(index);
    let (index, opened) = SearchIndex::open(dir.path()).unwrap();
    assert_eq!(opened, Opened::Ready { watermark: 12 });
    assert_eq!(keys(&index, Kind::Player, "second"), ["second"]);
}

#[test]
fn changes_reach_the_disk_by_themselves() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts([player(1, "alone", 1)]), 3).unwrap();
    let begun = Instant::now();
    while index.watermark() != 3 {
        assert!(begun.elapsed() < Duration::from_secs(30), "no commit came");
        std::thread::yield_now();
    }
    assert_eq!((index.waiting(), index.len()), (0, 1));
}

#[test]
fn a_rebuild_replaces_everything_and_an_error_in_it_nothing() {
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
    assert_eq!((seen, index.len(), index.watermark(), index.waiting()), (490, 490, 9, 0));
    assert_eq!(keys(&index, Kind::Player, "earlier"), [""; 0]);
    assert_eq!(keys(&index, Kind::Player, "later")[0], "later499");
    index.apply(puts([player(10, "moved", 1)]), 10).unwrap();
    index.flush().unwrap();
    drop(index);
    let (index, opened) = SearchIndex::open(dir.path()).unwrap();
    assert_eq!((opened, index.len()), (Opened::Ready { watermark: 10 }, 490));
    assert_eq!(keys(&index, Kind::Player, "moved"), ["moved"]);
}

#[test]
fn changes_during_a_rebuild_stand_on_top_of_it() {
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
    assert_eq!(index.watermark(), 15);
    for _ in 0..2 {
        assert_eq!(keys(&index, Kind::Player, "renamed"), ["renamed_meanwhile"]);
        assert_eq!(keys(&index, Kind::Player, "steady3")[0], "steady39");
        assert!(!keys(&index, Kind::Player, "steady40").contains(&"steady40".to_owned()));
        index.flush().unwrap();
    }
    assert_eq!((index.watermark(), index.len()), (21, 49));
}

/// Every file of the index but its locks.
fn files(dir: &Path) -> Vec<std::path::PathBuf> {
    let all = std::fs::read_dir(dir).unwrap().map(|file| file.unwrap().path());
    all.filter(|path| path.extension().is_none_or(|ending| ending != "lock")).collect()
}

#[test]
fn a_damaged_index_is_set_aside_and_not_fatal() {
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
                // A file that only repeats what others say may be lost without loss.
                Opened::Ready { watermark } => {
                    assert_eq!((watermark, index.len()), (5, 200), "{name:?} {way}");
                    assert_eq!(keys(&index, Kind::Player, "pilot199"), ["pilot199"], "{name:?} {way}");
                }
                Opened::SetAside { to, .. } => {
                    assert!(to.is_dir() && index.is_empty(), "{name:?} {way}");
                    index.apply(puts([player(1, "again", 1)]), 1).unwrap();
                    index.flush().unwrap();
                    assert_eq!(keys(&index, Kind::Player, "again"), ["again"]);
                }
                Opened::Empty => panic!("{name:?} {way}: damage was taken for a new index"),
            }
        }
    }
}

#[test]
fn a_foreign_index_is_set_aside() {
    let there = tempfile::tempdir().unwrap();
    for round in 0..2 {
        let dir = there.path().join("index");
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir(&dir).unwrap();
        let mut schema = tantivy::schema::Schema::builder();
        schema.add_text_field("title", tantivy::schema::TEXT);
        tantivy::Index::create_in_dir(&dir, schema.build()).unwrap();
        let (_, opened) = SearchIndex::open(&dir).unwrap();
        assert!(matches!(opened, Opened::SetAside { .. }), "round {round}");
    }
    let names: Vec<_> = std::fs::read_dir(there.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "only one is kept aside: {names:?}");
}

#[test]
fn a_second_process_does_not_take_an_open_index_for_a_damaged_one() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts([player(1, "mine", 1)]), 1).unwrap();
    index.flush().unwrap();
    assert!(SearchIndex::open(dir.path()).is_err());
    assert_eq!(keys(&index, Kind::Player, "mine"), ["mine"]);
}

#[test]
fn answers_stay_whole_while_changes_and_commits_go_on() {
    let dir = tempfile::tempdir().unwrap();
    let (index, _) = SearchIndex::open(dir.path()).unwrap();
    index.apply(puts((0..300).map(|id| player(id, &format!("busy{id:03}"), id))), 1).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let asking: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut asked = 0;
                    while !stop.load(std::sync::atomic::Ordering::Relaxed) || asked == 0 {
                        for text in ["busy", "busy1", "buys29"] {
                            let hits = index.suggest(Kind::Player, text, 8).unwrap();
                            let mut ids: Vec<_> = hits.iter().map(|hit| hit.id).collect();
                            assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score), "{text}: {hits:?}");
                            ids.sort_unstable();
                            ids.dedup();
                            assert_eq!(ids.len(), 8, "{text}: {hits:?}");
                        }
                        asked += 1;
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
        for asking in asking {
            asking.join().unwrap();
        }
        changed.unwrap();
    });
}

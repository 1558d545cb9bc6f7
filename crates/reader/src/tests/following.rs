//! T29: rotation, truncation, replacement, incomplete lines and encodings, with a restart of the reader at every step.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::claims::Claims;
use crate::follow::Follower;
use crate::grammar_store::GrammarStore;
use crate::log_file::{BACKUPS, READER};
use crate::note::{Note, Sink};
use crate::queue::{QUEUE_FILE, Queue};
use crate::unknown_lines::UnknownLines;

use super::{RecordingSink, append, head, kills, reference_so_far, set};

/// A game folder and a reader's folder. With `restarts`, the reader is restarted before every poll.
struct Scene {
    root: tempfile::TempDir,
    restarts: bool,
    with_backups: bool,
    running: Option<(Follower, Arc<Mutex<Queue>>)>,
    grammars: Arc<GrammarStore>,
    sink: RecordingSink,
}

impl Scene {
    fn new(restarts: bool) -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("LIVE").join(BACKUPS)).unwrap();
        let grammars = Arc::new(GrammarStore::open(None).unwrap());
        Self { root, restarts, with_backups: false, running: None, grammars, sink: RecordingSink::default() }
    }

    fn log(&self) -> PathBuf {
        self.root.path().join("LIVE/Game.log")
    }

    fn backup(&self, name: &str) -> PathBuf {
        self.root.path().join("LIVE").join(BACKUPS).join(name)
    }

    fn stop(&mut self) {
        self.running = None;
    }

    fn poll(&mut self) {
        self.poll_with_limit(100_000);
    }

    fn poll_with_limit(&mut self, limit: u64) {
        if self.restarts {
            self.stop();
        }
        if self.running.is_none() {
            let queue = Arc::new(Mutex::new(Queue::open(&self.root.path().join("reader"), limit).unwrap()));
            let shared_queue = Some(queue.clone());
            let mut follower = Follower::new(self.log(), self.grammars.clone(), shared_queue);
            follower.with_backups = self.with_backups;
            self.running = Some((follower, queue));
        }
        let (follower, _) = self.running.as_mut().unwrap();
        follower.poll(&mut self.sink).unwrap();
    }

    /// The stored events, oldest first.
    fn stored(&self) -> Vec<String> {
        let copy = tempfile::tempdir().unwrap();
        std::fs::copy(self.root.path().join("reader").join(QUEUE_FILE), copy.path().join(QUEUE_FILE)).unwrap();
        take_all(&mut Queue::open(copy.path(), u64::MAX).unwrap())
    }

    /// Removes the stored events, and returns them.
    fn take_stored(&mut self) -> Vec<String> {
        take_all(&mut self.running.as_mut().unwrap().1.lock().unwrap())
    }
}

/// Acknowledges all events of a queue, one log after the other, and returns their ids.
fn take_all(queue: &mut Queue) -> Vec<String> {
    let claims = Claims::new(Duration::ZERO);
    let mut ids = Vec::new();
    while let Some(batch) = queue.batch(&claims, usize::MAX, usize::MAX).unwrap() {
        assert!(batch.source.header(READER).is_some(), "the log of a batch is known");
        queue.acknowledge(&batch, Vec::new()).unwrap();
        ids.extend(batch.events.into_iter().filter_map(|event| event.event_id));
    }
    ids
}

/// Runs a scene twice: with one reader throughout, and with a restart before every poll.
fn both(act: impl Fn(&mut Scene)) {
    for restarts in [false, true] {
        act(&mut Scene::new(restarts));
    }
}

#[track_caller]
fn assert_stored_once(stored: &[String], wanted: &[String]) {
    assert_eq!(stored.len(), set(stored).len(), "an event was stored twice");
    assert_eq!(set(stored), set(wanted));
}

#[test]
fn a_completion_without_a_mission_id_is_stored_once_when_its_lines_arrive_one_by_one() {
    let notice = "<2025-04-11T10:05:00.000Z> [Notice] <SHUDEvent_OnNotification> Added notification \"Contract Complete: Antium Dossier: \" [52] to queue. New queue size: 1, MissionId: [00000000-0000-0000-0000-000000000000], ObjectiveId: [] [Team_X]\r\n";
    let end = "<2025-04-11T10:05:00.000Z> [Notice] <EndMission> Ending mission for player. MissionId[addd0f67-0000-4173-a212-7a8f46e4b3fd] Player[Tester_One] PlayerId[201000000001] CompletionType[Complete] Reason[x] [Team_X]\r\n";
    let later = |line: &str| line.replace("05:00.000Z", "05:01.900Z");
    for (first, second) in [(notice, later(end)), (end, later(notice)), (notice, String::new())] {
        for restarts in [false, true] {
            let mut scene = Scene::new(restarts);
            for text in [&head(10), first, &second, &kills(10, 300, 301)] {
                append(&scene.log(), text);
                scene.poll();
            }
            std::fs::rename(scene.log(), scene.backup("a.log")).unwrap();
            append(&scene.log(), head(11));
            scene.poll();
            let completions = scene.stored().iter().filter(|id| id.starts_with("mission_complete")).count();
            assert_eq!(completions, 1, "{first}{second} {restarts}");
        }
    }
}

#[test]
fn a_log_whose_timestamps_cannot_be_read_is_named_at_once_and_at_its_end() {
    let mut scene = Scene::new(false);
    let text = |hour: u32| (head(hour) + &kills(hour, 0, 3)).replace(&format!("T{hour}:"), &format!(" {hour}:"));
    append(&scene.log(), text(10));
    scene.poll();
    append(&scene.log(), kills(10, 3, 4).replace("T10:", " 10:"));
    scene.poll();
    std::fs::rename(scene.log(), scene.backup("a.log")).unwrap();
    append(&scene.log(), head(11));
    scene.poll();
    let lines = |note: &Note| match note {
        Note::Untimed { lines, .. } => Some(*lines),
        _ => None,
    };
    let first = text(10).lines().count() as u64;
    let all = first + kills(10, 3, 4).lines().count() as u64;
    assert_eq!(scene.sink.notes.iter().filter_map(lines).collect::<Vec<_>>(), [first, all]);
}

#[test]
fn a_growing_log_gives_the_events_of_one_read() {
    both(|scene| {
        let text = head(10) + &kills(10, 0, 40);
        for piece in text.as_bytes().chunks(701) {
            append(&scene.log(), piece);
            scene.poll();
        }
        assert_stored_once(&scene.stored(), &reference_so_far(&[text.as_bytes()]));
        assert!(scene.stored().len() > 40);
    });
}

#[test]
fn a_restarted_reader_knows_the_events_of_the_live_log_and_shows_none_twice() {
    let mut scene = Scene::new(false);
    append(&scene.log(), head(10) + &kills(10, 0, 5));
    scene.poll();
    scene.stop();
    let shown = std::mem::take(&mut scene.sink).events;
    append(&scene.log(), kills(10, 5, 8));
    scene.poll();
    assert!(!scene.sink.events.is_empty() && scene.sink.events.iter().all(|event| !shown.contains(event)));
    assert_eq!(scene.sink.seen, shown);
}

#[test]
fn an_incomplete_line_is_read_when_it_is_complete() {
    both(|scene| {
        let text = head(10) + &kills(10, 0, 3);
        let cut = text.len() - 60;
        append(&scene.log(), &text[..cut]);
        scene.poll();
        assert!(!scene.stored().iter().any(|id| id.contains("2636000000002")));
        append(&scene.log(), &text[cut..]);
        scene.poll();
        assert_stored_once(&scene.stored(), &reference_so_far(&[text.as_bytes()]));
    });
}

#[test]
fn rotation_into_backups_loses_and_repeats_nothing() {
    both(|scene| {
        let (old, new) = (head(10) + &kills(10, 0, 20), head(12) + &kills(12, 0, 20));
        append(&scene.log(), &old[..old.len() / 2]);
        scene.poll();
        // The remainder of the old log is written after the last poll and before the move.
        append(&scene.log(), &old[old.len() / 2..]);
        std::fs::rename(scene.log(), scene.backup("Game Build(9687209) 11 Apr 25 (10 00 00).log")).unwrap();
        scene.poll();
        append(&scene.log(), &new[..100]);
        scene.poll();
        append(&scene.log(), &new[100..]);
        scene.poll();
        scene.poll();
        let stored = scene.stored();
        assert_stored_once(&stored, &reference_so_far(&[old.as_bytes(), new.as_bytes()]));
        assert_eq!(stored.iter().filter(|id| id.starts_with("logout:")).count(), 1);
    });
}

#[test]
fn a_new_log_longer_than_the_old_one_is_recognized() {
    both(|scene| {
        let (old, new) = (head(10) + &kills(10, 0, 5), head(12) + &kills(12, 0, 50));
        append(&scene.log(), &old);
        scene.poll();
        std::fs::rename(scene.log(), scene.backup("a.log")).unwrap();
        append(&scene.log(), &new);
        scene.poll();
        assert_stored_once(&scene.stored(), &reference_so_far(&[old.as_bytes(), new.as_bytes()]));
    });
}

#[test]
fn copytruncate_reads_the_rest_from_the_copy() {
    both(|scene| {
        let (old, new) = (head(10) + &kills(10, 0, 20), head(12) + &kills(12, 0, 30));
        append(&scene.log(), &old[..old.len() / 2]);
        scene.poll();
        append(&scene.log(), &old[old.len() / 2..]);
        std::fs::copy(scene.log(), scene.log().with_file_name("Game.log.1")).unwrap();
        std::fs::OpenOptions::new().write(true).open(scene.log()).unwrap().set_len(0).unwrap();
        scene.poll();
        append(&scene.log(), &new);
        scene.poll();
        scene.poll();
        assert_stored_once(&scene.stored(), &reference_so_far(&[old.as_bytes(), new.as_bytes()]));
    });
}

#[test]
fn a_log_overwritten_in_place_is_recognized_at_any_length() {
    let old = head(10) + &kills(10, 0, 20);
    for (from, to) in [(0, 60), (0, 20), (0, 3)] {
        both(|scene| {
            let new = head(12) + &kills(12, from, to);
            append(&scene.log(), &old);
            scene.poll();
            // The same file, truncated and written again between two polls; in one case to the same length.
            std::fs::write(scene.log(), &new).unwrap();
            scene.poll();
            scene.poll();
            let stored = scene.stored();
            let wanted = set(&reference_so_far(&[old.as_bytes(), new.as_bytes()]));
            assert_eq!(stored.len(), set(&stored).len());
            // If no reader ran when the log was truncated, its end was never read.
            let unseen: Vec<_> = wanted.difference(&set(&stored)).cloned().collect();
            assert!(unseen.iter().all(|id| scene.restarts && !id.starts_with("kill:")), "{unseen:?}");
            assert!(set(&stored).is_subset(&wanted));
        });
    }
}

#[test]
fn logs_rotated_while_the_reader_was_stopped_are_read() {
    let mut scene = Scene::new(false);
    let logs: Vec<String> = [10, 12, 14].into_iter().map(|hour| head(hour) + &kills(hour, 0, 8)).collect();
    append(&scene.log(), &logs[0][..logs[0].len() / 3]);
    scene.poll();
    scene.stop();
    append(&scene.log(), &logs[0][logs[0].len() / 3..]);
    std::fs::rename(scene.log(), scene.backup("a.log")).unwrap();
    append(&scene.backup("b.log"), &logs[1]);
    append(&scene.log(), &logs[2]);
    scene.poll();
    let bytes: Vec<&[u8]> = logs.iter().map(String::as_bytes).collect();
    assert_stored_once(&scene.stored(), &reference_so_far(&bytes));
}

#[test]
fn of_two_copies_of_a_log_the_longer_one_is_read_once() {
    let mut scene = Scene::new(false);
    scene.with_backups = true;
    let old = head(10) + &kills(10, 0, 20);
    append(&scene.backup("a.log"), &old[..old.len() / 2]);
    append(&scene.backup("b.log"), &old);
    append(&scene.log(), head(12));
    scene.poll();
    assert_stored_once(&scene.stored(), &reference_so_far(&[old.as_bytes(), head(12).as_bytes()]));
}

#[test]
fn a_file_with_the_same_first_line_and_other_bytes_is_read_from_its_beginning() {
    let mut scene = Scene::new(false);
    let (one, other) = (head(10) + &kills(10, 0, 20), head(10) + &kills(10, 100, 140));
    append(&scene.log(), &one);
    scene.poll();
    scene.stop();
    std::fs::write(scene.log(), &other).unwrap();
    scene.poll();
    let stored = set(&scene.stored());
    for id in reference_so_far(&[other.as_bytes()]) {
        assert!(stored.contains(&id), "{id} is missing");
    }
}

#[test]
fn backups_at_the_first_start_are_optional_and_later_ones_are_read() {
    for with_backups in [false, true] {
        let mut scene = Scene::new(true);
        scene.with_backups = with_backups;
        let (old, live, late) = (head(8) + &kills(8, 0, 5), head(10) + &kills(10, 0, 5), head(9) + &kills(9, 0, 5));
        append(&scene.backup("old.log"), &old);
        append(&scene.log(), &live);
        scene.poll();
        scene.poll();
        append(&scene.backup("late.log"), &late);
        scene.poll();
        let mut wanted: Vec<&[u8]> = vec![late.as_bytes(), live.as_bytes()];
        if with_backups {
            wanted.insert(0, old.as_bytes());
        }
        assert_stored_once(&scene.stored(), &reference_so_far(&wanted));
    }
}

#[test]
fn encodings_and_line_breaks_are_followed() {
    let text = head(10) + &kills(10, 0, 12);
    let wide = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    let forms: [(&str, Vec<u8>); 4] = [
        ("mark", [b"\xEF\xBB\xBF".as_slice(), text.as_bytes()].concat()),
        ("lf", text.replace("\r\n", "\n").into_bytes()),
        ("utf-16le", wide(u16::to_le_bytes)),
        ("utf-16be", wide(u16::to_be_bytes)),
    ];
    for (name, bytes) in forms {
        let mut scene = Scene::new(true);
        for piece in bytes.chunks(1999) {
            append(&scene.log(), piece);
            scene.poll();
        }
        assert_eq!(scene.stored(), reference_so_far(&[text.as_bytes()]), "{name}");
    }
}

#[test]
fn a_full_queue_pauses_reading_without_loss() {
    let mut scene = Scene::new(false);
    let text = head(10) + &kills(10, 0, 400);
    append(&scene.log(), &text);
    let mut all = Vec::new();
    for _ in 0..50 {
        scene.poll_with_limit(50);
        all.extend(scene.take_stored());
    }
    assert!(scene.sink.notes.contains(&Note::QueueFull));
    assert_stored_once(&all, &reference_so_far(&[text.as_bytes()]));
}

#[test]
fn a_missing_log_is_awaited() {
    both(|scene| {
        scene.poll();
        assert!(matches!(scene.sink.notes.last(), Some(Note::Waiting(_))));
        append(&scene.log(), head(10));
        scene.poll();
        assert!(scene.stored().iter().any(|id| id.starts_with("login:")));
    });
}

#[test]
fn without_a_queue_events_are_only_shown() {
    let scene = Scene::new(false);
    let text = head(10) + &kills(10, 0, 5);
    append(&scene.log(), &text);
    let mut sink = RecordingSink::default();
    let mut follower = Follower::new(scene.log(), Arc::new(GrammarStore::open(None).unwrap()), None);
    follower.poll(&mut sink as &mut dyn Sink).unwrap();
    let shown: Vec<String> = sink.events.into_iter().filter_map(|event| event.event_id).collect();
    assert_eq!(shown, reference_so_far(&[text.as_bytes()]));
    assert!(!Path::new(&scene.root.path().join("reader")).exists());
}

/// Kills in the wording of a patch that the built-in grammar does not know.
fn new_kills(hour: u32) -> String {
    kills(hour, 0, 6).replace("killed by 'Tester_One'", "perished by 'Tester_One'")
}

/// A grammar that reads them.
fn newer_grammar() -> String {
    gamelog::Grammar::BUILT_IN
        .replacen("\"version\": 4", "\"version\": 99", 1)
        .replace("zone '{zone}' killed by", "zone '{zone}' perished by")
        .replace("zone 'pyro4' killed by", "zone 'pyro4' perished by")
}

#[test]
fn a_newer_grammar_reads_old_logs_again_and_repeats_have_the_same_ids() {
    both(|scene| {
        let (old, live) = (head(10) + &new_kills(10), head(12) + &new_kills(12));
        append(&scene.log(), &old);
        scene.poll();
        std::fs::rename(scene.log(), scene.backup("a.log")).unwrap();
        append(&scene.log(), &live);
        scene.poll();
        let kills = |ids: &[String]| set(ids).iter().filter(|id| id.starts_with("kill:")).count();
        let before = scene.stored();
        assert_eq!(kills(&before), 0);
        let shown = scene.sink.events.len();
        assert!(scene.grammars.accept(&newer_grammar()), "the newer grammar is sound");
        scene.poll();
        let after = scene.stored();
        assert_eq!(kills(&after), 12);
        let known = set(&before);
        assert!(known.is_subset(&set(&after)) && set(&after).difference(&known).all(|id| !id.starts_with("log")));
        assert!(scene.sink.events[shown..].iter().all(|event| event.identifier.as_str() != "login"), "shown once");
        scene.poll();
        scene.poll();
        assert_eq!(scene.stored(), after, "each log is read again once");
    });
}

#[test]
fn a_stay_has_one_departure_whatever_the_parts_in_which_its_log_is_read() {
    both(|scene| {
        let text = head(10) + &kills(10, 0, 60);
        append(&scene.log(), head(9));
        scene.poll();
        // A copy that was complete when it was read, twice, and grew.
        for length in [head(10).len(), text.len() / 2, text.len()] {
            std::fs::write(scene.backup("a.log"), &text[..length]).unwrap();
            scene.stop();
            scene.poll();
        }
        let departures: Vec<String> =
            scene.stored().into_iter().filter(|id| id.starts_with("universe_left:")).collect();
        assert_eq!((departures.len(), set(&departures).len()), (3, 1), "{departures:?}");
    });
}

#[test]
fn a_newer_grammar_adds_missed_events_without_duplicates() {
    let scene = Scene::new(false);
    append(&scene.log(), head(10) + &new_kills(10));
    let grammar_store = Arc::new(GrammarStore::open(None).unwrap());
    let samples = Arc::new(UnknownLines::default());
    let queue = Arc::new(Mutex::new(Queue::open(&scene.root.path().join("reader"), 1000).unwrap()));
    let mut follower = Follower::new(scene.log(), grammar_store.clone(), Some(queue));
    follower.unknown_lines = samples.clone();
    let mut sink = RecordingSink::default();
    follower.poll(&mut sink).unwrap();
    let count =
        |sink: &RecordingSink, kind: &str| sink.events.iter().filter(|event| event.identifier.as_str() == kind).count();
    assert_eq!((count(&sink, "kill"), count(&sink, "login")), (0, 1));
    let unknown = samples.all().samples;
    assert_eq!((unknown.len(), unknown[0].count), (1, 6));
    assert!(!unknown[0].line.contains("Tester_One"), "{}", unknown[0].line);

    assert!(grammar_store.accept(&newer_grammar()), "the newer grammar is sound");
    follower.poll(&mut sink).unwrap();
    follower.poll(&mut sink).unwrap();
    assert_eq!((count(&sink, "kill"), count(&sink, "login"), count(&sink, "vehicle_soft_death")), (6, 1, 2));
}

#[test]
fn an_unreadable_log_is_reported_once_and_retried() {
    let scene = Scene::new(false);
    // A folder at the path of the log can be opened but not read.
    std::fs::create_dir(scene.log()).unwrap();
    let mut sink = RecordingSink::default();
    let mut follower = Follower::new(scene.log(), Arc::new(GrammarStore::open(None).unwrap()), None);
    for _ in 0..3 {
        follower.poll(&mut sink).unwrap();
    }
    assert_eq!(sink.notes.iter().filter(|note| matches!(note, Note::Unreadable { .. })).count(), 1);
    std::fs::remove_dir(scene.log()).unwrap();
    append(&scene.log(), head(10));
    follower.poll(&mut sink).unwrap();
    assert!(sink.events.iter().any(|event| event.identifier.as_str() == "login"));
}

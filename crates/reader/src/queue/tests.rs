//! Guarantees of the queue across crashes, torn writes, and compaction.

use std::io::Write;
use std::time::Duration;

use gamelog::events::Identifier;
use gamelog::times::EpochMillis;

use crate::upload::{ClaimedBy, KeyKind, Server, UploadError, Uploader};

use super::*;

fn event(number: u64) -> Event {
    Event {
        event_id: Some(format!("e{number}")),
        player_name: Some("Tester_One".into()),
        ..Event::new(Identifier::Login, EpochMillis(1_790_000_000_000))
    }
}

/// An event in which the player of the logs takes no part.
fn foreign_event(number: u64) -> Event {
    Event { player_name: Some("Tester_Nine".into()), ..event(number) }
}

fn log(name: &str) -> LogId {
    LogId::parse(name).unwrap()
}

fn checkpoint(offset: u64) -> Checkpoint {
    Checkpoint { offset, sum: 1, is_closed: false, grammar: 1 }
}

fn facts() -> LogFacts {
    facts_of(Some("Tester_One"))
}

fn facts_of(handle: Option<&str>) -> LogFacts {
    LogFacts { handle: handle.map(Into::into), first: Some(EpochMillis(5)), ..LogFacts::default() }
}

/// The claims of an operator's key.
fn operator() -> Claims {
    Claims::new(Duration::ZERO)
}

/// The claims of an account's key. Nobody has claimed Tester_Two.
fn account() -> Claims {
    let mut claims = Claims::new(Duration::from_secs(3600));
    claims.key_kind = Some(KeyKind::Account);
    let uploader = Uploader::new(&Server { url: "https://stats.example.org".into(), key: "k".into() }).unwrap();
    let required = UploadError::ClaimRequired { error: "claim it".into(), claimed_by: ClaimedBy::Nobody };
    claims.update(&facts_of(Some("Tester_Two")), &Err(required), &uploader);
    claims
}

fn ids(batch: &Batch) -> Vec<String> {
    batch.events.iter().filter_map(|event| event.event_id.clone()).collect()
}

/// The next batch of a key, with the log and the event ids.
fn next(queue: &mut Queue, claims: &Claims) -> (Batch, String, Vec<String>) {
    let batch = queue.batch(claims, usize::MAX, usize::MAX).unwrap().unwrap();
    let (log, ids) = (batch.source.log.as_str().to_owned(), ids(&batch));
    (batch, log, ids)
}

/// The ids of the next batch of an operator's key.
fn all(queue: &mut Queue) -> Vec<String> {
    let batch = queue.batch(&operator(), usize::MAX, usize::MAX).unwrap();
    batch.as_ref().map(ids).unwrap_or_default()
}

/// Acknowledges the next `count` events.
fn acknowledge(queue: &mut Queue, count: usize) {
    let batch = queue.batch(&operator(), count, usize::MAX).unwrap().unwrap();
    assert_eq!(batch.events.len(), count);
    queue.acknowledge(&batch, Vec::new()).unwrap();
}

fn state(waiting: u64, sent: u64, logs: u64) -> QueueState {
    let players = [("tester_one".to_owned(), waiting)].into();
    QueueState { waiting, sent, logs, players, ..QueueState::default() }
}

#[test]
fn pushed_events_survive_a_crash_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), checkpoint(10), vec![event(1), event(2)], facts()).unwrap();
    queue.push(&log("a"), checkpoint(20), vec![event(3)], facts()).unwrap();
    acknowledge(&mut queue, 1);
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    assert_eq!(all(&mut queue), ["e2", "e3"]);
    assert_eq!(queue.checkpoint(&log("a")), Some(checkpoint(20)));
    assert_eq!(queue.state(), state(2, 1, 1));
    assert_eq!(Queue::inspect(folder.path()).unwrap(), queue.state());
}

#[test]
fn batches_respect_both_limits() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), checkpoint(10), (0..10).map(event).collect(), facts()).unwrap();
    let mut length = |max_events, max_bytes| {
        queue.batch(&operator(), max_events, max_bytes).unwrap().map(|batch| batch.events.len())
    };
    let two = to_ndjson_line(&event(0)).len() * 2;
    let limits = [(4, usize::MAX), (100, two), (100, 1), (0, two)];
    assert_eq!(limits.map(|(max_events, max_bytes)| length(max_events, max_bytes)), [4, 2, 1, 1].map(Some));
    acknowledge(&mut queue, 10);
    assert_eq!(queue.batch(&operator(), 100, 100).unwrap(), None);
}

#[test]
fn deferred_events_move_to_the_end_and_survive_crash_and_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), checkpoint(10), vec![event(1), event(2), event(3)], facts()).unwrap();
    queue.push(&log("a"), checkpoint(20), vec![event(4)], facts()).unwrap();
    let batch = queue.batch(&operator(), 3, usize::MAX).unwrap().unwrap();
    queue.acknowledge(&batch, vec![event(2)]).unwrap();
    assert_eq!((all(&mut queue), queue.state().sent), (vec!["e4".to_owned(), "e2".to_owned()], 2));
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    let batch = queue.batch(&operator(), 2, usize::MAX).unwrap().unwrap();
    queue.acknowledge(&batch, vec![event(4), event(2)]).unwrap();
    assert_eq!(all(&mut queue), ["e4", "e2"]);
    assert_eq!(queue.state(), state(2, 2, 1));
    assert_eq!(Queue::inspect(folder.path()).unwrap(), queue.state());
    acknowledge(&mut queue, 1);
    queue.compact().unwrap();
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    assert_eq!((all(&mut queue), queue.state().sent), (vec!["e2".to_owned()], 3));
}

#[test]
fn a_batch_contains_events_of_the_log_with_the_oldest_events_and_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    let later = LogFacts { last: Some(EpochMillis(9)), ..facts() };
    queue.push(&log("b"), checkpoint(10), vec![event(1), event(2)], facts()).unwrap();
    queue.push(&log("a"), checkpoint(10), vec![event(3)], facts()).unwrap();
    queue.push(&log("b"), checkpoint(20), vec![event(4)], later.clone()).unwrap();
    let (batch, log, sent) = next(&mut queue, &operator());
    assert_eq!(
        (log.as_str(), &sent[..], &batch.source.facts),
        ("b", &["e1", "e2", "e4"].map(String::from)[..], &later)
    );
    // An event that is sent later keeps its log, also after a crash and a compaction.
    queue.acknowledge(&batch, vec![event(2)]).unwrap();
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.compact().unwrap();
    for (next_log, next_id) in [("a", "e3"), ("b", "e2")] {
        let (batch, log, sent) = next(&mut queue, &operator());
        assert_eq!((log.as_str(), sent), (next_log, vec![next_id.to_owned()]));
        queue.acknowledge(&batch, Vec::new()).unwrap();
    }
}

#[test]
fn events_of_other_players_are_completed_without_being_sent() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    let events = vec![foreign_event(1), event(2), foreign_event(3), event(4), foreign_event(5)];
    queue.push(&log("a"), checkpoint(10), events, facts()).unwrap();
    let batch = queue.batch(&account(), 3, usize::MAX).unwrap().unwrap();
    assert_eq!((ids(&batch), batch.count), (vec!["e2".to_owned()], 3));
    queue.acknowledge(&batch, Vec::new()).unwrap();
    let (batch, _, sent) = next(&mut queue, &account());
    assert_eq!((sent, batch.count), (vec!["e4".to_owned()], 2));
    queue.acknowledge(&batch, Vec::new()).unwrap();
    assert_eq!((queue.state().waiting, queue.state().sent), (0, 2));
    assert_eq!(Queue::inspect(folder.path()).unwrap(), queue.state());
}

#[test]
fn a_log_that_waits_for_a_claim_blocks_no_other_log() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 2).unwrap();
    queue.push(&log("a"), checkpoint(10), vec![event(1), event(2)], facts_of(Some("Tester_Two"))).unwrap();
    queue.push(&log("b"), checkpoint(10), vec![event(3)], facts()).unwrap();
    assert!(queue.is_full());
    let (batch, log, _) = next(&mut queue, &account());
    assert_eq!(log, "b");
    assert!(!queue.is_full(), "only events that can be sent count");
    queue.acknowledge(&batch, Vec::new()).unwrap();
    queue.compact().unwrap();
    assert!(!queue.is_full());
    assert_eq!(queue.batch(&account(), 10, usize::MAX).unwrap(), None);
    assert_eq!(queue.state().players, [("tester_two".to_owned(), 2)].into());
    assert_eq!(next(&mut queue, &operator()).1, "a");
}

#[test]
fn a_refused_log_is_never_queued_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    let foreign = ForeignLog { handle: "Tester_One".into(), first: Some(EpochMillis(5)) };
    queue.push(&log("a"), checkpoint(10), vec![event(1)], facts()).unwrap();
    queue.push(&log("b"), checkpoint(10), vec![event(2)], facts()).unwrap();
    queue.refuse(&log("a")).unwrap();
    queue.compact().unwrap();
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), checkpoint(20), vec![event(3)], facts()).unwrap();
    assert_eq!(all(&mut queue), ["e2"]);
    assert_eq!(queue.checkpoint(&log("a")), Some(checkpoint(20)));
    assert_eq!(queue.state().foreign_logs, [foreign]);
    assert_eq!(Queue::inspect(folder.path()).unwrap(), queue.state());
}

#[test]
fn events_wait_for_the_name_of_their_player_until_the_log_ends() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), checkpoint(10), vec![event(1)], facts_of(None)).unwrap();
    queue.push(&log("b"), checkpoint(10), vec![event(2), event(3)], facts_of(None)).unwrap();
    assert_eq!(queue.batch(&account(), 10, usize::MAX).unwrap(), None);
    assert!(queue.drop_nameless().unwrap().is_empty());
    queue.push(&log("a"), checkpoint(20), Vec::new(), facts()).unwrap();
    // A new run of the game in the same log has not named its player yet.
    queue.push(&log("a"), checkpoint(30), vec![event(4)], facts_of(None)).unwrap();
    queue.push(&log("b"), Checkpoint { is_closed: true, ..checkpoint(20) }, Vec::new(), facts_of(None)).unwrap();
    assert_eq!(queue.drop_nameless().unwrap(), [2_u64]);
    assert!(queue.drop_nameless().unwrap().is_empty());
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    assert_eq!(next(&mut queue, &account()).2, ["e1", "e4"]);
    assert_eq!(queue.state(), state(2, 0, 2));
}

#[test]
fn a_torn_record_loses_checkpoint_and_events_together() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    for step in 1..=3 {
        queue.push(&log("a"), checkpoint(step * 10), vec![event(step)], facts()).unwrap();
    }
    drop(queue);
    let path = folder.path().join(QUEUE_FILE);
    let whole = std::fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let mut queue = Queue::open(folder.path(), 100).unwrap();
        let stored = all(&mut queue).len() as u64;
        assert_eq!(queue.checkpoint(&log("a")).map_or(0, |checkpoint| checkpoint.offset), stored * 10, "cut at {cut}");
        // Records after the torn one can be read again.
        queue.push(&log("a"), checkpoint(90), vec![event(9)], facts()).unwrap();
        assert_eq!(all(&mut queue).len() as u64, stored + 1);
    }
}

#[test]
fn garbage_at_the_end_is_truncated() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), checkpoint(10), vec![event(1)], facts()).unwrap();
    drop(queue);
    let mut file = OpenOptions::new().append(true).open(folder.path().join(QUEUE_FILE)).unwrap();
    file.write_all(b"00000000 {\"Refused\":{\"log\":\"a\"}}\n\0\0\0").unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    assert_eq!(all(&mut queue), ["e1"]);
}

#[test]
fn compaction_bounds_the_file_size() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 1000).unwrap();
    let heavy = |number| Event { text: Some("x".repeat(900)), ..event(number) };
    for round in 0..60u64 {
        queue.push(&log("a"), checkpoint(round), (0..200).map(|n| heavy(round * 200 + n)).collect(), facts()).unwrap();
        acknowledge(&mut queue, if round == 0 { 195 } else { 200 });
    }
    assert!(queue.log_file.length < 2 * COMPACT_BYTES, "{}", queue.log_file.length);
    assert_eq!(all(&mut queue), ["e11995", "e11996", "e11997", "e11998", "e11999"]);
    drop(queue);
    let mut queue = Queue::open(folder.path(), 1000).unwrap();
    assert_eq!((all(&mut queue).len(), queue.state().sent), (5, 11_995));
    assert_eq!(queue.checkpoint(&log("a")), Some(checkpoint(59)));
}

#[test]
fn a_full_queue_is_reported_and_a_queue_has_one_owner() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 2).unwrap();
    assert!(queue.is_new() && !queue.is_full());
    queue.push(&log("a"), checkpoint(10), vec![event(1), event(2)], facts()).unwrap();
    assert!(queue.is_full());
    assert!(matches!(Queue::open(folder.path(), 2), Err(ReaderError::InUse(_))));
}

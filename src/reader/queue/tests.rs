//! Guarantees of the queue across crashes, torn writes, and compaction.

use std::io::Write;

use super::*;
use crate::domain::events::Identifier;
use crate::domain::times::EpochMillis;

fn event(number: u64) -> Event {
    Event {
        event_id: Some(format!("e{number}")),
        player_name: Some("Tester_One".into()),
        ..Event::new(Identifier::Login, EpochMillis(1_790_000_000_000))
    }
}

fn log(name: &str) -> LogId {
    LogId::parse(name).unwrap()
}

fn checkpoint(offset: u64) -> Checkpoint {
    Checkpoint { offset, sum: 1, is_closed: false }
}

fn facts() -> LogFacts {
    LogFacts { handle: Some("Tester_One".into()), first: Some(EpochMillis(5)), ..LogFacts::default() }
}

/// The log of the next batch and its event ids.
fn next(queue: &mut Queue) -> (String, Vec<String>) {
    let batch = queue.batch(usize::MAX, usize::MAX).unwrap().unwrap();
    let ids = batch.events.iter().filter_map(|event| event.event_id.clone()).collect();
    (batch.source.log.as_str().to_owned(), ids)
}

fn all(queue: &mut Queue) -> Vec<String> {
    let batch = queue.batch(usize::MAX, usize::MAX).unwrap();
    batch.map(|batch| batch.events.into_iter().filter_map(|event| event.event_id).collect()).unwrap_or_default()
}

#[test]
fn pushed_events_survive_a_crash_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), checkpoint(10), vec![event(1), event(2)], facts()).unwrap();
    queue.push(&log("a"), checkpoint(20), vec![event(3)], facts()).unwrap();
    queue.acknowledge(1).unwrap();
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    assert_eq!(all(&mut queue), ["e2", "e3"]);
    assert_eq!(queue.checkpoint(&log("a")), Some(checkpoint(20)));
    assert_eq!(queue.state(), QueueState { waiting: 2, sent: 1, logs: 1 });
    assert_eq!(Queue::inspect(folder.path()).unwrap(), queue.state());
}

#[test]
fn batches_respect_both_limits() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), checkpoint(10), (0..10).map(event).collect(), facts()).unwrap();
    assert_eq!(queue.batch(4, usize::MAX).unwrap().unwrap().events.len(), 4);
    let two = to_ndjson_line(&event(0)).len() * 2;
    assert_eq!(queue.batch(100, two).unwrap().unwrap().events.len(), 2);
    assert_eq!(queue.batch(100, 1).unwrap().unwrap().events.len(), 1);
    queue.acknowledge(10).unwrap();
    assert_eq!(queue.batch(100, 100).unwrap(), None);
}

#[test]
fn deferred_events_move_to_the_end_and_survive_crash_and_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), checkpoint(10), vec![event(1), event(2), event(3)], facts()).unwrap();
    queue.push(&log("a"), checkpoint(20), vec![event(4)], facts()).unwrap();
    let batch = queue.batch(3, usize::MAX).unwrap().unwrap();
    queue.acknowledge_except(&batch, vec![event(2)]).unwrap();
    assert_eq!((all(&mut queue), queue.state().sent), (vec!["e4".to_owned(), "e2".to_owned()], 2));
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    let batch = queue.batch(2, usize::MAX).unwrap().unwrap();
    queue.acknowledge_except(&batch, vec![event(4), event(2)]).unwrap();
    assert_eq!(all(&mut queue), ["e4", "e2"]);
    assert_eq!(queue.state(), QueueState { waiting: 2, sent: 2, logs: 1 });
    assert_eq!(Queue::inspect(folder.path()).unwrap(), queue.state());
    queue.acknowledge(1).unwrap();
    queue.compact().unwrap();
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    assert_eq!((all(&mut queue), queue.state().sent), (vec!["e2".to_owned()], 3));
}

#[test]
fn a_batch_contains_events_of_one_log_and_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    let later = LogFacts { last: Some(EpochMillis(9)), ..facts() };
    queue.push(&log("a"), checkpoint(10), vec![event(1), event(2)], facts()).unwrap();
    queue.push(&log("a"), checkpoint(20), vec![event(3)], later.clone()).unwrap();
    queue.push(&log("b"), checkpoint(10), vec![event(4)], facts()).unwrap();
    queue.push(&log("a"), checkpoint(30), vec![event(5)], later.clone()).unwrap();
    assert_eq!(queue.batch(9, 9000).unwrap().unwrap().source.facts, later);
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
    assert_eq!(next(&mut queue), ("a".to_owned(), ids(&["e1", "e2", "e3"])));
    // An event that is sent later keeps its log, also after a crash and a compaction.
    let batch = queue.batch(9, usize::MAX).unwrap().unwrap();
    queue.acknowledge_except(&batch, vec![event(2)]).unwrap();
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.compact().unwrap();
    for (log, sent) in [("b", &["e4"][..]), ("a", &["e5", "e2"])] {
        assert_eq!(next(&mut queue), (log.to_owned(), ids(sent)));
        queue.acknowledge(sent.len() as u64).unwrap();
    }
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
    file.write_all(b"00000000 {\"Sent\":{\"count\":1}}\n\0\0\0").unwrap();
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
        queue.acknowledge(if round == 0 { 195 } else { 200 }).unwrap();
    }
    assert!(queue.log_file.length() < 2 * COMPACT_BYTES, "{}", queue.log_file.length());
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

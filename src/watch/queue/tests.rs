//! What a queue on disk promises over crashes, tears and a long life.

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
    LogId(name.into())
}

fn place(offset: u64) -> Place {
    Place { offset, sum: 1, is_closed: false }
}

fn all(queue: &mut Queue) -> Vec<String> {
    let batch = queue.batch(usize::MAX, usize::MAX).unwrap();
    batch.map(|batch| batch.events.into_iter().filter_map(|event| event.event_id).collect()).unwrap_or_default()
}

#[test]
fn what_was_pushed_is_there_after_a_crash_oldest_first() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), place(10), vec![event(1), event(2)]).unwrap();
    queue.push(&log("a"), place(20), vec![event(3)]).unwrap();
    queue.done(1).unwrap();
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    assert_eq!(all(&mut queue), ["e2", "e3"]);
    assert_eq!(queue.place(&log("a")), Some(place(20)));
    assert_eq!(queue.state(), QueueState { waiting: 2, sent: 1, logs: 1 });
    assert_eq!(Queue::look(folder.path()).unwrap(), queue.state());
}

#[test]
fn a_batch_keeps_both_limits() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), place(10), (0..10).map(event).collect()).unwrap();
    assert_eq!(queue.batch(4, usize::MAX).unwrap().unwrap().events.len(), 4);
    let two = line_of(&event(0)).len() * 2;
    assert_eq!(queue.batch(100, two).unwrap().unwrap().events.len(), 2);
    assert_eq!(queue.batch(100, 1).unwrap().unwrap().events.len(), 1);
    queue.done(10).unwrap();
    assert_eq!(queue.batch(100, 100).unwrap(), None);
}

#[test]
fn deferred_events_go_behind_all_others_and_survive_a_crash_and_a_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), place(10), vec![event(1), event(2), event(3)]).unwrap();
    queue.push(&log("a"), place(20), vec![event(4)]).unwrap();
    queue.done_but(3, vec![event(2)]).unwrap();
    assert_eq!((all(&mut queue), queue.state().sent), (vec!["e4".to_owned(), "e2".to_owned()], 2));
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.done_but(2, vec![event(4), event(2)]).unwrap();
    assert_eq!(all(&mut queue), ["e4", "e2"]);
    assert_eq!(queue.state(), QueueState { waiting: 2, sent: 2, logs: 1 });
    assert_eq!(Queue::look(folder.path()).unwrap(), queue.state());
    queue.done(1).unwrap();
    queue.compact().unwrap();
    drop(queue);
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    assert_eq!((all(&mut queue), queue.state().sent), (vec!["e2".to_owned()], 3));
}

#[test]
fn torn_anywhere_place_and_events_stay_together() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    for step in 1..=3 {
        queue.push(&log("a"), place(step * 10), vec![event(step)]).unwrap();
    }
    drop(queue);
    let path = folder.path().join(QUEUE_FILE);
    let whole = std::fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let mut queue = Queue::open(folder.path(), 100).unwrap();
        let told = all(&mut queue).len() as u64;
        assert_eq!(queue.place(&log("a")).map_or(0, |place| place.offset), told * 10, "cut at {cut}");
        // What comes after the tear is readable again.
        queue.push(&log("a"), place(90), vec![event(9)]).unwrap();
        assert_eq!(all(&mut queue).len() as u64, told + 1);
    }
}

#[test]
fn garbage_at_the_end_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    queue.push(&log("a"), place(10), vec![event(1)]).unwrap();
    drop(queue);
    let mut file = OpenOptions::new().append(true).open(folder.path().join(QUEUE_FILE)).unwrap();
    file.write_all(b"00000000 {\"Sent\":{\"count\":1}}\n\0\0\0").unwrap();
    let mut queue = Queue::open(folder.path(), 100).unwrap();
    assert_eq!(all(&mut queue), ["e1"]);
}

#[test]
fn a_long_life_does_not_make_a_long_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 1000).unwrap();
    let heavy = |number| Event { text: Some("x".repeat(900)), ..event(number) };
    for round in 0..60u64 {
        queue.push(&log("a"), place(round), (0..200).map(|n| heavy(round * 200 + n)).collect()).unwrap();
        queue.done(if round == 0 { 195 } else { 200 }).unwrap();
    }
    assert!(queue.journal.length() < 2 * COMPACT_BYTES, "{}", queue.journal.length());
    assert_eq!(all(&mut queue), ["e11995", "e11996", "e11997", "e11998", "e11999"]);
    drop(queue);
    let mut queue = Queue::open(folder.path(), 1000).unwrap();
    assert_eq!((all(&mut queue).len(), queue.state().sent), (5, 11_995));
    assert_eq!(queue.place(&log("a")), Some(place(59)));
}

#[test]
fn a_full_queue_says_so_and_two_readers_do_not_share_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut queue = Queue::open(folder.path(), 2).unwrap();
    assert!(queue.is_fresh() && !queue.is_full());
    queue.push(&log("a"), place(10), vec![event(1), event(2)]).unwrap();
    assert!(queue.is_full());
    assert!(matches!(Queue::open(folder.path(), 2), Err(WatchError::InUse(_))));
}

//! What was read and not yet uploaded, and how far each log was read: kept together, so that neither runs ahead.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::events::Event;

use super::WatchError;
use super::journal::{Journal, Span};
use super::log_file::LogId;
use super::upload::line_of;

/// The journal's name in the reader's folder.
pub const QUEUE_FILE: &str = "queue.ndjson";
const LOCK_FILE: &str = "reader.lock";
/// A journal that has grown by this much of what is done with is written anew.
const COMPACT_BYTES: u64 = 4 * 1024 * 1024;

/// How far a log was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Bytes taken from the start of the file.
    pub offset: u64,
    /// The checksum of these bytes: the same file is known by it, whatever it is called by now.
    pub sum: u32,
    /// The log has ended and was read to its end.
    pub is_closed: bool,
}

/// Of a log that is left alone.
const UNWANTED: Place = Place { offset: 0, sum: 0, is_closed: true };

#[derive(Serialize, Deserialize)]
enum Record {
    /// So many events were done with before this journal began.
    Base {
        sent: u64,
    },
    Read {
        log: LogId,
        place: Place,
        events: Vec<Event>,
    },
    /// The first start; these logs were there already and are not wanted.
    Begin {
        unwanted: Vec<LogId>,
    },
    /// So many more of the oldest events are done with.
    Sent {
        count: u64,
    },
}

/// Events of one record that wait.
struct Chunk {
    span: Span,
    events: u64,
}

/// The oldest events that wait, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// One JSON object a line.
    pub lines: Vec<u8>,
    pub ids: Vec<Option<String>>,
}

/// The queue on disk; one process at a time holds it.
pub struct Queue {
    journal: Journal,
    places: BTreeMap<LogId, Place>,
    chunks: VecDeque<Chunk>,
    /// How many events of the first chunk are done with.
    done_of_first: u64,
    waiting: u64,
    sent: u64,
    limit: u64,
    is_fresh: bool,
    folder: PathBuf,
    /// Held for as long as the queue is; the system frees it with the process.
    _lock: File,
}

/// What a look from outside tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct QueueState {
    pub waiting: u64,
    pub sent: u64,
    pub logs: u64,
}

impl Queue {
    /// Opens the queue of a folder; `limit` is how many events wait at most before reading waits too.
    pub fn open(folder: &Path, limit: u64) -> Result<Self, WatchError> {
        std::fs::create_dir_all(folder).map_err(WatchError::file(folder, "made"))?;
        let lock_path = folder.join(LOCK_FILE);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(WatchError::file(&lock_path, "opened"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Err(WatchError::InUse(folder.to_owned())),
            Err(std::fs::TryLockError::Error(error)) => return Err(WatchError::file(&lock_path, "locked")(error)),
        }
        let mut ledger = Ledger::default();
        let journal = Journal::open(&folder.join(QUEUE_FILE), |span, record| ledger.take(span, record))?;
        Ok(Self {
            is_fresh: journal.length() == 0,
            journal,
            places: ledger.places,
            chunks: ledger.chunks,
            done_of_first: ledger.done_of_first,
            waiting: ledger.waiting,
            sent: ledger.sent,
            limit: limit.max(1),
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// Looks at the queue of a folder without holding it; a running reader is not disturbed.
    pub fn look(folder: &Path) -> Result<QueueState, WatchError> {
        let path = folder.join(QUEUE_FILE);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(QueueState::default()),
            Err(error) => return Err(WatchError::file(&path, "read")(error)),
        };
        let mut ledger = Ledger::default();
        for line in text.split(|byte| *byte == b'\n') {
            let record = line.get(9..).and_then(|json| serde_json::from_slice(json).ok());
            if let Some(record) = record {
                ledger.take(Span { at: 0, length: 0 }, record);
            }
        }
        Ok(QueueState { waiting: ledger.waiting, sent: ledger.sent, logs: ledger.places.len() as u64 })
    }

    /// Another process holds the queue of this folder.
    pub fn is_held(folder: &Path) -> bool {
        let lock = OpenOptions::new().write(true).open(folder.join(LOCK_FILE));
        lock.is_ok_and(|file| matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)))
    }

    /// Nothing was ever read with this folder.
    pub fn is_fresh(&self) -> bool {
        self.is_fresh
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn place(&self, log: &LogId) -> Option<Place> {
        self.places.get(log).copied()
    }

    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// As many events wait as may: nothing more should be read.
    pub fn is_full(&self) -> bool {
        self.waiting >= self.limit
    }

    pub fn state(&self) -> QueueState {
        QueueState { waiting: self.waiting, sent: self.sent, logs: self.places.len() as u64 }
    }

    /// Notes that reading has begun, and which logs are left alone.
    pub fn begin(&mut self, unwanted: Vec<LogId>) -> Result<(), WatchError> {
        let record = Record::Begin { unwanted };
        self.journal.append(&record, true)?;
        if let Record::Begin { unwanted } = record {
            self.places.extend(unwanted.into_iter().map(|log| (log, UNWANTED)));
        }
        self.is_fresh = false;
        Ok(())
    }

    /// Keeps the events of a piece of a log together with the place after it; both survive a crash, or neither.
    pub fn push(&mut self, log: &LogId, place: Place, events: Vec<Event>) -> Result<(), WatchError> {
        let count = events.len() as u64;
        // A place alone that is lost is read again, and tells nothing.
        let is_durable = count > 0 || place.is_closed;
        let span = self.journal.append(&Record::Read { log: log.clone(), place, events }, is_durable)?;
        self.places.insert(log.clone(), place);
        self.is_fresh = false;
        if count > 0 {
            self.chunks.push_back(Chunk { span, events: count });
            self.waiting += count;
        }
        self.compact_if_due()
    }

    /// The oldest events that wait, within limits; `None` when nothing waits. An event too large for a batch goes alone.
    pub fn batch(&mut self, max_events: usize, max_bytes: usize) -> Result<Option<Batch>, WatchError> {
        let mut batch = Batch { lines: Vec::new(), ids: Vec::new() };
        let mut skip = self.done_of_first;
        for chunk in &self.chunks {
            let Record::Read { events, .. } = self.journal.read(chunk.span)? else { break };
            for event in events.iter().skip(usize::try_from(skip).unwrap_or(usize::MAX)) {
                let line = line_of(event);
                let is_over = batch.ids.len() >= max_events.max(1) || batch.lines.len() + line.len() > max_bytes;
                if is_over && !batch.ids.is_empty() {
                    return Ok(Some(batch));
                }
                batch.lines.extend_from_slice(&line);
                batch.ids.push(event.event_id.clone());
            }
            skip = 0;
        }
        Ok(Some(batch).filter(|batch| !batch.ids.is_empty()))
    }

    /// Forgets the oldest events: the site has them.
    pub fn done(&mut self, count: u64) -> Result<(), WatchError> {
        let count = count.min(self.waiting);
        self.journal.append(&Record::Sent { count }, true)?;
        self.waiting -= count;
        self.sent += count;
        let mut left = count + self.done_of_first;
        while let Some(first) = self.chunks.front().filter(|first| first.events <= left) {
            left -= first.events;
            self.chunks.pop_front();
        }
        self.done_of_first = left;
        self.compact_if_due()
    }

    fn compact_if_due(&mut self) -> Result<(), WatchError> {
        let live: u64 = self.chunks.iter().map(|chunk| chunk.span.length as u64).sum();
        if self.journal.length() < COMPACT_BYTES + 2 * live {
            return Ok(());
        }
        let mut records = vec![Record::Base { sent: self.sent }];
        for (log, place) in &self.places {
            records.push(Record::Read { log: log.clone(), place: *place, events: Vec::new() });
        }
        let without_events = records.len();
        let mut skip = usize::try_from(self.done_of_first).unwrap_or(usize::MAX);
        for chunk in &self.chunks {
            if let Record::Read { log, place, mut events } = self.journal.read(chunk.span)? {
                events.drain(..std::mem::take(&mut skip).min(events.len()));
                // An older place in a later record must not win over the newest.
                let place = self.places.get(&log).copied().unwrap_or(place);
                records.push(Record::Read { log, place, events });
            }
        }
        let spans = self.journal.replace(&records)?;
        let kept = records.into_iter().zip(spans).skip(without_events);
        self.chunks = kept
            .filter_map(|(record, span)| match record {
                Record::Read { events, .. } => Some(Chunk { span, events: events.len() as u64 }),
                _ => None,
            })
            .collect();
        self.done_of_first = 0;
        Ok(())
    }
}

/// What the records of a journal add up to.
#[derive(Default)]
struct Ledger {
    places: BTreeMap<LogId, Place>,
    chunks: VecDeque<Chunk>,
    done_of_first: u64,
    waiting: u64,
    sent: u64,
}

impl Ledger {
    fn take(&mut self, span: Span, record: Record) {
        match record {
            Record::Base { sent } => self.sent = sent,
            Record::Begin { unwanted } => self.places.extend(unwanted.into_iter().map(|log| (log, UNWANTED))),
            Record::Read { log, place, events } => {
                self.places.insert(log, place);
                if !events.is_empty() {
                    self.waiting += events.len() as u64;
                    self.chunks.push_back(Chunk { span, events: events.len() as u64 });
                }
            }
            Record::Sent { count } => {
                let count = count.min(self.waiting);
                self.waiting -= count;
                self.sent += count;
                let mut left = count + self.done_of_first;
                while let Some(first) = self.chunks.front().filter(|first| first.events <= left) {
                    left -= first.events;
                    self.chunks.pop_front();
                }
                self.done_of_first = left;
            }
        }
    }
}

#[cfg(test)]
mod tests {
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
        batch.map(|batch| batch.ids.into_iter().flatten().collect()).unwrap_or_default()
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
        assert_eq!(queue.batch(4, usize::MAX).unwrap().unwrap().ids.len(), 4);
        let two = line_of(&event(0)).len() * 2;
        assert_eq!(queue.batch(100, two).unwrap().unwrap().ids.len(), 2);
        assert_eq!(queue.batch(100, 1).unwrap().unwrap().ids.len(), 1);
        queue.done(10).unwrap();
        assert_eq!(queue.batch(100, 100).unwrap(), None);
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
}

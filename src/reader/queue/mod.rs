//! The queue of events to upload, and the checkpoint of each log. Both are in one file, so neither can run ahead of
//! the other.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::events::Event;
use crate::gamelog::LogFacts;

use super::append_log::{AppendLog, Span};
use super::error::ReaderError;
use super::log_file::{EventSource, LogId};
use super::upload::to_ndjson_line;

/// The name of the queue's file in the reader's folder.
pub const QUEUE_FILE: &str = "queue.ndjson";
const LOCK_FILE: &str = "reader.lock";
/// The file is compacted when this many bytes belong to completed events.
const COMPACT_BYTES: u64 = 4 * 1024 * 1024;

/// How far a log was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Bytes read from the start of the file.
    pub offset: u64,
    /// Checksum of these bytes. It identifies the file after a rename.
    pub sum: u32,
    /// The log is complete and was read to its end.
    pub is_closed: bool,
}

/// The checkpoint of a log that is not read.
const IGNORED: Checkpoint = Checkpoint { offset: 0, sum: 0, is_closed: true };

#[derive(Serialize, Deserialize)]
enum Record {
    /// Number of events completed before this file began.
    Base {
        sent: u64,
    },
    Read {
        log: LogId,
        checkpoint: Checkpoint,
        events: Vec<Event>,
        facts: LogFacts,
    },
    /// The first start. These logs existed before and are not read.
    Begin {
        ignored: Vec<LogId>,
    },
    /// Number of further events, oldest first, that are completed.
    Sent {
        count: u64,
    },
    /// The `count` oldest events were sent; `events` are those of them to send again after all others.
    Deferred {
        count: u64,
        log: LogId,
        events: Vec<Event>,
        facts: LogFacts,
    },
}

impl Record {
    /// The events of a record and their log; `None` for a record without events.
    fn into_events(self) -> Option<(Vec<Event>, EventSource)> {
        match self {
            Self::Read { log, events, facts, .. } | Self::Deferred { log, events, facts, .. } => {
                Some((events, EventSource { log, facts }))
            }
            Self::Base { .. } | Self::Begin { .. } | Self::Sent { .. } => None,
        }
    }
}

/// The unsent events of one record.
struct Chunk {
    span: Span,
    events: u64,
}

/// The oldest events of the queue, encoded for upload.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// NDJSON.
    pub lines: Vec<u8>,
    pub events: Vec<Event>,
    /// The log that all of the events come from.
    pub source: EventSource,
}

/// The queue on disk. One process at a time can open it.
pub struct Queue {
    log_file: AppendLog,
    checkpoints: BTreeMap<LogId, Checkpoint>,
    chunks: VecDeque<Chunk>,
    /// Number of completed events in the first chunk.
    done_of_first: u64,
    waiting: u64,
    sent: u64,
    limit: u64,
    is_new: bool,
    folder: PathBuf,
    /// Held as long as the queue is open. The system releases it with the process.
    _lock: File,
}

/// Counters of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct QueueState {
    pub waiting: u64,
    pub sent: u64,
    pub logs: u64,
}

impl Queue {
    /// Opens the queue in a folder. When `limit` events are queued, reading pauses.
    pub fn open(folder: &Path, limit: u64) -> Result<Self, ReaderError> {
        std::fs::create_dir_all(folder).map_err(ReaderError::file(folder, "created"))?;
        let lock = lock(folder)?;
        let mut state = ReplayState::default();
        let log_file = AppendLog::open(&folder.join(QUEUE_FILE), |span, record| state.take(span, record))?;
        Ok(Self {
            is_new: log_file.length() == 0,
            log_file,
            checkpoints: state.checkpoints,
            chunks: state.chunks,
            done_of_first: state.done_of_first,
            waiting: state.waiting,
            sent: state.sent,
            limit: limit.max(1),
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// Reads the counters of a queue without its lock. A running reader is not disturbed.
    pub fn inspect(folder: &Path) -> Result<QueueState, ReaderError> {
        let path = folder.join(QUEUE_FILE);
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(QueueState::default()),
            Err(error) => return Err(ReaderError::file(&path, "read")(error)),
        };
        let mut state = ReplayState::default();
        for line in text.split(|byte| *byte == b'\n') {
            let record = line.get(9..).and_then(|json| serde_json::from_slice(json).ok());
            if let Some(record) = record {
                state.take(Span { at: 0, length: 0 }, record);
            }
        }
        Ok(QueueState { waiting: state.waiting, sent: state.sent, logs: state.checkpoints.len() as u64 })
    }

    /// Returns true if another process has opened the queue of this folder.
    pub fn is_locked(folder: &Path) -> bool {
        let lock = OpenOptions::new().write(true).open(folder.join(LOCK_FILE));
        lock.is_ok_and(|file| matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)))
    }

    /// Returns true if no log was read with this folder yet.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn checkpoint(&self, log: &LogId) -> Option<Checkpoint> {
        self.checkpoints.get(log).copied()
    }

    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// Returns true if the limit is reached and reading must pause.
    pub fn is_full(&self) -> bool {
        self.waiting >= self.limit
    }

    pub fn state(&self) -> QueueState {
        QueueState { waiting: self.waiting, sent: self.sent, logs: self.checkpoints.len() as u64 }
    }

    /// Records that reading has begun, and which logs are not read.
    pub fn begin(&mut self, ignored: Vec<LogId>) -> Result<(), ReaderError> {
        let record = Record::Begin { ignored };
        self.log_file.append(&record, true)?;
        if let Record::Begin { ignored } = record {
            self.checkpoints.extend(ignored.into_iter().map(|log| (log, IGNORED)));
        }
        self.is_new = false;
        Ok(())
    }

    /// Appends the events of a chunk together with the checkpoint after them. Both survive a crash, or neither.
    pub fn push(
        &mut self,
        log: &LogId,
        checkpoint: Checkpoint,
        events: Vec<Event>,
        facts: LogFacts,
    ) -> Result<(), ReaderError> {
        let count = events.len() as u64;
        // A lost checkpoint without events only causes bytes to be read again.
        let is_durable = count > 0 || checkpoint.is_closed;
        let span = self.log_file.append(&Record::Read { log: log.clone(), checkpoint, events, facts }, is_durable)?;
        self.checkpoints.insert(log.clone(), checkpoint);
        self.is_new = false;
        if count > 0 {
            self.chunks.push_back(Chunk { span, events: count });
            self.waiting += count;
        }
        self.compact_if_needed()
    }

    /// Returns the oldest events within limits and from one log, or `None` if the queue is empty. An event larger than
    /// `max_bytes` is sent alone.
    pub fn batch(&mut self, max_events: usize, max_bytes: usize) -> Result<Option<Batch>, ReaderError> {
        let mut oldest: Option<Batch> = None;
        let mut skip = self.done_of_first;
        for chunk in &self.chunks {
            let Some((events, source)) = self.log_file.read::<Record>(chunk.span)?.into_events() else { break };
            if oldest.as_ref().is_some_and(|batch| batch.source.log != source.log) {
                break;
            }
            let empty = || Batch { lines: Vec::new(), events: Vec::new(), source: source.clone() };
            let batch = oldest.get_or_insert_with(empty);
            // The facts of a later record contain those of an earlier one.
            batch.source.facts = source.facts;
            for event in events.into_iter().skip(usize::try_from(skip).unwrap_or(usize::MAX)) {
                let line = to_ndjson_line(&event);
                let is_over = batch.events.len() >= max_events.max(1) || batch.lines.len() + line.len() > max_bytes;
                if is_over && !batch.events.is_empty() {
                    return Ok(oldest);
                }
                batch.lines.extend_from_slice(&line);
                batch.events.push(event);
            }
            skip = 0;
        }
        Ok(oldest)
    }

    /// Removes the oldest events, which the site has stored.
    pub fn acknowledge(&mut self, count: u64) -> Result<(), ReaderError> {
        let count = count.min(self.waiting);
        self.log_file.append(&Record::Sent { count }, true)?;
        self.drop_oldest(count);
        self.sent += count;
        self.compact_if_needed()
    }

    /// Removes the oldest events, which are those of `batch`, except `again`, which move to the end of the queue. Both
    /// survive a crash, or neither.
    pub fn acknowledge_except(&mut self, batch: &Batch, again: Vec<Event>) -> Result<(), ReaderError> {
        let count = batch.events.len() as u64;
        if again.is_empty() {
            return self.acknowledge(count);
        }
        let (count, deferred) = (count.min(self.waiting), again.len() as u64);
        let EventSource { log, facts } = batch.source.clone();
        let record = Record::Deferred { count, log, events: again, facts };
        let span = self.log_file.append(&record, true)?;
        self.drop_oldest(count);
        self.sent += count.saturating_sub(deferred);
        self.chunks.push_back(Chunk { span, events: deferred });
        self.waiting += deferred;
        self.compact_if_needed()
    }

    fn drop_oldest(&mut self, count: u64) {
        self.waiting -= count;
        self.done_of_first = drop_oldest(&mut self.chunks, self.done_of_first + count);
    }

    fn compact_if_needed(&mut self) -> Result<(), ReaderError> {
        let live: u64 = self.chunks.iter().map(|chunk| chunk.span.length as u64).sum();
        if self.log_file.length() < COMPACT_BYTES + 2 * live { Ok(()) } else { self.compact() }
    }

    /// Rewrites the file without completed events.
    fn compact(&mut self) -> Result<(), ReaderError> {
        let mut records = vec![Record::Base { sent: self.sent }];
        for (log, checkpoint) in &self.checkpoints {
            let (events, facts) = (Vec::new(), LogFacts::default());
            records.push(Record::Read { log: log.clone(), checkpoint: *checkpoint, events, facts });
        }
        let without_events = records.len();
        let mut skip = usize::try_from(self.done_of_first).unwrap_or(usize::MAX);
        for chunk in &self.chunks {
            let mut record = self.log_file.read(chunk.span)?;
            match &mut record {
                Record::Read { log, checkpoint, events, .. } => {
                    events.drain(..std::mem::take(&mut skip).min(events.len()));
                    // An older checkpoint in a later record must not replace the newest.
                    *checkpoint = self.checkpoints.get(log).copied().unwrap_or(*checkpoint);
                }
                Record::Deferred { count, events, .. } => {
                    events.drain(..std::mem::take(&mut skip).min(events.len()));
                    // `Base` already counts the sent events.
                    *count = 0;
                }
                _ => continue,
            }
            records.push(record);
        }
        let spans = self.log_file.replace(&records)?;
        let rewritten = records.into_iter().zip(spans).skip(without_events);
        self.chunks = rewritten
            .filter_map(|(record, span)| match record {
                Record::Read { events, .. } | Record::Deferred { events, .. } => {
                    Some(Chunk { span, events: events.len() as u64 })
                }
                _ => None,
            })
            .collect();
        self.done_of_first = 0;
        Ok(())
    }
}

/// Takes the lock of a reader's folder.
pub(super) fn lock(folder: &Path) -> Result<File, ReaderError> {
    let path = folder.join(LOCK_FILE);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(ReaderError::file(&path, "opened"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(ReaderError::InUse(folder.to_owned())),
        Err(std::fs::TryLockError::Error(error)) => Err(ReaderError::file(&path, "locked")(error)),
    }
}

/// The state that results from the records of a file.
#[derive(Default)]
struct ReplayState {
    checkpoints: BTreeMap<LogId, Checkpoint>,
    chunks: VecDeque<Chunk>,
    done_of_first: u64,
    waiting: u64,
    sent: u64,
}

impl ReplayState {
    fn take(&mut self, span: Span, record: Record) {
        match record {
            Record::Base { sent } => self.sent = sent,
            Record::Begin { ignored } => self.checkpoints.extend(ignored.into_iter().map(|log| (log, IGNORED))),
            Record::Read { log, checkpoint, events, .. } => {
                self.checkpoints.insert(log, checkpoint);
                if !events.is_empty() {
                    self.waiting += events.len() as u64;
                    self.chunks.push_back(Chunk { span, events: events.len() as u64 });
                }
            }
            Record::Sent { count } => {
                let count = count.min(self.waiting);
                self.drop_oldest(count);
                self.sent += count;
            }
            Record::Deferred { count, events, .. } => {
                let (count, deferred) = (count.min(self.waiting), events.len() as u64);
                self.drop_oldest(count);
                self.sent += count.saturating_sub(deferred);
                self.waiting += deferred;
                self.chunks.push_back(Chunk { span, events: deferred });
            }
        }
    }

    fn drop_oldest(&mut self, count: u64) {
        self.waiting -= count;
        self.done_of_first = drop_oldest(&mut self.chunks, self.done_of_first + count);
    }
}

/// Drops the chunks of which all events are done. Returns how many events of the first remaining chunk are done.
fn drop_oldest(chunks: &mut VecDeque<Chunk>, mut done: u64) -> u64 {
    while let Some(first) = chunks.front().filter(|first| first.events <= done) {
        done -= first.events;
        chunks.pop_front();
    }
    done
}

#[cfg(test)]
mod tests;

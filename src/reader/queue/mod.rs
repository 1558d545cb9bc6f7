//! What was read and not yet uploaded, and how far each log was read: kept together, so that neither runs ahead.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::domain::events::Event;

use super::ReaderError;
use super::append_log::{AppendLog, Span};
use super::log_file::LogId;
use super::upload::to_ndjson_line;

/// The log_file's name in the reader's folder.
pub const QUEUE_FILE: &str = "queue.ndjson";
const LOCK_FILE: &str = "reader.lock";
/// A log_file that has grown by this much of what is done with is written anew.
const COMPACT_BYTES: u64 = 4 * 1024 * 1024;

/// How far a log was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Bytes taken from the start of the file.
    pub offset: u64,
    /// The checksum of these bytes: the same file is known by it, whatever it is called by now.
    pub sum: u32,
    /// The log has ended and was read to its end.
    pub is_closed: bool,
}

/// Of a log that is left alone.
const IGNORED: Checkpoint = Checkpoint { offset: 0, sum: 0, is_closed: true };

#[derive(Serialize, Deserialize)]
enum Record {
    /// So many events were done with before this log_file began.
    Base { sent: u64 },
    Read {
        log: LogId,
        #[serde(rename = "place")]
        checkpoint: Checkpoint,
        events: Vec<Event>,
    },
    /// The first start; these logs were there already and are not wanted.
    Begin {
        #[serde(rename = "unwanted")]
        ignored: Vec<LogId>,
    },
    /// So many more of the oldest events are done with.
    Sent { count: u64 },
    /// So many of the oldest events were sent; these of them are sent again later, after all others.
    Deferred { count: u64, events: Vec<Event> },
}

/// Events of one record that wait.
struct Chunk {
    span: Span,
    events: u64,
}

/// The oldest events that wait, ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// One JSON object a line.
    pub lines: Vec<u8>,
    pub events: Vec<Event>,
}

/// The queue on disk; one process at a time holds it.
pub struct Queue {
    log_file: AppendLog,
    checkpoints: BTreeMap<LogId, Checkpoint>,
    chunks: VecDeque<Chunk>,
    /// How many events of the first chunk are done with.
    done_of_first: u64,
    waiting: u64,
    sent: u64,
    limit: u64,
    is_new: bool,
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
    pub fn open(folder: &Path, limit: u64) -> Result<Self, ReaderError> {
        std::fs::create_dir_all(folder).map_err(ReaderError::file(folder, "made"))?;
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

    /// Looks at the queue of a folder without holding it; a running reader is not disturbed.
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

    /// Another process holds the queue of this folder.
    pub fn is_locked(folder: &Path) -> bool {
        let lock = OpenOptions::new().write(true).open(folder.join(LOCK_FILE));
        lock.is_ok_and(|file| matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)))
    }

    /// Nothing was ever read with this folder.
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

    /// As many events wait as may: nothing more should be read.
    pub fn is_full(&self) -> bool {
        self.waiting >= self.limit
    }

    pub fn state(&self) -> QueueState {
        QueueState { waiting: self.waiting, sent: self.sent, logs: self.checkpoints.len() as u64 }
    }

    /// Notes that reading has begun, and which logs are left alone.
    pub fn begin(&mut self, ignored: Vec<LogId>) -> Result<(), ReaderError> {
        let record = Record::Begin { ignored };
        self.log_file.append(&record, true)?;
        if let Record::Begin { ignored } = record {
            self.checkpoints.extend(ignored.into_iter().map(|log| (log, IGNORED)));
        }
        self.is_new = false;
        Ok(())
    }

    /// Keeps the events of a piece of a log together with the checkpoint after it; both survive a crash, or neither.
    pub fn push(&mut self, log: &LogId, checkpoint: Checkpoint, events: Vec<Event>) -> Result<(), ReaderError> {
        let count = events.len() as u64;
        // A checkpoint alone that is lost is read again, and tells nothing.
        let is_durable = count > 0 || checkpoint.is_closed;
        let span = self.log_file.append(&Record::Read { log: log.clone(), checkpoint, events }, is_durable)?;
        self.checkpoints.insert(log.clone(), checkpoint);
        self.is_new = false;
        if count > 0 {
            self.chunks.push_back(Chunk { span, events: count });
            self.waiting += count;
        }
        self.compact_if_needed()
    }

    /// The oldest events that wait, within limits; `None` when nothing waits. An event too large for a batch goes alone.
    pub fn batch(&mut self, max_events: usize, max_bytes: usize) -> Result<Option<Batch>, ReaderError> {
        let mut batch = Batch { lines: Vec::new(), events: Vec::new() };
        let mut skip = self.done_of_first;
        for chunk in &self.chunks {
            let (Record::Read { events, .. } | Record::Deferred { events, .. }) = self.log_file.read(chunk.span)?
            else {
                break;
            };
            for event in events.into_iter().skip(usize::try_from(skip).unwrap_or(usize::MAX)) {
                let line = to_ndjson_line(&event);
                let is_over = batch.events.len() >= max_events.max(1) || batch.lines.len() + line.len() > max_bytes;
                if is_over && !batch.events.is_empty() {
                    return Ok(Some(batch));
                }
                batch.lines.extend_from_slice(&line);
                batch.events.push(event);
            }
            skip = 0;
        }
        Ok(Some(batch).filter(|batch| !batch.events.is_empty()))
    }

    /// Forgets the oldest events: the site has them.
    pub fn acknowledge(&mut self, count: u64) -> Result<(), ReaderError> {
        let count = count.min(self.waiting);
        self.log_file.append(&Record::Sent { count }, true)?;
        self.drop_oldest(count);
        self.sent += count;
        self.compact_if_needed()
    }

    /// Forgets the oldest events but `again`, which go behind all others; both survive a crash, or neither.
    pub fn acknowledge_except(&mut self, count: u64, again: Vec<Event>) -> Result<(), ReaderError> {
        if again.is_empty() {
            return self.acknowledge(count);
        }
        let (count, kept) = (count.min(self.waiting), again.len() as u64);
        let span = self.log_file.append(&Record::Deferred { count, events: again }, true)?;
        self.drop_oldest(count);
        self.sent += count.saturating_sub(kept);
        self.chunks.push_back(Chunk { span, events: kept });
        self.waiting += kept;
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

    /// Writes the log_file again without what is done with.
    fn compact(&mut self) -> Result<(), ReaderError> {
        let mut records = vec![Record::Base { sent: self.sent }];
        for (log, checkpoint) in &self.checkpoints {
            records.push(Record::Read { log: log.clone(), checkpoint: *checkpoint, events: Vec::new() });
        }
        let without_events = records.len();
        let mut skip = usize::try_from(self.done_of_first).unwrap_or(usize::MAX);
        for chunk in &self.chunks {
            let mut record = self.log_file.read(chunk.span)?;
            match &mut record {
                Record::Read { log, checkpoint, events } => {
                    events.drain(..std::mem::take(&mut skip).min(events.len()));
                    // An older checkpoint in a later record must not win over the newest.
                    *checkpoint = self.checkpoints.get(log).copied().unwrap_or(*checkpoint);
                }
                Record::Deferred { count, events } => {
                    events.drain(..std::mem::take(&mut skip).min(events.len()));
                    // The base has counted what was sent.
                    *count = 0;
                }
                _ => continue,
            }
            records.push(record);
        }
        let spans = self.log_file.replace(&records)?;
        let kept = records.into_iter().zip(spans).skip(without_events);
        self.chunks = kept
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

/// Takes the lock of a reader's folder, which says that a reader runs there.
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

/// What the records of a log_file add up to.
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
            Record::Read { log, checkpoint, events } => {
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
            Record::Deferred { count, events } => {
                let (count, kept) = (count.min(self.waiting), events.len() as u64);
                self.drop_oldest(count);
                self.sent += count.saturating_sub(kept);
                self.waiting += kept;
                self.chunks.push_back(Chunk { span, events: kept });
            }
        }
    }

    fn drop_oldest(&mut self, count: u64) {
        self.waiting -= count;
        self.done_of_first = drop_oldest(&mut self.chunks, self.done_of_first + count);
    }
}

/// Drops the chunks that are wholly done with when so many of their events are; gives how many of the first one are.
fn drop_oldest(chunks: &mut VecDeque<Chunk>, mut done: u64) -> u64 {
    while let Some(first) = chunks.front().filter(|first| first.events <= done) {
        done -= first.events;
        chunks.pop_front();
    }
    done
}

#[cfg(test)]
mod tests;

//! The queue of events to upload and the checkpoint of each log. Both are in one file, so neither can run ahead of the
//! other.

use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use gamelog::LogFacts;
use gamelog::events::Event;
use gamelog::log_header::LogId;
use gamelog::upload::{EventSource, to_ndjson_line};
use serde::{Deserialize, Serialize};

use super::append_log::{self, AppendLog, Span};
use super::claims::Claims;
use super::error::ReaderError;
use super::queue_state::{ForeignLog, QueueState};

/// The name of the queue's file in the reader's folder.
pub const QUEUE_FILE: &str = "queue.ndjson";
const LOCK_FILE: &str = "reader.lock";
/// The file is compacted when this many bytes belong to completed events.
const COMPACT_BYTES: u64 = 4 * 1024 * 1024;

/// How far a log was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Bytes read from the start of the file.
    pub offset: u64,
    /// Checksum of these bytes. It identifies the file after a rename.
    pub sum: u32,
    /// The log is complete and was read to its end.
    pub is_closed: bool,
    /// Version of the grammar that read these bytes; 0 in files of earlier readers.
    #[serde(default)]
    pub grammar: u32,
}

#[derive(Serialize, Deserialize)]
enum Record {
    /// Number of events sent before this file began.
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
    /// The `count` oldest events of a log are completed, `sent` of them by an upload. `again` are those of them to send
    /// again after all others.
    Done {
        log: LogId,
        count: u64,
        sent: u64,
        again: Vec<Event>,
    },
    /// Another account has claimed the player of the log. Its events are dropped, and no others are queued.
    Refused {
        log: LogId,
    },
}

impl Record {
    /// The events that the record adds to the queue.
    fn into_events(self) -> Vec<Event> {
        match self {
            Self::Read { events, .. } | Self::Done { again: events, .. } => events,
            Self::Base { .. } | Self::Begin { .. } | Self::Refused { .. } => Vec::new(),
        }
    }
}

/// The unsent events of one record.
struct Chunk {
    span: Span,
    events: u64,
}

/// The state of one log.
#[derive(Default)]
struct LogState {
    checkpoint: Checkpoint,
    /// What the log has said about itself.
    facts: LogFacts,
    /// Unsent events, oldest first.
    chunks: VecDeque<Chunk>,
    /// Number of completed events in the first chunk.
    done_of_first: u64,
    waiting: u64,
    is_refused: bool,
    /// The last call of [`Queue::batch`] could not send events of this log.
    is_blocked: bool,
}

impl LogState {
    fn add(&mut self, span: Span, events: u64) {
        if events > 0 {
            self.chunks.push_back(Chunk { span, events });
            self.waiting += events;
        }
    }

    /// Completes the oldest events.
    fn complete(&mut self, count: u64) {
        let count = count.min(self.waiting);
        self.waiting -= count;
        self.done_of_first += count;
        while let Some(first) = self.chunks.front().filter(|first| first.events <= self.done_of_first) {
            self.done_of_first -= first.events;
            self.chunks.pop_front();
        }
    }

    /// The record that restores checkpoint and facts, with events.
    fn read_record(&self, log: &LogId, events: Vec<Event>) -> Record {
        Record::Read { log: log.clone(), checkpoint: self.checkpoint, events, facts: self.facts.clone() }
    }
}

/// The result of all records of a file.
#[derive(Default)]
struct Contents {
    logs: BTreeMap<LogId, LogState>,
    sent: u64,
}

impl Contents {
    fn apply(&mut self, span: Span, record: Record) {
        match record {
            Record::Base { sent } => self.sent = sent,
            Record::Begin { ignored } => {
                for log in ignored {
                    self.logs.entry(log).or_default().checkpoint =
                        Checkpoint { is_closed: true, ..Checkpoint::default() };
                }
            }
            Record::Read { log, checkpoint, events, facts } => {
                let log = self.logs.entry(log).or_default();
                log.checkpoint = checkpoint;
                log.facts = facts.after(std::mem::take(&mut log.facts));
                log.add(span, events.len() as u64);
            }
            Record::Done { log, count, sent, again } => {
                let log = self.logs.entry(log).or_default();
                log.complete(count);
                log.add(span, again.len() as u64);
                self.sent += sent;
            }
            Record::Refused { log } => {
                let log = self.logs.entry(log).or_default();
                log.complete(log.waiting);
                log.is_refused = true;
            }
        }
    }

    fn waiting(&self) -> u64 {
        self.logs.values().map(|log| log.waiting).sum()
    }

    fn state(&self) -> QueueState {
        let mut state = QueueState {
            waiting: self.waiting(),
            sent: self.sent,
            logs: self.logs.len() as u64,
            ..QueueState::default()
        };
        for log in self.logs.values() {
            let Some(player) = log.facts.player() else { continue };
            if log.waiting > 0 {
                *state.players.entry(player.folded()).or_default() += log.waiting;
            }
            if log.is_refused {
                state.foreign_logs.push(ForeignLog { handle: player.to_string(), first: log.facts.first });
            }
        }
        state
    }
}

/// The oldest events of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    pub events: Vec<Event>,
    /// Their size, encoded for upload.
    bytes: usize,
    /// Number of the log's oldest events that the batch completes: `events`, and those between them that are not sent.
    pub count: u64,
    /// The log that all of the events come from.
    pub source: EventSource,
}

impl Batch {
    /// Adds an event that is sent, or counts one that is not. Returns false if a limit is reached.
    fn add(&mut self, event: Event, is_sent: bool, max_events: usize, max_bytes: usize) -> bool {
        let bytes = if is_sent { to_ndjson_line(&event).len() } else { 0 };
        let is_over = self.count >= max_events as u64 || self.bytes + bytes > max_bytes;
        if is_over && self.count > 0 {
            return false;
        }
        self.count += 1;
        self.bytes += bytes;
        self.events.extend(is_sent.then_some(event));
        true
    }
}

/// The queue on disk. One process at a time can open it.
pub struct Queue {
    log_file: AppendLog,
    contents: Contents,
    limit: u64,
    pub folder: PathBuf,
    /// Held as long as the queue is open. The system releases it with the process.
    _lock: File,
}

impl Queue {
    /// Opens the queue in a folder. When `limit` events are queued, reading pauses.
    pub fn open(folder: &Path, limit: u64) -> Result<Self, ReaderError> {
        let lock = lock(folder)?;
        let mut contents = Contents::default();
        let log_file = AppendLog::open(&folder.join(QUEUE_FILE), |span, record| contents.apply(span, record))?;
        Ok(Self { log_file, contents, limit: limit.max(1), folder: folder.to_owned(), _lock: lock })
    }

    /// Reads the counters of a queue without its lock. A running reader is not disturbed.
    pub fn inspect(folder: &Path) -> Result<QueueState, ReaderError> {
        let path = folder.join(QUEUE_FILE);
        let mut contents = Contents::default();
        let read = File::open(&path)
            .and_then(|file| append_log::read_records(file, |span, record| contents.apply(span, record)));
        match read {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(ReaderError::file(&path, "read")(error)),
            _ => Ok(contents.state()),
        }
    }

    /// Returns true if another process has opened the queue of this folder.
    pub fn is_locked(folder: &Path) -> bool {
        let lock = OpenOptions::new().write(true).open(folder.join(LOCK_FILE));
        lock.is_ok_and(|file| matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock)))
    }

    /// Returns true if no log was read with this folder yet.
    pub fn is_new(&self) -> bool {
        self.log_file.length == 0
    }

    pub fn checkpoint(&self, log: &LogId) -> Option<Checkpoint> {
        self.contents.logs.get(log).map(|log| log.checkpoint)
    }

    pub fn waiting(&self) -> u64 {
        self.contents.waiting()
    }

    /// Returns true if the limit is reached and reading must pause. Events that cannot be sent, such as those of an
    /// unclaimed player, do not count: they would stop the reading of all other logs until the claim. They are bounded
    /// by the logs themselves, which are many times larger.
    pub fn is_full(&self) -> bool {
        let sendable = self.contents.logs.values().filter(|log| !log.is_blocked);
        sendable.map(|log| log.waiting).sum::<u64>() >= self.limit
    }

    pub fn state(&self) -> QueueState {
        self.contents.state()
    }

    /// Records that reading has begun, and which logs are not read.
    pub fn begin(&mut self, ignored: Vec<LogId>) -> Result<(), ReaderError> {
        self.record(Record::Begin { ignored }, true)
    }

    /// Appends the events of a chunk together with the checkpoint after them. Both survive a crash, or neither.
    pub fn push(
        &mut self,
        log: &LogId,
        checkpoint: Checkpoint,
        mut events: Vec<Event>,
        facts: LogFacts,
    ) -> Result<(), ReaderError> {
        if self.contents.logs.get(log).is_some_and(|log| log.is_refused) {
            events.clear();
        }
        // A lost checkpoint without events only causes bytes to be read again.
        let is_durable = !events.is_empty() || checkpoint.is_closed;
        self.record(Record::Read { log: log.clone(), checkpoint, events, facts }, is_durable)
    }

    /// Returns the oldest events within limits, from the log whose oldest events were queued first among those that can
    /// be sent, or `None` if there are none. An event larger than `max_bytes` is sent alone.
    pub fn batch(
        &mut self,
        claims: &Claims,
        max_events: usize,
        max_bytes: usize,
    ) -> Result<Option<Batch>, ReaderError> {
        for log in self.contents.logs.values_mut() {
            log.is_blocked = !claims.may_send(&log.facts);
        }
        let sendable = self.contents.logs.iter().filter(|(_, log)| !log.is_blocked);
        let by_age = sendable.filter_map(|(id, log)| Some((log.chunks.front()?.span.at, id, log)));
        let Some((_, id, log)) = by_age.min_by_key(|(at, ..)| *at) else { return Ok(None) };
        let source = EventSource { log: id.clone(), facts: log.facts.clone() };
        let mut batch = Batch { events: Vec::new(), bytes: 0, count: 0, source };
        let mut skip = usize::try_from(log.done_of_first).unwrap_or(usize::MAX);
        for chunk in &log.chunks {
            let events = self.log_file.read::<Record>(chunk.span)?.into_events();
            for event in events.into_iter().skip(std::mem::take(&mut skip)) {
                let is_sent = claims.is_wanted(&event, &log.facts);
                if !batch.add(event, is_sent, max_events, max_bytes) {
                    return Ok(Some(batch));
                }
            }
        }
        Ok(Some(batch))
    }

    /// Removes the events of a batch, which the site has stored, except `again`, which move to the end of the queue.
    /// Both survive a crash, or neither.
    pub fn acknowledge(&mut self, batch: &Batch, again: Vec<Event>) -> Result<(), ReaderError> {
        let sent = batch.events.len().saturating_sub(again.len()) as u64;
        self.record(Record::Done { log: batch.source.log.clone(), count: batch.count, sent, again }, true)
    }

    /// Removes the events of a log and queues no others of it, also after a restart.
    pub fn refuse(&mut self, log: &LogId) -> Result<(), ReaderError> {
        self.record(Record::Refused { log: log.clone() }, true)
    }

    /// Removes the events of closed logs that never named their player. Returns the number of events of each log.
    pub fn drop_nameless(&mut self) -> Result<Vec<u64>, ReaderError> {
        let is_nameless = |log: &LogState| log.waiting > 0 && log.checkpoint.is_closed && log.facts.player().is_none();
        let nameless = self.contents.logs.iter().filter(|(_, log)| is_nameless(log));
        let dropped: Vec<(LogId, u64)> = nameless.map(|(id, log)| (id.clone(), log.waiting)).collect();
        let counts = dropped.iter().map(|(_, count)| *count).collect();
        for (log, count) in dropped {
            self.record(Record::Done { log, count, sent: 0, again: Vec::new() }, true)?;
        }
        Ok(counts)
    }

    /// Appends a record and applies it.
    fn record(&mut self, record: Record, is_durable: bool) -> Result<(), ReaderError> {
        let span = self.log_file.append(&record, is_durable)?;
        self.contents.apply(span, record);
        self.compact_if_needed()
    }

    fn compact_if_needed(&mut self) -> Result<(), ReaderError> {
        let chunks = self.contents.logs.values().flat_map(|log| &log.chunks);
        let live: u64 = chunks.map(|chunk| chunk.span.length as u64).sum();
        if self.log_file.length < COMPACT_BYTES + 2 * live { Ok(()) } else { self.compact() }
    }

    /// Rewrites the file without completed events. One record at a time is in memory: the queue may be much larger than that.
    fn compact(&mut self) -> Result<(), ReaderError> {
        let mut compacted = Contents::default();
        let mut file = self.log_file.successor()?;
        let mut add = |record: Record| -> Result<(), ReaderError> {
            let span = file.append(&record, false)?;
            compacted.apply(span, record);
            Ok(())
        };
        add(Record::Base { sent: self.contents.sent })?;
        let mut chunks = Vec::new();
        for (id, log) in &self.contents.logs {
            add(log.read_record(id, Vec::new()))?;
            if log.is_refused {
                add(Record::Refused { log: id.clone() })?;
            }
            let mut skip = usize::try_from(log.done_of_first).unwrap_or(usize::MAX);
            chunks.extend(log.chunks.iter().map(|chunk| (chunk.span, std::mem::take(&mut skip), id, log)));
        }
        // The order in the file decides which log is sent first.
        chunks.sort_by_key(|(span, ..)| span.at);
        for (span, skip, id, log) in chunks {
            let events = self.log_file.read::<Record>(span)?.into_events();
            add(log.read_record(id, events.into_iter().skip(skip).collect()))?;
        }
        self.log_file.replace_with(file)?;
        for (id, log) in &mut compacted.logs {
            log.is_blocked = self.contents.logs.get(id).is_some_and(|log| log.is_blocked);
        }
        self.contents = compacted;
        Ok(())
    }
}

/// Takes the lock of a reader's folder, which need not exist yet.
pub(super) fn lock(folder: &Path) -> Result<File, ReaderError> {
    std::fs::create_dir_all(folder).map_err(ReaderError::file(folder, "created"))?;
    let path = folder.join(LOCK_FILE);
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(ReaderError::file(&path, "opened"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(ReaderError::InUse(folder.to_owned())),
        Err(std::fs::TryLockError::Error(error)) => Err(ReaderError::file(&path, "locked")(error)),
    }
}

#[cfg(test)]
mod tests;

//! Follows a log while the game writes it, through rotation, truncation, replacement, and restarts of the reader.

use std::cmp::Reverse;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gamelog::Ending;
use gamelog::events::Event;
use gamelog::upload::{FirstLine, is_uploadable};

use super::control::Control;
use super::error::ReaderError;
use super::filter::Filter;
use super::grammar_store::GrammarStore;
use super::log_file::{self, BACKUPS, LIVE_LOG, first_line};
use super::mutex::lock;
use super::note::{Note, Sink};
use super::open_log::{CHUNK_BYTES, OpenLog};
use super::queue::Queue;
use super::unknown_lines::UnknownLines;

/// Without new events, a checkpoint is stored after this many bytes, which bounds the work after a restart.
const CHECKPOINT_INTERVAL_BYTES: u64 = 8 * 1024 * 1024;

/// The result of one poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub bytes: u64,
    pub events: u64,
    /// Reading stopped before the end of the logs, because the queue is full or the reader is stopping.
    pub is_cut_short: bool,
}

/// The queue of checkpoints and events, shared with the uploader. `None` if nothing is stored.
pub type SharedQueue = Option<Arc<Mutex<Queue>>>;

/// Follows one `Game.log` and the backups beside it. Each [`Follower::poll`] reads the new bytes and returns.
pub struct Follower {
    /// The path of the live log.
    pub log: PathBuf,
    grammars: Arc<GrammarStore>,
    queue: SharedQueue,
    pub filter: Arc<Mutex<Filter>>,
    /// Where unknown lines are collected.
    pub unknown_lines: Arc<UnknownLines>,
    /// Stops the follower, also while it reads a long log.
    pub control: Arc<Control>,
    /// Reads the backups that exist at the first start; later backups are always read.
    pub with_backups: bool,
    /// Version of the grammar with which all closed logs are read to their end.
    caught_up_with: Option<u32>,
    /// Of the current poll.
    progress: Progress,
    current: Option<OpenLog>,
    has_reported_waiting: bool,
    /// The read error reported last, so that each error is reported once.
    unreadable: Option<Note>,
}

impl Follower {
    /// Creates a follower. The log need not exist yet.
    pub fn new(log: PathBuf, grammars: Arc<GrammarStore>, queue: SharedQueue) -> Self {
        Self {
            log,
            grammars,
            queue,
            filter: Arc::default(),
            unknown_lines: Arc::default(),
            control: Arc::default(),
            with_backups: false,
            caught_up_with: None,
            progress: Progress::default(),
            current: None,
            has_reported_waiting: false,
            unreadable: None,
        }
    }

    /// Reads new bytes. Errors of one file are reported as notes; only a queue that cannot be written ends the reader.
    pub fn poll(&mut self, sink: &mut dyn Sink) -> Result<Progress, ReaderError> {
        self.progress = Progress::default();
        if !self.is_caught_up() {
            self.catch_up(sink)?;
        }
        if self.is_caught_up() || self.current.is_some() {
            self.follow(sink)?;
        }
        Ok(self.progress)
    }

    /// Returns false if closed logs are unread, or were read with an older grammar.
    fn is_caught_up(&self) -> bool {
        self.caught_up_with == Some(self.grammars.current().version())
    }

    fn follow(&mut self, sink: &mut dyn Sink) -> Result<(), ReaderError> {
        if self.current.is_none() {
            self.current = self.open(&self.log.clone(), sink)?;
        }
        let Some(mut open) = self.current.take() else {
            if !std::mem::replace(&mut self.has_reported_waiting, true) {
                sink.note(&Note::Waiting(self.log.clone()));
            }
            return Ok(());
        };
        if !open.uses_current_grammar(&self.grammars) {
            self.reparse(&mut open, sink)?;
        }
        if open.is_unchanged(&self.log) {
            self.current = Some(open);
            return Ok(());
        }
        let mut is_overwritten = self.read_available(&mut open, sink)?;
        let is_replaced = first_line_at(&self.log).is_some_and(|first| first != open.first);
        if is_replaced && !is_overwritten {
            // The last lines may have been written between the read and the replacement.
            is_overwritten = self.read_available(&mut open, sink)?;
        }
        if is_overwritten {
            self.read_rest_from_copy(&mut open, sink)?;
        }
        if self.progress.is_cut_short || !(is_replaced || is_overwritten) {
            self.current = Some(open);
            return Ok(());
        }
        self.close(open, sink)?;
        // The logs of runs that began and ended in the meantime, and then the new log.
        self.catch_up(sink)?;
        if !self.progress.is_cut_short
            && let Some(mut open) = self.open(&self.log.clone(), sink)?
        {
            self.read_available(&mut open, sink)?;
            self.current = Some(open);
        }
        Ok(())
    }

    /// Parses the log again with a newer grammar and stores the events that the previous grammar missed.
    fn reparse(&mut self, open: &mut OpenLog, sink: &mut dyn Sink) -> Result<(), ReaderError> {
        match open.reparse(&self.grammars) {
            Ok(missed) => self.store(open, missed, false, sink),
            Err(error) => {
                self.report_unreadable(open.path.clone(), &error, sink);
                Ok(())
            }
        }
    }

    /// Reads closed logs with the newest grammar.
    fn catch_up(&mut self, sink: &mut dyn Sink) -> Result<(), ReaderError> {
        let grammar = self.grammars.current().version();
        if let Some(queue) = self.queue.clone() {
            self.read_closed(&queue, grammar, sink)?;
        }
        self.caught_up_with = (!self.progress.is_cut_short).then_some(grammar);
        Ok(())
    }

    /// Reads closed logs, oldest first: known ones from their checkpoint, unknown ones and those that an older grammar read
    /// from the beginning.
    fn read_closed(&mut self, queue: &Mutex<Queue>, grammar: u32, sink: &mut dyn Sink) -> Result<(), ReaderError> {
        let is_first_start = lock(queue).is_new();
        let live = [first_line_at(&self.log), self.current.as_ref().map(|open| open.first.clone())];
        let with_first_line = |(path, is_backup): (PathBuf, bool)| Some((first_line_at(&path)?, path, is_backup));
        let mut ended: Vec<(FirstLine, PathBuf, bool)> =
            self.siblings().into_iter().filter_map(with_first_line).collect();
        ended.retain(|(first, ..)| !live.iter().flatten().any(|live| live == first));
        // Of two copies of a log, the longer one contains the other.
        ended.sort_by_cached_key(|(first, path, _)| (first.stamp(), Reverse(length_of(path))));
        if is_first_start {
            let ignored = ended.iter().filter(|_| !self.with_backups).map(|(first, _, _)| first.id()).collect();
            lock(queue).begin(ignored)?;
        }
        for (first, path, is_backup) in ended {
            let known = lock(queue).checkpoint(&first.id());
            let is_wanted = match known {
                // A copy that grew after it was closed has more events, as far as the newest grammar reads more.
                Some(checkpoint) => {
                    let has_more = length_of(&path) > checkpoint.offset || checkpoint.grammar < grammar;
                    !checkpoint.is_closed || (checkpoint.offset > 0 && has_more)
                }
                None => is_backup,
            };
            if !is_wanted {
                continue;
            }
            if let Some(mut open) = self.open(&path, sink)? {
                self.read_available(&mut open, sink)?;
                if self.progress.is_cut_short {
                    return Ok(());
                }
                self.close(open, sink)?;
            }
        }
        Ok(())
    }

    /// Files that may be earlier or moved logs, and whether they are in the game's backup folder.
    fn siblings(&self) -> Vec<(PathBuf, bool)> {
        let Some(folder) = self.log.parent() else { return Vec::new() };
        let name = self.log.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| {
            let other = entry.file_name().to_string_lossy().into_owned();
            other != name && other.starts_with(&name) && entry.path().is_file()
        });
        let mut found: Vec<_> = beside.map(|entry| (entry.path(), false)).collect();
        if name == LIVE_LOG {
            let backups = log_file::logs_in(&folder.join(BACKUPS), 0).unwrap_or_default();
            found.extend(backups.into_iter().map(|path| (path, true)));
        }
        found
    }

    /// Opens a log at its checkpoint. Returns `None` if it does not exist or its first line is incomplete.
    fn open(&mut self, path: &Path, sink: &mut dyn Sink) -> Result<Option<OpenLog>, ReaderError> {
        let opened = File::open(path).and_then(|mut file| Ok((first_line(&mut file)?, file)));
        let (first, file) = match opened {
            Ok((Some(first), file)) => (first, file),
            Ok((None, _)) => return Ok(None),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                self.report_unreadable(path.to_owned(), &error, sink);
                return Ok(None);
            }
        };
        let checkpoint = self.queue.as_ref().and_then(|queue| lock(queue).checkpoint(&first.id()));
        let mut open = OpenLog::new(file, path, first, &self.grammars);
        if let Some(checkpoint) = checkpoint {
            let mut seen = Vec::new();
            match open.replay(checkpoint, &mut seen) {
                Ok(true) if path == self.log => self.pass_seen(&seen, sink),
                Ok(true) => {}
                // Same first line, different bytes: a different log, which is read from its beginning.
                Ok(false) => open = OpenLog::new(open.file, path, open.first, &self.grammars),
                Err(error) => {
                    self.report_unreadable(path.to_owned(), &error, sink);
                    return Ok(None);
                }
            }
        }
        sink.note(&Note::Reading(path.to_owned()));
        self.has_reported_waiting = false;
        self.unreadable = None;
        // Unknown lines before the checkpoint were reported before the restart.
        open.mark_unknown_as_reported();
        Ok(Some(open))
    }

    /// Reads all bytes that are available. Returns true if the file was truncated or overwritten in place.
    fn read_available(&mut self, open: &mut OpenLog, sink: &mut dyn Sink) -> Result<bool, ReaderError> {
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            if self.control.is_stopped() {
                self.progress.is_cut_short = true;
                return Ok(false);
            }
            if self.queue.as_ref().is_some_and(|queue| lock(queue).is_full()) {
                if !std::mem::replace(&mut self.progress.is_cut_short, true) {
                    sink.note(&Note::QueueFull);
                }
                return Ok(false);
            }
            let length = match open.read_chunk(&mut chunk) {
                Ok(Some(length)) => length,
                Ok(None) => return Ok(true),
                Err(error) => {
                    self.report_unreadable(open.path.clone(), &error, sink);
                    return Ok(false);
                }
            };
            if length == 0 {
                report_untimed(open, open.untimed > 0, sink);
                return Ok(false);
            }
            let mut events = Vec::new();
            open.feed(&chunk[..length], &mut events);
            self.progress.bytes += length as u64;
            self.report_unknown_shapes(open, sink);
            self.store(open, events, false, sink)?;
        }
    }

    /// After copytruncate, the unread bytes are in the copy, after the same prefix.
    fn read_rest_from_copy(&mut self, open: &mut OpenLog, sink: &mut dyn Sink) -> Result<(), ReaderError> {
        for (path, _) in self.siblings() {
            let Ok(mut file) = File::open(&path) else { continue };
            if !open.is_prefix_of(&mut file) {
                continue;
            }
            (open.file, open.path) = (file, path);
            self.read_available(open, sink)?;
            return Ok(());
        }
        Ok(())
    }

    /// Ends a log that is complete.
    fn close(&mut self, mut open: OpenLog, sink: &mut dyn Sink) -> Result<(), ReaderError> {
        let mut events = Vec::new();
        open.parser.finish(Ending::Closed, &mut |event| events.push(event));
        report_untimed(&mut open, false, sink);
        let nameless = open.parser.counts().nameless;
        if nameless > 0 {
            sink.note(&Note::Nameless(nameless));
        }
        self.store(&mut open, events, true, sink)
    }

    /// Shows events and stores them together with the checkpoint after them.
    fn store(
        &mut self,
        open: &mut OpenLog,
        events: Vec<Event>,
        is_closed: bool,
        sink: &mut dyn Sink,
    ) -> Result<(), ReaderError> {
        let filter = lock(&self.filter).clone();
        let shown: Vec<Event> = events.into_iter().filter(|event| filter.passes(event)).collect();
        self.progress.events += shown.len() as u64;
        if let Some(queue) = &self.queue {
            let is_sent = |event: &&Event| filter.is_shared(event) && is_uploadable(event);
            let stored: Vec<Event> = shown.iter().filter(is_sent).cloned().collect();
            if !stored.is_empty() || is_closed || open.offset >= open.checkpoint_offset + CHECKPOINT_INTERVAL_BYTES {
                lock(queue).push(&open.id, open.checkpoint(is_closed), stored, open.parser.facts())?;
                open.checkpoint_offset = open.offset;
            }
        }
        if open.offset > open.shown_offset || open.shown_offset == 0 {
            shown.iter().for_each(|event| sink.event(event));
        } else if open.path == self.log {
            self.pass_seen(&shown, sink);
        }
        Ok(())
    }

    fn pass_seen(&self, events: &[Event], sink: &mut dyn Sink) {
        let filter = lock(&self.filter);
        events.iter().filter(|event| filter.passes(event)).for_each(|event| sink.seen(event));
    }

    fn report_unreadable(&mut self, path: PathBuf, error: &std::io::Error, sink: &mut dyn Sink) {
        let note = Note::Unreadable { path, error: error.to_string() };
        if self.unreadable.as_ref() != Some(&note) {
            sink.note(&note);
            self.unreadable = Some(note);
        }
    }

    fn report_unknown_shapes(&self, open: &mut OpenLog, sink: &mut dyn Sink) {
        let count = open.parser.counts().unknown_shapes;
        if count > open.unknown_shapes {
            self.unknown_lines.add(open.parser.patch(), &open.unknown_lines, open.parser.unknown_lines());
            open.mark_unknown_as_reported();
            sink.note(&Note::UnknownShapes(count));
        }
    }
}

/// Reports lines whose timestamps cannot be read, once while the log grows and once at its end.
fn report_untimed(open: &mut OpenLog, is_reported: bool, sink: &mut dyn Sink) {
    let lines = open.parser.counts().unread();
    if lines > 0 && lines != open.untimed && !is_reported {
        open.untimed = lines;
        sink.note(&Note::Untimed { path: open.path.clone(), lines });
    }
}

fn length_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

fn first_line_at(path: &Path) -> Option<FirstLine> {
    File::open(path).and_then(|mut file| first_line(&mut file)).ok().flatten()
}

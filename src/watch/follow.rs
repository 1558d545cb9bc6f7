//! Following a log as the game writes it, through rotation, truncation, replacement and restarts of the reader.

use std::cmp::Reverse;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::domain::events::Event;
use crate::gamelog::{Ending, Unknown};

use super::filter::SharedFilter;
use super::grammars::Shelf;
use super::log_file::{self, FirstLine, LIVE_LOG};
use super::open_log::{Footing, OpenLog, PIECE_BYTES};
use super::queue::{Place, Queue};
use super::run::Control;
use super::sample_box::SampleBox;
use super::{Note, Sink, WatchError, is_uploadable};

/// A place without events is written down after so many bytes, so that a restart has less to read again.
const PLACE_EVERY_BYTES: u64 = 8 * 1024 * 1024;

/// What one look at the logs brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub bytes: u64,
    pub events: u64,
    /// Reading ended before the logs did: the queue is full, or the reader is stopped.
    pub is_cut_short: bool,
}

/// Where the reader's places and events are kept; without one, nothing outlives the process.
pub type Keeper = Option<Arc<Mutex<Queue>>>;

/// Follows one `Game.log` and the backups beside it. Each [`Follower::poll`] takes what is new and returns.
pub struct Follower {
    log: PathBuf,
    grammars: Arc<Shelf>,
    filter: SharedFilter,
    keeper: Keeper,
    samples: Arc<SampleBox>,
    control: Arc<Control>,
    with_backups: bool,
    is_caught_up: bool,
    current: Option<OpenLog>,
    unknown_shapes: u64,
    /// The unknown lines of the log at hand that were told of.
    unknown: Vec<Unknown>,
    is_waiting_told: bool,
    /// What could not be read at the last look, so that it is said once and not at every look.
    unreadable: Option<Note>,
}

impl Follower {
    /// `log` is the live log's path, which need not exist yet. `with_backups` reads the backups that are there at
    /// the very first start; those that come later are always read.
    pub fn new(
        log: PathBuf,
        grammars: Arc<Shelf>,
        filter: impl Into<SharedFilter>,
        keeper: Keeper,
        with_backups: bool,
    ) -> Self {
        Self {
            log,
            grammars,
            filter: filter.into(),
            keeper,
            samples: Arc::default(),
            control: Arc::default(),
            with_backups,
            is_caught_up: false,
            current: None,
            unknown_shapes: 0,
            unknown: Vec::new(),
            is_waiting_told: false,
            unreadable: None,
        }
    }

    /// Where unknown lines are gathered.
    pub fn with_samples(self, samples: Arc<SampleBox>) -> Self {
        Self { samples, ..self }
    }

    /// Who may stop it, in the middle of long logs too.
    pub fn with_control(self, control: Arc<Control>) -> Self {
        Self { control, ..self }
    }

    /// The log this follows.
    pub fn log(&self) -> &Path {
        &self.log
    }

    /// Reads what is new. Errors of one file are told as notes; only a queue that cannot be written ends it.
    pub fn poll(&mut self, sink: &mut dyn Sink) -> Result<Progress, WatchError> {
        let mut progress = Progress::default();
        if !self.is_caught_up {
            self.catch_up(sink, &mut progress)?;
            self.is_caught_up = !progress.is_cut_short;
        }
        if self.is_caught_up {
            self.follow(sink, &mut progress)?;
        }
        Ok(progress)
    }

    fn follow(&mut self, sink: &mut dyn Sink, progress: &mut Progress) -> Result<(), WatchError> {
        if self.current.is_none() {
            self.current = self.open(&self.log.clone(), sink)?;
        }
        let Some(mut open) = self.current.take() else {
            if !std::mem::replace(&mut self.is_waiting_told, true) {
                sink.note(&Note::Waiting(self.log.clone()));
            }
            return Ok(());
        };
        if !open.is_read_with(&self.grammars) {
            self.read_anew(&mut open, sink, progress)?;
        }
        if open.is_untouched(&self.log) {
            self.current = Some(open);
            return Ok(());
        }
        let mut footing = self.drain(&mut open, sink, progress)?;
        let is_replaced = first_line_at(&self.log).is_some_and(|first| first != open.first);
        if footing == Footing::Same && !is_replaced {
            self.current = Some(open);
            return Ok(());
        }
        if footing == Footing::Same {
            // The last lines may have come between the reading and the replacement.
            footing = self.drain(&mut open, sink, progress)?;
        }
        if footing == Footing::Overwritten {
            self.take_rest_from_copy(&mut open, sink, progress)?;
        }
        if progress.is_cut_short {
            self.current = Some(open);
            return Ok(());
        }
        self.close(open, sink, progress)?;
        self.move_on(sink, progress)
    }

    /// A newer grammar has come: what the old one passed over in this log is told now, and nothing twice.
    fn read_anew(
        &mut self,
        open: &mut OpenLog,
        sink: &mut dyn Sink,
        progress: &mut Progress,
    ) -> Result<(), WatchError> {
        match open.read_anew(&self.grammars) {
            Ok(missed) => {
                (self.unknown_shapes, self.unknown) =
                    (open.reader.counts().unknown_shapes, open.reader.unknown().to_vec());
                self.keep(open, missed, false, sink, progress)
            }
            Err(error) => {
                self.tell_unreadable(open.path.clone(), &error, sink);
                Ok(())
            }
        }
    }

    /// Other starts may have come and gone meanwhile; then the new log begins.
    fn move_on(&mut self, sink: &mut dyn Sink, progress: &mut Progress) -> Result<(), WatchError> {
        self.catch_up(sink, progress)?;
        self.is_caught_up = !progress.is_cut_short;
        if self.is_caught_up {
            self.current = self.open(&self.log.clone(), sink)?;
            if let Some(mut open) = self.current.take() {
                self.drain(&mut open, sink, progress)?;
                self.current = Some(open);
            }
        }
        Ok(())
    }

    /// Reads logs that have ended: begun ones to their end, unknown ones wholly, oldest first.
    fn catch_up(&mut self, sink: &mut dyn Sink, progress: &mut Progress) -> Result<(), WatchError> {
        let Some(keeper) = self.keeper.clone() else { return Ok(()) };
        let is_first_start = lock(&keeper).is_fresh();
        let live = first_line_at(&self.log);
        let mut ended: Vec<(FirstLine, PathBuf, bool)> = Vec::new();
        for (path, is_backup) in self.siblings() {
            match first_line_at(&path) {
                Some(first) if live.as_ref() != Some(&first) => ended.push((first, path, is_backup)),
                _ => {}
            }
        }
        // Of two copies of one log the longer one holds all that the other has.
        ended.sort_by_cached_key(|(first, path, _)| (first.stamp(), Reverse(length_of(path))));
        if is_first_start {
            let unwanted = ended.iter().filter(|_| !self.with_backups).map(|(first, _, _)| first.id()).collect();
            lock(&keeper).begin(unwanted)?;
        }
        for (first, path, is_backup) in ended {
            let known = lock(&keeper).place(&first.id());
            let is_wanted = match known {
                // A copy that grew after it was taken for whole still has something to tell.
                Some(place) => !place.is_closed || (place.offset > 0 && length_of(&path) > place.offset),
                None => is_backup,
            };
            if !is_wanted {
                continue;
            }
            if let Some(mut open) = self.open(&path, sink)? {
                self.drain(&mut open, sink, progress)?;
                if progress.is_cut_short {
                    return Ok(());
                }
                self.close(open, sink, progress)?;
            }
        }
        Ok(())
    }

    /// Files that may be earlier or moved logs, and whether they lie where the game puts them.
    fn siblings(&self) -> Vec<(PathBuf, bool)> {
        let Some(folder) = self.log.parent() else { return Vec::new() };
        let name = self.log.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = std::fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| {
            let other = entry.file_name().to_string_lossy().into_owned();
            other != name && other.starts_with(&name) && entry.path().is_file()
        });
        let mut found: Vec<_> = beside.map(|entry| (entry.path(), false)).collect();
        if name == LIVE_LOG {
            let backups = log_file::backups_of(folder).unwrap_or_default();
            found.extend(backups.into_iter().map(|path| (path, true)));
        }
        found
    }

    /// Opens a log where it was left; `None` while it is not there or its first line is not whole.
    fn open(&mut self, path: &Path, sink: &mut dyn Sink) -> Result<Option<OpenLog>, WatchError> {
        let opened = File::open(path).and_then(|mut file| Ok((FirstLine::of(&mut file)?, file)));
        let (first, file) = match opened {
            Ok((Some(first), file)) => (first, file),
            Ok((None, _)) => return Ok(None),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                self.tell_unreadable(path.to_owned(), &error, sink);
                return Ok(None);
            }
        };
        let place = self.keeper.as_ref().and_then(|keeper| lock(keeper).place(&first.id()));
        let mut open = OpenLog::new(file, path, first, &self.grammars);
        if let Some(place) = place {
            match open.replay(place) {
                Ok(true) => {}
                // The same first line before other bytes: another log, read from its beginning.
                Ok(false) => open.start_over(&self.grammars),
                Err(error) => {
                    self.tell_unreadable(path.to_owned(), &error, sink);
                    return Ok(None);
                }
            }
        }
        sink.note(&Note::Reading(path.to_owned()));
        self.is_waiting_told = false;
        self.unreadable = None;
        // What was met before a restart was told of then.
        (self.unknown_shapes, self.unknown) = (open.reader.counts().unknown_shapes, open.reader.unknown().to_vec());
        Ok(Some(open))
    }

    /// Takes all that is there by now.
    fn drain(
        &mut self,
        open: &mut OpenLog,
        sink: &mut dyn Sink,
        progress: &mut Progress,
    ) -> Result<Footing, WatchError> {
        let mut piece = vec![0; PIECE_BYTES];
        loop {
            if self.control.is_stopped() {
                progress.is_cut_short = true;
                return Ok(Footing::Same);
            }
            if self.keeper.as_ref().is_some_and(|keeper| lock(keeper).is_full()) {
                if !std::mem::replace(&mut progress.is_cut_short, true) {
                    sink.note(&Note::QueueFull);
                }
                return Ok(Footing::Same);
            }
            let length = match open.next_piece(&mut piece) {
                Ok(Some(length)) => length,
                Ok(None) => return Ok(Footing::Overwritten),
                Err(error) => {
                    self.tell_unreadable(open.path.clone(), &error, sink);
                    return Ok(Footing::Same);
                }
            };
            if length == 0 {
                return Ok(Footing::Same);
            }
            let mut events = Vec::new();
            open.take(&piece[..length], &mut events);
            progress.bytes += length as u64;
            self.tell_shapes(open, sink);
            self.keep(open, events, false, sink, progress)?;
        }
    }

    /// Copytruncate: what was not read yet lies in the copy, behind the same bytes.
    fn take_rest_from_copy(
        &mut self,
        open: &mut OpenLog,
        sink: &mut dyn Sink,
        progress: &mut Progress,
    ) -> Result<(), WatchError> {
        for (path, _) in self.siblings() {
            let Ok(mut file) = File::open(&path) else { continue };
            if !open.is_behind(&mut file) {
                continue;
            }
            (open.file, open.path) = (file, path);
            self.drain(open, sink, progress)?;
            return Ok(());
        }
        Ok(())
    }

    /// Ends a log that nobody writes any more.
    fn close(&mut self, mut open: OpenLog, sink: &mut dyn Sink, progress: &mut Progress) -> Result<(), WatchError> {
        let mut events = Vec::new();
        open.reader.finish(Ending::Closed, &mut |event| events.push(event));
        let nameless = open.reader.counts().nameless;
        if nameless > 0 {
            sink.note(&Note::Nameless(nameless));
        }
        self.keep(&mut open, events, true, sink, progress)
    }

    /// Shows events and keeps them together with the place after them.
    fn keep(
        &mut self,
        open: &mut OpenLog,
        events: Vec<Event>,
        is_closed: bool,
        sink: &mut dyn Sink,
        progress: &mut Progress,
    ) -> Result<(), WatchError> {
        let shown: Vec<Event> = events.into_iter().filter(|event| self.filter.passes(event)).collect();
        progress.events += shown.len() as u64;
        if let Some(keeper) = &self.keeper {
            let kept: Vec<Event> = shown.iter().filter(|event| is_uploadable(event)).cloned().collect();
            if !kept.is_empty() || is_closed || open.offset >= open.kept_offset + PLACE_EVERY_BYTES {
                let place = Place { offset: open.offset, sum: open.sum.sum(), is_closed };
                lock(keeper).push(&open.id, place, kept)?;
                open.kept_offset = open.offset;
            }
        }
        for event in &shown {
            sink.event(event);
        }
        Ok(())
    }

    fn tell_unreadable(&mut self, path: PathBuf, error: &std::io::Error, sink: &mut dyn Sink) {
        let note = Note::Unreadable { path, error: error.to_string() };
        if self.unreadable.as_ref() != Some(&note) {
            sink.note(&note);
            self.unreadable = Some(note);
        }
    }

    fn tell_shapes(&mut self, open: &OpenLog, sink: &mut dyn Sink) {
        let count = open.reader.counts().unknown_shapes;
        if count > self.unknown_shapes {
            self.unknown_shapes = count;
            self.samples.add(open.reader.patch(), &self.unknown, open.reader.unknown());
            self.unknown = open.reader.unknown().to_vec();
            sink.note(&Note::UnknownShapes(count));
        }
    }
}

fn length_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

fn first_line_at(path: &Path) -> Option<FirstLine> {
    File::open(path).and_then(|mut file| FirstLine::of(&mut file)).ok().flatten()
}

/// A thread that panicked while it held the queue left it whole: every change is one record.
pub(super) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! One log file while it is read: how far, with which checksum, and whether it is still the same log.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use flate2::Crc;

use crate::domain::events::Event;
use crate::gamelog::{Grammar, Reader};

use super::grammars::Shelf;
use super::log_file::{FirstLine, LogId};
use super::queue::Place;

/// Small enough to stay in the processor's cache.
pub(super) const PIECE_BYTES: usize = 64 * 1024;

/// A log that is being read.
pub(super) struct OpenLog {
    pub file: File,
    pub path: PathBuf,
    pub first: FirstLine,
    pub id: LogId,
    pub reader: Reader,
    grammar: Arc<Grammar>,
    pub offset: u64,
    pub sum: Crc,
    pub kept_offset: u64,
    /// When the file had last been written as all of it was taken.
    settled_at: Option<SystemTime>,
}

/// Whether what a log is read from is still that log.
#[derive(PartialEq, Eq)]
pub(super) enum Footing {
    Same,
    /// Emptied or written anew in place.
    Overwritten,
}

impl OpenLog {
    pub fn new(file: File, path: &Path, first: FirstLine, grammars: &Shelf) -> Self {
        let grammar = grammars.current();
        Self {
            file,
            path: path.to_owned(),
            id: first.id(),
            first,
            reader: Reader::new(grammar.clone()),
            grammar,
            offset: 0,
            sum: Crc::new(),
            kept_offset: 0,
            settled_at: None,
        }
    }

    /// Nothing was written since the last look, neither here nor where the log should lie.
    pub fn is_untouched(&self, live: &Path) -> bool {
        let (Ok(own), Ok(there)) = (self.file.metadata(), std::fs::metadata(live)) else { return false };
        let is_settled = |file: &Metadata| file.len() == self.offset && file.modified().ok() == self.settled_at;
        self.settled_at.is_some() && is_settled(&own) && is_settled(&there)
    }

    /// Reads what comes next; `None` when the bytes before it are not those that were read.
    pub fn next_piece(&mut self, piece: &mut [u8]) -> std::io::Result<Option<usize>> {
        if self.file.metadata()?.len() < self.offset {
            return Ok(None);
        }
        let written_at = self.file.metadata()?.modified().ok();
        self.file.seek(SeekFrom::Start(self.offset))?;
        let length = self.file.read(piece)?;
        self.settled_at = written_at.filter(|_| length == 0);
        // Checked after the read: the piece was there before the log was emptied, if it ever was.
        self.file.seek(SeekFrom::Start(0))?;
        let is_same = FirstLine::of(&mut self.file)?.as_ref() == Some(&self.first);
        Ok(is_same.then_some(length))
    }

    pub fn take(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        self.reader.feed(bytes, &mut |event| events.push(event));
        self.sum.update(bytes);
        self.offset += bytes.len() as u64;
    }

    /// Brings the reader to a place by reading all before it once more; false when these are other bytes.
    pub fn replay(&mut self, place: Place) -> std::io::Result<bool> {
        if self.file.metadata()?.len() < place.offset {
            return Ok(false);
        }
        self.file.seek(SeekFrom::Start(0))?;
        let mut piece = vec![0; PIECE_BYTES];
        while self.offset < place.offset {
            let left = usize::try_from(place.offset - self.offset).unwrap_or(usize::MAX).min(PIECE_BYTES);
            let length = self.file.read(&mut piece[..left])?;
            if length == 0 {
                return Ok(false);
            }
            self.take(&piece[..length], &mut Vec::new());
        }
        self.kept_offset = self.offset;
        Ok(self.sum.sum() == place.sum)
    }

    /// No newer grammar has come since the log was opened.
    pub fn is_read_with(&self, grammars: &Shelf) -> bool {
        Arc::ptr_eq(&self.grammar, &grammars.current())
    }

    /// Reads all that was read once more, with the newest grammar, and goes on with it; gives the events that the old
    /// one did not tell. When the bytes cannot be had again, the old grammar stays in use for this log.
    pub fn read_anew(&mut self, grammars: &Shelf) -> std::io::Result<Vec<Event>> {
        let newer = grammars.current();
        let (mut old, mut new) = (Reader::new(self.grammar.clone()), Reader::new(newer.clone()));
        // Asked once for each grammar, however it ends.
        self.grammar = newer;
        let (mut told, mut events) = (BTreeSet::new(), Vec::new());
        let (mut sum, mut offset) = (Crc::new(), 0);
        let mut piece = vec![0; PIECE_BYTES];
        self.file.seek(SeekFrom::Start(0))?;
        while offset < self.offset {
            let left = usize::try_from(self.offset - offset).unwrap_or(usize::MAX).min(PIECE_BYTES);
            let length = self.file.read(&mut piece[..left])?;
            if length == 0 {
                break;
            }
            sum.update(&piece[..length]);
            offset += length as u64;
            old.feed(&piece[..length], &mut |event| {
                told.insert(event.event_id);
            });
            new.feed(&piece[..length], &mut |event| events.push(event));
        }
        if offset < self.offset || sum.sum() != self.sum.sum() {
            return Ok(Vec::new());
        }
        events.retain(|event| !told.contains(&event.event_id));
        self.reader = new;
        Ok(events)
    }

    pub fn start_over(&mut self, grammars: &Shelf) {
        self.grammar = grammars.current();
        self.reader = Reader::new(self.grammar.clone());
        self.sum = Crc::new();
        (self.offset, self.kept_offset) = (0, 0);
    }

    /// The file begins with all the bytes read so far and has more.
    pub fn is_behind(&self, file: &mut File) -> bool {
        let mut sum = Crc::new();
        let mut piece = vec![0; PIECE_BYTES];
        let mut offset = 0;
        while offset < self.offset {
            let left = usize::try_from(self.offset - offset).unwrap_or(usize::MAX).min(PIECE_BYTES);
            match file.read(&mut piece[..left]) {
                Ok(length) if length > 0 => {
                    sum.update(&piece[..length]);
                    offset += length as u64;
                }
                _ => return false,
            }
        }
        sum.sum() == self.sum.sum()
    }
}

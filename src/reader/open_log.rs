//! One log file while it is read: how far, with which checksum, and whether it is still the same log.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use flate2::Crc;

use crate::domain::events::Event;
use crate::gamelog::{Grammar, Parser};

use super::grammar_store::GrammarStore;
use super::log_file::{FirstLine, LogId};
use super::queue::Checkpoint;

/// Small enough to stay in the processor's cache.
pub(super) const CHUNK_BYTES: usize = 64 * 1024;

/// A log that is being read.
pub(super) struct OpenLog {
    pub file: File,
    pub path: PathBuf,
    pub first: FirstLine,
    pub id: LogId,
    pub parser: Parser,
    grammar: Arc<Grammar>,
    pub offset: u64,
    pub checksum: Crc,
    pub checkpoint_offset: u64,
    /// When the file had last been written as all of it was taken.
    modified_at_end: Option<SystemTime>,
}

/// Whether what a log is read from is still that log.
#[derive(PartialEq, Eq)]
pub(super) enum FileStatus {
    Unchanged,
    /// Emptied or written anew in checkpoint.
    Overwritten,
}

impl OpenLog {
    pub fn new(file: File, path: &Path, first: FirstLine, grammars: &GrammarStore) -> Self {
        let grammar = grammars.current();
        Self {
            file,
            path: path.to_owned(),
            id: first.id(),
            first,
            parser: Parser::new(grammar.clone()),
            grammar,
            offset: 0,
            checksum: Crc::new(),
            checkpoint_offset: 0,
            modified_at_end: None,
        }
    }

    /// Nothing was written since the last look, neither here nor where the log should lie.
    pub fn is_unchanged(&self, live: &Path) -> bool {
        let (Ok(own), Ok(there)) = (self.file.metadata(), std::fs::metadata(live)) else { return false };
        let is_read_to_end =
            |file: &Metadata| file.len() == self.offset && file.modified().ok() == self.modified_at_end;
        self.modified_at_end.is_some() && is_read_to_end(&own) && is_read_to_end(&there)
    }

    /// Reads what comes next; `None` when the bytes before it are not those that were read.
    pub fn read_chunk(&mut self, chunk: &mut [u8]) -> std::io::Result<Option<usize>> {
        if self.file.metadata()?.len() < self.offset {
            return Ok(None);
        }
        let written_at = self.file.metadata()?.modified().ok();
        self.file.seek(SeekFrom::Start(self.offset))?;
        let length = self.file.read(chunk)?;
        self.modified_at_end = written_at.filter(|_| length == 0);
        // Checked after the read: the chunk was there before the log was emptied, if it ever was.
        self.file.seek(SeekFrom::Start(0))?;
        let is_same = FirstLine::of(&mut self.file)?.as_ref() == Some(&self.first);
        Ok(is_same.then_some(length))
    }

    pub fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        self.parser.feed(bytes, &mut |event| events.push(event));
        self.checksum.update(bytes);
        self.offset += bytes.len() as u64;
    }

    /// Brings the reader to a checkpoint by reading all before it once more; false when these are other bytes.
    pub fn replay(&mut self, checkpoint: Checkpoint) -> std::io::Result<bool> {
        if self.file.metadata()?.len() < checkpoint.offset {
            return Ok(false);
        }
        self.file.seek(SeekFrom::Start(0))?;
        let mut chunk = vec![0; CHUNK_BYTES];
        while self.offset < checkpoint.offset {
            let left = usize::try_from(checkpoint.offset - self.offset).unwrap_or(usize::MAX).min(CHUNK_BYTES);
            let length = self.file.read(&mut chunk[..left])?;
            if length == 0 {
                return Ok(false);
            }
            self.feed(&chunk[..length], &mut Vec::new());
        }
        self.checkpoint_offset = self.offset;
        Ok(self.checksum.sum() == checkpoint.sum)
    }

    /// No newer grammar has come since the log was opened.
    pub fn uses_current_grammar(&self, grammars: &GrammarStore) -> bool {
        Arc::ptr_eq(&self.grammar, &grammars.current())
    }

    /// Reads all that was read once more, with the newest grammar, and goes on with it; gives the events that the old
    /// one did not tell. When the bytes cannot be had again, the old grammar stays in use for this log.
    pub fn reparse(&mut self, grammars: &GrammarStore) -> std::io::Result<Vec<Event>> {
        let newer = grammars.current();
        let (mut old, mut new) = (Parser::new(self.grammar.clone()), Parser::new(newer.clone()));
        // PendingLogin once for each grammar, however it ends.
        self.grammar = newer;
        let (mut known, mut events) = (BTreeSet::new(), Vec::new());
        let (mut checksum, mut offset) = (Crc::new(), 0);
        let mut chunk = vec![0; CHUNK_BYTES];
        self.file.seek(SeekFrom::Start(0))?;
        while offset < self.offset {
            let left = usize::try_from(self.offset - offset).unwrap_or(usize::MAX).min(CHUNK_BYTES);
            let length = self.file.read(&mut chunk[..left])?;
            if length == 0 {
                break;
            }
            checksum.update(&chunk[..length]);
            offset += length as u64;
            old.feed(&chunk[..length], &mut |event| {
                known.insert(event.event_id);
            });
            new.feed(&chunk[..length], &mut |event| events.push(event));
        }
        if offset < self.offset || checksum.sum() != self.checksum.sum() {
            return Ok(Vec::new());
        }
        events.retain(|event| !known.contains(&event.event_id));
        self.parser = new;
        Ok(events)
    }

    pub fn start_over(&mut self, grammars: &GrammarStore) {
        self.grammar = grammars.current();
        self.parser = Parser::new(self.grammar.clone());
        self.checksum = Crc::new();
        (self.offset, self.checkpoint_offset) = (0, 0);
    }

    /// The file begins with all the bytes read so far and has more.
    pub fn is_prefix_of(&self, file: &mut File) -> bool {
        let mut checksum = Crc::new();
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut offset = 0;
        while offset < self.offset {
            let left = usize::try_from(self.offset - offset).unwrap_or(usize::MAX).min(CHUNK_BYTES);
            match file.read(&mut chunk[..left]) {
                Ok(length) if length > 0 => {
                    checksum.update(&chunk[..length]);
                    offset += length as u64;
                }
                _ => return false,
            }
        }
        checksum.sum() == self.checksum.sum()
    }
}

//! A log file that is being read: its offset, its checksum, and the check that it is still the same log.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use flate2::Crc;
use gamelog::events::Event;
use gamelog::log_header::LogId;
use gamelog::upload::FirstLine;
use gamelog::{Grammar, Parser, UnknownLine};

use super::grammar_store::GrammarStore;
use super::log_file::first_line;
use super::queue::Checkpoint;

/// Small enough for the processor's cache.
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
    /// The log was read up to here with an older grammar, so the events before it were shown.
    pub shown_offset: u64,
    /// Modification time at which the file was read to its end.
    modified_at_end: Option<SystemTime>,
    /// The number of lines without a readable timestamp that is reported.
    pub untimed: u64,
    /// The lines of unknown shape that are reported, and the number of all of them.
    pub unknown_lines: Vec<UnknownLine>,
    pub unknown_shapes: u64,
}

impl OpenLog {
    pub fn new(file: File, path: &Path, first: FirstLine, grammars: &GrammarStore) -> Self {
        let grammar = grammars.for_log(path);
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
            shown_offset: 0,
            modified_at_end: None,
            untimed: 0,
            unknown_lines: Vec::new(),
            unknown_shapes: 0,
        }
    }

    /// Returns true if nothing was written since the last poll, neither to the open file nor at the path of the live
    /// log.
    pub fn is_unchanged(&self, live: &Path) -> bool {
        let (Ok(own), Ok(there)) = (self.file.metadata(), std::fs::metadata(live)) else { return false };
        let is_read_to_end =
            |file: &Metadata| file.len() == self.offset && file.modified().ok() == self.modified_at_end;
        self.modified_at_end.is_some() && is_read_to_end(&own) && is_read_to_end(&there)
    }

    /// Reads the next chunk. Returns `None` if the bytes before it have changed.
    pub fn read_chunk(&mut self, chunk: &mut [u8]) -> std::io::Result<Option<usize>> {
        if self.file.metadata()?.len() < self.offset {
            return Ok(None);
        }
        let written_at = self.file.metadata()?.modified().ok();
        self.file.seek(SeekFrom::Start(self.offset))?;
        // Not beyond what is already shown.
        let wanted = match self.shown_offset.saturating_sub(self.offset) {
            0 => chunk.len(),
            left => chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX)),
        };
        let length = self.file.read(&mut chunk[..wanted])?;
        self.modified_at_end = written_at.filter(|_| length == 0);
        // Checked after the read, so that a truncation during the read is noticed.
        self.file.seek(SeekFrom::Start(0))?;
        let is_same = first_line(&mut self.file)?.as_ref() == Some(&self.first);
        Ok(is_same.then_some(length))
    }

    pub fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        self.parser.feed(bytes, &mut |event| events.push(event));
        self.checksum.update(bytes);
        self.offset += bytes.len() as u64;
    }

    /// How far the log was read.
    pub fn checkpoint(&self, is_closed: bool) -> Checkpoint {
        Checkpoint { offset: self.offset, sum: self.checksum.sum(), is_closed, grammar: self.grammar.version() }
    }

    /// Restores the parser by reading up to a checkpoint. Returns false if the bytes differ. A log that an older grammar
    /// read stays at its beginning: the site ignores the events that it has. `seen` receives the events before the checkpoint.
    pub fn replay(&mut self, checkpoint: Checkpoint, seen: &mut Vec<Event>) -> std::io::Result<bool> {
        if checkpoint.grammar < self.grammar.version() {
            self.shown_offset = checkpoint.offset;
            return Ok(true);
        }
        let parser = &mut self.parser;
        let read = |bytes: &[u8]| parser.feed(bytes, &mut |event| seen.push(event));
        let Some(checksum) = read_prefix(&mut self.file, checkpoint.offset, read)? else { return Ok(false) };
        self.checksum = checksum;
        (self.offset, self.checkpoint_offset) = (checkpoint.offset, checkpoint.offset);
        Ok(self.checksum.sum() == checkpoint.sum)
    }

    /// Returns true if no newer grammar arrived since the log was opened.
    pub fn uses_current_grammar(&self, grammars: &GrammarStore) -> bool {
        Arc::ptr_eq(&self.grammar, &grammars.current())
    }

    /// Parses the bytes read so far with the newest grammar and continues with it. Returns the events that the
    /// previous grammar missed. If the bytes have changed, this log continues with the previous grammar.
    pub fn reparse(&mut self, grammars: &GrammarStore) -> std::io::Result<Vec<Event>> {
        let newer = grammars.current();
        let (mut old, mut new) = (Parser::new(self.grammar.clone()), Parser::new(newer.clone()));
        // Set first, so that each grammar is tried once.
        self.grammar = newer;
        let (mut known, mut events) = (BTreeSet::new(), Vec::new());
        let checksum = read_prefix(&mut self.file, self.offset, |bytes| {
            old.feed(bytes, &mut |event| {
                known.insert(event.event_id);
            });
            new.feed(bytes, &mut |event| events.push(event));
        })?;
        if checksum.is_none_or(|checksum| checksum.sum() != self.checksum.sum()) {
            return Ok(Vec::new());
        }
        events.retain(|event| !known.contains(&event.event_id));
        self.parser = new;
        self.mark_unknown_as_reported();
        Ok(events)
    }

    /// Lines of unknown shape are reported once.
    pub fn mark_unknown_as_reported(&mut self) {
        self.unknown_shapes = self.parser.counts().unknown_shapes;
        self.unknown_lines = self.parser.unknown_lines().to_vec();
    }

    /// Returns true if the file begins with the bytes read so far.
    pub fn is_prefix_of(&self, file: &mut File) -> bool {
        let checksum = read_prefix(file, self.offset, |_| {}).ok().flatten();
        checksum.is_some_and(|checksum| checksum.sum() == self.checksum.sum())
    }
}

/// Reads the first `length` bytes of a file. Returns their checksum, or `None` if there are fewer.
fn read_prefix(file: &mut File, length: u64, mut read: impl FnMut(&[u8])) -> std::io::Result<Option<Crc>> {
    let mut checksum = Crc::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut left = length;
    file.seek(SeekFrom::Start(0))?;
    while left > 0 {
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(CHUNK_BYTES);
        let bytes = match file.read(&mut chunk[..wanted])? {
            0 => return Ok(None),
            length => &chunk[..length],
        };
        checksum.update(bytes);
        read(bytes);
        left -= bytes.len() as u64;
    }
    Ok(Some(checksum))
}

//! Reading logs to their end, showing and uploading what they hold, and stopping.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::events::Event;
use crate::gamelog::{Counts, Ending, Grammar, Reader};

use super::filter::Filter;
use super::log_file::{self, Log};
use super::read_ahead::Pieces;
use super::upload::{Answer, BATCH_MAX_BYTES, BATCH_MAX_EVENTS, Pace, UploadError, Uploader, line_of};
use super::{Note, Server, Sink, WatchError, is_uploadable};

/// How logs are read once.
#[derive(Debug, Clone, Default)]
pub struct Once {
    pub filter: Filter,
    /// Where to upload; nothing leaves the machine without one.
    pub server: Option<Server>,
    /// How often an upload is tried before giving up; 0 counts as 1.
    pub tries: u32,
    pub pace: Pace,
}

/// What was found and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    pub logs: u64,
    pub counts: Counts,
    /// Events that passed the filter.
    pub shown: u64,
    pub accepted: u64,
    pub duplicates: u64,
    pub rejected: u64,
}

/// Reads logs, oldest first, each to its end. A path may be a file or a folder of the game with its `logbackups`.
pub async fn read_once(paths: &[PathBuf], options: &Once, sink: &mut dyn Sink) -> Result<Summary, WatchError> {
    let logs = log_file::logs_in_order(paths)?;
    let grammar = Arc::new(Grammar::built_in()?);
    let mut outbox = match &options.server {
        Some(server) => Some(Outbox::new(Uploader::new(server)?, options)),
        None => None,
    };
    let mut summary = Summary::default();
    for log in &logs {
        sink.note(&Note::Reading(log.path.clone()));
        if let Err(error) = read(log, &grammar, options, sink, &mut outbox, &mut summary).await? {
            sink.note(&Note::Unreadable { path: log.path.clone(), error: error.to_string() });
        }
    }
    if let Some(outbox) = &mut outbox {
        outbox.flush(&mut summary, sink).await?;
        sink.note(&Note::Uploaded { accepted: summary.accepted, duplicates: summary.duplicates });
    }
    if summary.counts.unknown_shapes > 0 {
        sink.note(&Note::UnknownShapes(summary.counts.unknown_shapes));
    }
    if summary.counts.nameless > 0 {
        sink.note(&Note::Nameless(summary.counts.nameless));
    }
    Ok(summary)
}

/// The outer error ends everything, the inner one only concerns this file.
async fn read(
    log: &Log,
    grammar: &Arc<Grammar>,
    options: &Once,
    sink: &mut dyn Sink,
    outbox: &mut Option<Outbox>,
    summary: &mut Summary,
) -> Result<std::io::Result<()>, WatchError> {
    let pieces = match File::open(&log.path).and_then(Pieces::of) {
        Ok(pieces) => pieces,
        Err(error) => return Ok(Err(error)),
    };
    let mut reader = Reader::new(grammar.clone());
    let mut piece = Vec::new();
    let mut events = Vec::new();
    loop {
        piece = match pieces.next(piece) {
            Ok(piece) => piece,
            Err(error) => return Ok(Err(error)),
        };
        if !piece.is_empty() {
            reader.feed(&piece, &mut |event| events.push(event));
        } else {
            let ending = if log.is_closed { Ending::Closed } else { Ending::Open };
            reader.finish(ending, &mut |event| events.push(event));
        }
        for event in events.drain(..).filter(|event| options.filter.passes(event)) {
            summary.shown += 1;
            sink.event(&event);
            if let Some(outbox) = outbox.as_mut().filter(|_| is_uploadable(&event)) {
                outbox.add(&event, summary, sink).await?;
            }
        }
        if piece.is_empty() {
            break;
        }
    }
    let counts = reader.counts();
    summary.logs += 1;
    summary.counts.lines += counts.lines;
    summary.counts.events += counts.events;
    summary.counts.unknown_shapes += counts.unknown_shapes;
    summary.counts.nameless += counts.nameless;
    Ok(Ok(()))
}

/// Events on their way, a batch at a time.
struct Outbox {
    uploader: Uploader,
    tries: u32,
    pace: Pace,
    lines: Vec<u8>,
    ids: Vec<Option<String>>,
}

impl Outbox {
    fn new(uploader: Uploader, options: &Once) -> Self {
        Self { uploader, tries: options.tries.max(1), pace: options.pace, lines: Vec::new(), ids: Vec::new() }
    }

    async fn add(&mut self, event: &Event, summary: &mut Summary, sink: &mut dyn Sink) -> Result<(), UploadError> {
        let line = line_of(event);
        if self.ids.len() == BATCH_MAX_EVENTS || self.lines.len() + line.len() > BATCH_MAX_BYTES {
            self.flush(summary, sink).await?;
        }
        self.lines.extend_from_slice(&line);
        self.ids.push(event.event_id.clone());
        Ok(())
    }

    async fn flush(&mut self, summary: &mut Summary, sink: &mut dyn Sink) -> Result<(), UploadError> {
        if self.ids.is_empty() {
            return Ok(());
        }
        let answer = self.send(sink).await?;
        summary.accepted += answer.accepted;
        summary.duplicates += answer.duplicates;
        summary.rejected += answer.rejected.len() as u64;
        for rejected in answer.rejected {
            let event_id = self.ids.get(rejected.index).cloned().flatten();
            sink.note(&Note::Rejected { event_id, error: rejected.error });
        }
        self.lines.clear();
        self.ids.clear();
        Ok(())
    }

    async fn send(&self, sink: &mut dyn Sink) -> Result<Answer, UploadError> {
        let mut failures = 0;
        loop {
            match self.uploader.send(&self.lines).await {
                Err(UploadError::Later { error, after }) if failures + 1 < self.tries => {
                    failures += 1;
                    let pause = self.pace.pause(failures, after, rand::random());
                    sink.note(&Note::Retry { error, secs: pause.as_secs().max(1) });
                    tokio::time::sleep(pause.max(Duration::from_millis(1))).await;
                }
                other => return other,
            }
        }
    }
}

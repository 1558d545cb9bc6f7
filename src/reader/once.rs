//! Reads logs to their end, shows and uploads their events, and returns.

use std::fs::File;
use std::io::Seek;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::events::Event;
use crate::gamelog::{Counts, Ending, Grammar, Parser};

use super::control::Control;
use super::error::ReaderError;
use super::filter::Filter;
use super::held::HeldCounts;
use super::log_file::{self, EventSource, FirstLine, Log};
use super::note::{Note, Sink, check_output};
use super::open_log::facts_of;
use super::read_ahead::ReadAhead;
use super::upload::{
    BatchResponse, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, Rejected, RetryPolicy, UploadError, Uploader, to_ndjson_line,
};
use super::upload::{Server, is_uploadable};

/// Options of [`read_once`].
#[derive(Clone, Default)]
pub struct OnceOptions {
    pub filter: Filter,
    /// The site to upload to. Without one, nothing is sent.
    pub server: Option<Server>,
    /// Also reads the `logbackups` beside a live log.
    pub with_backups: bool,
    /// Maximum number of attempts per upload; 0 means 1.
    pub max_attempts: u32,
    pub retry_policy: RetryPolicy,
    /// Stops reading early.
    pub control: Arc<Control>,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    pub logs: u64,
    pub counts: Counts,
    /// Events that passed the filter.
    pub shown: u64,
    pub accepted: u64,
    pub duplicates: u64,
    /// Accepted events that the site does not count.
    pub held: HeldCounts,
    /// Events that the site rejected, including those ahead of its clock.
    pub rejected: u64,
}

/// Reads logs, oldest first, each to its end. A path may be a file or a folder of the game with its `logbackups`.
/// No state is stored: the next run sends all events again, and the site ignores those it has. If an upload fails, the
/// remaining logs are still read and shown before the error is returned.
pub async fn read_once(paths: &[PathBuf], options: &OnceOptions, sink: &mut dyn Sink) -> Result<Summary, ReaderError> {
    let logs = log_file::logs_in_order(paths, options.with_backups)?;
    let grammar = Arc::new(Grammar::built_in()?);
    let mut outbox = match &options.server {
        Some(server) => Some(Outbox::new(Uploader::new(server)?, options)),
        None => None,
    };
    let mut summary = Summary::default();
    for log in logs.iter().take_while(|_| !options.control.is_stopped()) {
        // A batch contains events of one log.
        if let Some(outbox) = &mut outbox {
            outbox.flush(&mut summary, sink).await;
            outbox.source = None;
        }
        sink.note(&Note::Reading(log.path.clone()));
        if let Err(error) = read(log, &grammar, options, sink, &mut outbox, &mut summary).await? {
            sink.note(&Note::Unreadable { path: log.path.clone(), error: error.to_string() });
        }
    }
    if let Some(outbox) = &mut outbox {
        outbox.flush(&mut summary, sink).await;
        sink.note(&Note::Uploaded { accepted: summary.accepted, duplicates: summary.duplicates });
        if !summary.held.is_empty() {
            sink.note(&Note::Held(summary.held.clone()));
        }
    }
    if summary.counts.unknown_shapes > 0 {
        sink.note(&Note::UnknownShapes(summary.counts.unknown_shapes));
    }
    if summary.counts.nameless > 0 {
        sink.note(&Note::Nameless(summary.counts.nameless));
    }
    check_output(sink)?;
    match outbox.and_then(|outbox| outbox.failure) {
        Some(error) => Err(error.into()),
        None => Ok(summary),
    }
}

/// The outer error ends the run. The inner one affects only this file.
async fn read(
    log: &Log,
    grammar: &Arc<Grammar>,
    options: &OnceOptions,
    sink: &mut dyn Sink,
    outbox: &mut Option<Outbox>,
    summary: &mut Summary,
) -> Result<std::io::Result<()>, ReaderError> {
    let (first, pieces) = match open(log) {
        Ok(opened) => opened,
        Err(error) => return Ok(Err(error)),
    };
    let id = first.map(|first| first.id());
    let mut parser = Parser::new(grammar.clone());
    let mut piece = Vec::new();
    let mut events = Vec::new();
    loop {
        piece = match pieces.next(piece) {
            Ok(piece) => piece,
            Err(error) => return Ok(Err(error)),
        };
        if !piece.is_empty() {
            parser.feed(&piece, &mut |event| events.push(event));
        } else {
            let ending = if log.is_closed { Ending::Closed } else { Ending::Open };
            parser.finish(ending, &mut |event| events.push(event));
        }
        if let (Some(outbox), Some(id), false) = (outbox.as_mut(), &id, events.is_empty()) {
            outbox.source = Some(EventSource { log: id.clone(), facts: facts_of(&parser, &log.path) });
        }
        for event in events.drain(..).filter(|event| options.filter.passes(event)) {
            summary.shown += 1;
            sink.event(&event);
            if let Some(outbox) = outbox.as_mut().filter(|_| is_uploadable(&event)) {
                outbox.add(event, summary, sink).await;
            }
        }
        check_output(sink)?;
        if piece.is_empty() || options.control.is_stopped() {
            break;
        }
    }
    let counts = parser.counts();
    summary.logs += 1;
    summary.counts.lines += counts.lines;
    summary.counts.events += counts.events;
    summary.counts.unknown_shapes += counts.unknown_shapes;
    summary.counts.nameless += counts.nameless;
    Ok(Ok(()))
}

/// Opens a log; also returns its first line, if it is complete.
fn open(log: &Log) -> std::io::Result<(Option<FirstLine>, ReadAhead)> {
    let mut file = File::open(&log.path)?;
    let first = FirstLine::of(&mut file)?;
    file.rewind()?;
    Ok((first, ReadAhead::new(file)?))
}

/// Collects events into batches and sends them.
struct Outbox {
    uploader: Uploader,
    max_attempts: u32,
    retry_policy: RetryPolicy,
    control: Arc<Control>,
    /// The next batch: each event with its encoded line.
    batch: Vec<(Vec<u8>, Event)>,
    bytes: usize,
    /// The log that all events of the next batch come from.
    source: Option<EventSource>,
    /// Why uploading ended. Nothing is sent afterwards.
    failure: Option<UploadError>,
}

impl Outbox {
    fn new(uploader: Uploader, options: &OnceOptions) -> Self {
        Self {
            uploader,
            max_attempts: options.max_attempts.max(1),
            retry_policy: options.retry_policy,
            control: options.control.clone(),
            batch: Vec::new(),
            bytes: 0,
            source: None,
            failure: None,
        }
    }

    async fn add(&mut self, event: Event, summary: &mut Summary, sink: &mut dyn Sink) {
        if self.failure.is_some() {
            return;
        }
        let line = to_ndjson_line(&event);
        if self.batch.len() == MAX_BATCH_EVENTS || self.bytes + line.len() > MAX_BATCH_BYTES {
            self.flush(summary, sink).await;
        }
        self.bytes += line.len();
        self.batch.push((line, event));
    }

    /// Sends the batch. A batch that the site cannot accept is halved repeatedly, down to a single event.
    async fn flush(&mut self, summary: &mut Summary, sink: &mut dyn Sink) {
        self.bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        let mut parts = vec![&batch[..]];
        while let Some(part) = parts.pop().filter(|part| !part.is_empty()) {
            match self.send(part, sink).await {
                Ok(Some(answer)) => record_response(part, answer, summary, sink),
                Ok(None) => return,
                Err(UploadError::TooLarge(_) | UploadError::Malformed(_)) if part.len() > 1 => {
                    let (first, second) = part.split_at(part.len() / 2);
                    parts.extend([second, first]);
                }
                Err(UploadError::TooLarge(error) | UploadError::Malformed(error)) => {
                    let rejected = vec![Rejected { index: 0, error }];
                    record_response(part, BatchResponse { rejected, ..BatchResponse::default() }, summary, sink);
                }
                Err(error) => {
                    self.failure = Some(error);
                    return;
                }
            }
        }
    }

    /// Sends a part of the batch, with retries. Returns `None` if the reader is stopped first.
    async fn send(&self, part: &[(Vec<u8>, Event)], sink: &mut dyn Sink) -> Result<Option<BatchResponse>, UploadError> {
        let lines: Vec<u8> = part.iter().flat_map(|(line, _)| line).copied().collect();
        let header = self.source.as_ref().and_then(EventSource::header);
        let mut failures = 0;
        loop {
            let sent = tokio::select! {
                sent = self.uploader.send(&lines, header.as_ref()) => sent,
                () = self.control.stopped() => return Ok(None),
            };
            match sent {
                Err(UploadError::Temporary { error, after }) if failures + 1 < self.max_attempts => {
                    failures += 1;
                    let pause = self.retry_policy.delay(failures, after, rand::random());
                    sink.note(&Note::Retry { error, secs: pause.as_secs().max(1) });
                    tokio::select! {
                        () = tokio::time::sleep(pause.max(Duration::from_millis(1))) => {}
                        () = self.control.stopped() => return Ok(None),
                    }
                }
                other => return other.map(Some),
            }
        }
    }
}

fn record_response(part: &[(Vec<u8>, Event)], answer: BatchResponse, summary: &mut Summary, sink: &mut dyn Sink) {
    summary.accepted = summary.accepted.saturating_add(answer.accepted);
    summary.duplicates = summary.duplicates.saturating_add(answer.duplicates);
    summary.held.merge(&answer.count_held(part.len()));
    let (early, refused) = answer.split_rejected(|index| part.get(index).map(|(_, event)| event));
    summary.rejected += (early.len() + refused.len()) as u64;
    for rejected in refused {
        let event_id = part.get(rejected.index).and_then(|(_, event)| event.event_id.clone());
        sink.note(&Note::Rejected { event_id, error: rejected.error });
    }
    if !early.is_empty() {
        sink.note(&Note::AheadOfClock(early.len() as u64));
    }
}

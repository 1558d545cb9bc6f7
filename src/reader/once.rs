//! Reads logs to their end, shows and uploads their events, and returns.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Seek;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::domain::events::Event;
use crate::domain::log_header::LogId;
use gamelog::upload::{EventSource, FirstLine, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, is_uploadable, to_ndjson_line};
use gamelog::{Counts, Ending, Grammar, LogFacts, Parser};

use super::claims::Claims;
use super::control::Control;
use super::error::ReaderError;
use super::filter::Filter;
use super::log_file::{self, Log, READER, first_line};
use super::note::{LogEnd, Note, Sink, check_output};
use super::read_ahead::ReadAhead;
use super::upload::{BatchResponse, ClaimedBy, Rejected, RetryPolicy, Server, UploadError, Uploader};

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
    /// Default: the built-in grammar.
    pub grammar: Option<Arc<Grammar>>,
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
    /// Events that the site rejected, including those ahead of its clock.
    pub rejected: u64,
    /// Events in logs of players whom nobody has claimed. They are not sent.
    pub unclaimed: u64,
}

/// Reads logs, oldest first, each to its end. A path may be a file or a folder of the game with its `logbackups`.
/// No state is stored: the next run sends all events again, and the site ignores those it has. If an upload fails, the
/// remaining logs are still read and shown before the error is returned.
pub async fn read_once(paths: &[PathBuf], options: &OnceOptions, sink: &mut dyn Sink) -> Result<Summary, ReaderError> {
    read_logs(&log_file::logs_in_order(paths, options.with_backups)?, options, sink).await
}

/// Reads these logs like [`read_once`].
pub(super) async fn read_logs(
    logs: &[Log],
    options: &OnceOptions,
    sink: &mut dyn Sink,
) -> Result<Summary, ReaderError> {
    let grammar = match &options.grammar {
        Some(grammar) => grammar.clone(),
        None => Arc::new(Grammar::built_in()?),
    };
    let mut outbox = match &options.server {
        Some(server) => Some(Outbox::new(Uploader::new(server)?, options)),
        None => None,
    };
    let mut summary = Summary::default();
    for log in logs.iter().take_while(|_| !options.control.is_stopped()) {
        sink.note(&Note::Reading(log.path.clone()));
        let rejected = summary.rejected;
        let end = read(log, &grammar, options, sink, &mut outbox, &mut summary).await?;
        let is_sent = match &mut outbox {
            Some(outbox) => outbox.end_log(&mut summary, sink).await && summary.rejected == rejected,
            None => false,
        };
        match end {
            Ok(end) if !options.control.is_stopped() => sink.log_end(&LogEnd { is_sent, ..end })?,
            Ok(_) => {}
            Err(error) => sink.note(&Note::Unreadable { path: log.path.clone(), error: error.to_string() }),
        }
    }
    if outbox.is_some() {
        sink.note(&Note::Uploaded { accepted: summary.accepted, duplicates: summary.duplicates });
    }
    for (handle, logs) in outbox.iter_mut().flat_map(|outbox| std::mem::take(&mut outbox.withheld_logs)) {
        sink.note(&Note::LogsWithheld { handle, logs });
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
) -> Result<std::io::Result<LogEnd>, ReaderError> {
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
        sink.progress(piece.len() as u64);
        if piece.is_empty() {
            let ending = if log.is_closed { Ending::Closed } else { Ending::Open };
            parser.finish(ending, &mut |event| events.push(event));
        } else {
            parser.feed(&piece, &mut |event| events.push(event));
        }
        if let (Some(outbox), Some(id)) = (outbox.as_mut(), &id) {
            outbox.set_source(id, parser.facts());
        }
        for event in events.drain(..).filter(|event| options.filter.passes(event)) {
            summary.shown += 1;
            sink.event(&event);
            if let Some(outbox) = outbox.as_mut().filter(|_| options.filter.is_shared(&event) && is_uploadable(&event))
            {
                outbox.add(event, summary, sink).await;
            }
        }
        check_output(sink)?;
        if piece.is_empty() || options.control.is_stopped() {
            break;
        }
    }
    summary.logs += 1;
    summary.counts += parser.counts();
    let unread = parser.counts().unread();
    if unread > 0 {
        sink.note(&Note::Untimed { path: log.path.clone(), lines: unread });
    }
    Ok(Ok(LogEnd { facts: parser.facts(), is_unreadable: unread > 0, is_sent: false }))
}

/// Opens a log; also returns its first line, if it is complete.
fn open(log: &Log) -> std::io::Result<(Option<FirstLine>, ReadAhead)> {
    let mut file = File::open(&log.path)?;
    let first = first_line(&mut file)?;
    file.rewind()?;
    Ok((first, ReadAhead::new(file)?))
}

/// An event with its encoded line.
type EncodedEvent = (Vec<u8>, Event);

/// Collects events into batches and sends them.
struct Outbox {
    uploader: Uploader,
    max_attempts: u32,
    retry_policy: RetryPolicy,
    control: Arc<Control>,
    claims: Claims,
    /// The next batch.
    batch: Vec<EncodedEvent>,
    bytes: usize,
    /// The current log. All events of a batch come from it.
    source: Option<EventSource>,
    /// Another account has claimed the player of the current log.
    is_foreign: bool,
    /// Events of the current log are not sent, because its player is not this account's.
    is_withheld: bool,
    /// The number of such logs, by the handle of their player.
    withheld_logs: BTreeMap<String, u64>,
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
            claims: Claims::new(options.retry_policy.unclaimed),
            batch: Vec::new(),
            bytes: 0,
            source: None,
            is_foreign: false,
            is_withheld: false,
            withheld_logs: BTreeMap::new(),
            failure: None,
        }
    }

    /// Sets the current log and what it says about itself so far.
    fn set_source(&mut self, log: &LogId, facts: LogFacts) {
        let facts = facts.after(self.facts());
        self.source = Some(EventSource { log: log.clone(), facts });
    }

    async fn add(&mut self, event: Event, summary: &mut Summary, sink: &mut dyn Sink) {
        if self.failure.is_some() || self.is_foreign {
            return;
        }
        let line = to_ndjson_line(&event);
        if self.batch.len() >= MAX_BATCH_EVENTS || self.bytes + line.len() > MAX_BATCH_BYTES {
            self.flush(summary, sink).await;
        }
        self.bytes += line.len();
        self.batch.push((line, event));
    }

    /// Sends the remaining events of the current log. Those that still wait for the name of its player are dropped. Returns
    /// true if the site has all others.
    async fn end_log(&mut self, summary: &mut Summary, sink: &mut dyn Sink) -> bool {
        self.flush(summary, sink).await;
        if self.claims.lacks_player(&self.facts()) {
            summary.counts.nameless += self.batch.len() as u64;
        }
        let is_withheld = std::mem::take(&mut self.is_withheld);
        if is_withheld && let Some(player) = self.facts().player() {
            *self.withheld_logs.entry(player.to_string()).or_default() += 1;
        }
        self.batch.clear();
        self.bytes = 0;
        self.source = None;
        self.is_foreign = false;
        self.failure.is_none() && !is_withheld
    }

    fn facts(&self) -> LogFacts {
        self.source.as_ref().map(|source| source.facts.clone()).unwrap_or_default()
    }

    /// Sends the batch. It waits while an account's key needs the name of the log's player.
    async fn flush(&mut self, summary: &mut Summary, sink: &mut dyn Sink) {
        let facts = self.facts();
        if self.failure.is_some() || self.is_foreign || self.batch.is_empty() || !self.knows_key(sink).await {
            return;
        }
        if self.claims.lacks_player(&facts) {
            return;
        }
        self.bytes = 0;
        let mut batch = std::mem::take(&mut self.batch);
        batch.retain(|(_, event)| self.claims.is_wanted(event, &facts));
        if self.claims.may_send(&facts) {
            self.send_all(&batch, &facts, summary, sink).await;
        } else {
            self.is_withheld = true;
            summary.unclaimed += batch.len() as u64;
        }
    }

    /// Requests the kind of the key once. Returns false if it is unknown.
    async fn knows_key(&mut self, sink: &mut dyn Sink) -> bool {
        if !self.claims.is_key_known() {
            match self.with_retries(|| self.uploader.key(), sink).await {
                Some(Ok(key)) => self.claims.set_key_kind(key.kind),
                Some(Err(error)) => self.failure = Some(error),
                None => {}
            }
        }
        self.claims.is_key_known()
    }

    /// Sends events. A batch that the site cannot accept is halved repeatedly, down to a single event.
    async fn send_all(
        &mut self,
        events: &[EncodedEvent],
        facts: &LogFacts,
        summary: &mut Summary,
        sink: &mut dyn Sink,
    ) {
        // Events that waited for the name of the player may exceed a batch.
        let mut parts: Vec<&[EncodedEvent]> = events.chunks(MAX_BATCH_EVENTS).rev().collect();
        while let Some(part) = parts.pop() {
            let Some(result) = self.send(part, sink).await else { return };
            if let Some(note) = self.claims.update(facts, &result, &self.uploader) {
                sink.note(&note);
            }
            match result {
                Ok(answer) => record_response(part, answer, summary, sink),
                Err(UploadError::ClaimRequired { claimed_by, .. }) if facts.player().is_some() => {
                    self.is_withheld = true;
                    self.is_foreign = claimed_by == ClaimedBy::Other;
                    if claimed_by == ClaimedBy::Nobody {
                        let unsent = parts.iter().fold(part.len(), |sum, part| sum + part.len());
                        summary.unclaimed += unsent as u64;
                    }
                    return;
                }
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

    /// Sends events in one request, with retries. Returns `None` if the reader is stopped first.
    async fn send(&self, events: &[EncodedEvent], sink: &mut dyn Sink) -> Option<Result<BatchResponse, UploadError>> {
        let lines: Vec<u8> = events.iter().flat_map(|(line, _)| line).copied().collect();
        let header = self.source.as_ref().and_then(|source| source.header(READER));
        self.with_retries(|| self.uploader.send(&lines, header.as_ref()), sink).await
    }

    /// Repeats a request after temporary errors. Returns `None` if the reader is stopped first.
    async fn with_retries<T, R: Future<Output = Result<T, UploadError>>>(
        &self,
        request: impl Fn() -> R,
        sink: &mut dyn Sink,
    ) -> Option<Result<T, UploadError>> {
        let mut failures = 0;
        loop {
            match self.control.unless_stopped(request()).await? {
                Err(UploadError::Temporary { error, after }) if failures + 1 < self.max_attempts => {
                    failures += 1;
                    let pause = self.retry_policy.delay(failures, after, rand::random());
                    sink.note(&Note::Retry { error, secs: pause.as_secs().max(1) });
                    let pause = tokio::time::sleep(pause.max(Duration::from_millis(1)));
                    self.control.unless_stopped(pause).await?;
                }
                result => return Some(result),
            }
        }
    }
}

fn record_response(part: &[EncodedEvent], answer: BatchResponse, summary: &mut Summary, sink: &mut dyn Sink) {
    summary.accepted = summary.accepted.saturating_add(answer.accepted);
    summary.duplicates = summary.duplicates.saturating_add(answer.duplicates);
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

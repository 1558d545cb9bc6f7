//! Reads logs to their end, shows and uploads their events, and returns.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Seek;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gamelog::events::Event;
use gamelog::upload::{EventSource, FirstLine, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, is_uploadable, to_ndjson_line};
use gamelog::{Counts, Ending, Grammar, LogFacts, Parser};

use super::claims::Claims;
use super::control::Control;
use super::error::ReaderError;
use super::filter::Filter;
use super::grammar_store::GrammarStore;
use super::log_file::{self, Log, READER, first_line};
use super::note::{LogEnd, Note, Sink, check_output, report_rejected};
use super::read_ahead::ReadAhead;
use super::upload::{BatchResponse, ClaimedBy, RetryPolicy, Server, UploadError, Uploader};

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
    /// Default: the built-in grammar, and the languages of the game.
    pub grammars: Option<Arc<GrammarStore>>,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Summary {
    pub counts: Counts,
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
    let grammars = match &options.grammars {
        Some(grammars) => grammars.clone(),
        None => Arc::new(GrammarStore::open(None)?),
    };
    let mut run = Run {
        options,
        sink,
        uploader: options.server.as_ref().map(Uploader::new).transpose()?,
        claims: Claims::new(options.retry_policy.unclaimed),
        summary: Summary::default(),
        batch: Vec::new(),
        bytes: 0,
        source: None,
        withheld: None,
        withheld_logs: BTreeMap::new(),
        failure: None,
    };
    for log in logs.iter().take_while(|_| !options.control.is_stopped()) {
        run.sink.note(&Note::Reading(log.path.clone()));
        let rejected = run.summary.rejected;
        let end = run.read(log, grammars.for_log(&log.path)).await?;
        let is_sent = run.end_log().await && run.summary.rejected == rejected;
        match end {
            Ok(end) if !options.control.is_stopped() => run.sink.log_end(&LogEnd { is_sent, ..end })?,
            Ok(_) => {}
            Err(error) => run.sink.note(&Note::Unreadable { path: log.path.clone(), error: error.to_string() }),
        }
    }
    let Run { sink, summary, .. } = run;
    if run.uploader.is_some() {
        sink.note(&Note::Uploaded { accepted: summary.accepted, duplicates: summary.duplicates });
    }
    for (handle, logs) in run.withheld_logs {
        sink.note(&Note::LogsWithheld { handle, logs });
    }
    if summary.counts.unknown_shapes > 0 {
        sink.note(&Note::UnknownShapes(summary.counts.unknown_shapes));
    }
    if summary.counts.nameless > 0 {
        sink.note(&Note::Nameless(summary.counts.nameless));
    }
    check_output(sink)?;
    run.failure.map_or(Ok(summary), |error| Err(error.into()))
}

/// Reads logs, collects their events into batches and sends them.
struct Run<'a> {
    options: &'a OnceOptions,
    sink: &'a mut dyn Sink,
    uploader: Option<Uploader>,
    claims: Claims,
    summary: Summary,
    /// The next batch, and its size when it is encoded.
    batch: Vec<Event>,
    bytes: usize,
    /// The current log. All events of a batch come from it.
    source: Option<EventSource>,
    /// Who has claimed the player of the current log, whose events are not sent, because it is not this account.
    withheld: Option<ClaimedBy>,
    /// The number of such logs, by the handle of their player.
    withheld_logs: BTreeMap<String, u64>,
    /// Why uploading ended. Nothing is sent afterwards.
    failure: Option<UploadError>,
}

impl Run<'_> {
    /// The outer error ends the run. The inner one affects only this file.
    async fn read(&mut self, log: &Log, grammar: Arc<Grammar>) -> Result<std::io::Result<LogEnd>, ReaderError> {
        let options = self.options;
        let (first, pieces) = match open(log) {
            Ok(opened) => opened,
            Err(error) => return Ok(Err(error)),
        };
        let id = first.map(|first| first.id()).filter(|_| self.uploader.is_some());
        let mut parser = Parser::new(grammar);
        let mut piece = Vec::new();
        let mut events = Vec::new();
        loop {
            piece = match pieces.next(piece) {
                Ok(piece) => piece,
                Err(error) => return Ok(Err(error)),
            };
            self.sink.progress(piece.len() as u64);
            if piece.is_empty() {
                let ending = if log.is_closed { Ending::Closed } else { Ending::Open };
                parser.finish(ending, &mut |event| events.push(event));
            } else {
                parser.feed(&piece, &mut |event| events.push(event));
            }
            if let Some(id) = &id {
                let facts = parser.facts().after(self.facts());
                self.source = Some(EventSource { log: id.clone(), facts });
            }
            for event in events.drain(..).filter(|event| options.filter.passes(event)) {
                self.sink.event(&event);
                if self.uploader.is_some() && options.filter.is_shared(&event) && is_uploadable(&event) {
                    self.add(event).await;
                }
            }
            check_output(self.sink)?;
            if piece.is_empty() || options.control.is_stopped() {
                break;
            }
        }
        self.summary.counts += parser.counts();
        let unread = parser.counts().unread();
        if unread > 0 {
            self.sink.note(&Note::Untimed { path: log.path.clone(), lines: unread });
        }
        Ok(Ok(LogEnd { facts: parser.facts(), is_unreadable: unread > 0, is_sent: false }))
    }

    /// No events of the current log are sent any more.
    fn is_closed(&self) -> bool {
        self.failure.is_some() || self.withheld == Some(ClaimedBy::Other)
    }

    async fn add(&mut self, event: Event) {
        if self.is_closed() {
            return;
        }
        let bytes = to_ndjson_line(&event).len();
        if self.batch.len() >= MAX_BATCH_EVENTS || self.bytes + bytes > MAX_BATCH_BYTES {
            self.flush().await;
        }
        self.bytes += bytes;
        self.batch.push(event);
    }

    /// Sends the remaining events of the current log. Those that still wait for the name of its player are dropped. Returns
    /// true if the site has all others.
    async fn end_log(&mut self) -> bool {
        self.flush().await;
        let facts = self.facts();
        if self.claims.lacks_player(&facts) {
            self.summary.counts.nameless += self.batch.len() as u64;
        }
        let is_withheld = self.withheld.take().is_some();
        if is_withheld && let Some(player) = facts.player() {
            *self.withheld_logs.entry(player.to_string()).or_default() += 1;
        }
        self.batch.clear();
        self.bytes = 0;
        self.source = None;
        self.uploader.is_some() && self.failure.is_none() && !is_withheld
    }

    fn facts(&self) -> LogFacts {
        self.source.as_ref().map(|source| source.facts.clone()).unwrap_or_default()
    }

    /// Sends the batch. It waits while an account's key needs the name of the log's player.
    async fn flush(&mut self) {
        let facts = self.facts();
        if self.is_closed() || self.batch.is_empty() || !self.knows_key().await || self.claims.lacks_player(&facts) {
            return;
        }
        self.bytes = 0;
        let mut batch = std::mem::take(&mut self.batch);
        batch.retain(|event| self.claims.is_wanted(event, &facts));
        if self.claims.may_send(&facts) {
            self.send_all(&batch, &facts).await;
        } else {
            self.withheld = Some(ClaimedBy::Nobody);
            self.summary.unclaimed += batch.len() as u64;
        }
    }

    /// Requests the kind of the key once. Returns false if it is unknown.
    async fn knows_key(&mut self) -> bool {
        if let Some(uploader) = self.uploader.as_ref().filter(|_| self.claims.key_kind.is_none()) {
            match with_retries(self.options, self.sink, || uploader.key()).await {
                Some(Ok(key)) => self.claims.key_kind = Some(key.kind),
                Some(Err(error)) => self.failure = Some(error),
                None => {}
            }
        }
        self.claims.key_kind.is_some()
    }

    async fn send_all(&mut self, events: &[Event], facts: &LogFacts) {
        let Some(uploader) = &self.uploader else { return };
        let header = self.source.as_ref().and_then(|source| source.header(READER));
        // Events that waited for the name of the player may exceed a batch.
        for (at, part) in events.chunks(MAX_BATCH_EVENTS).enumerate() {
            let request = || uploader.send(part, header.as_ref());
            let Some(result) = with_retries(self.options, self.sink, request).await else { return };
            if let Some(note) = self.claims.update(facts, &result, uploader) {
                self.sink.note(&note);
            }
            match result {
                Ok(answer) => record_response(part, answer, &mut self.summary, self.sink),
                Err(UploadError::ClaimRequired { claimed_by, .. }) if facts.player().is_some() => {
                    self.withheld = Some(claimed_by);
                    if claimed_by == ClaimedBy::Nobody {
                        self.summary.unclaimed += (events.len() - at * MAX_BATCH_EVENTS) as u64;
                    }
                    return;
                }
                Err(error) => {
                    self.failure = Some(error);
                    return;
                }
            }
        }
    }
}

/// Opens a log; also returns its first line, if it is complete.
fn open(log: &Log) -> std::io::Result<(Option<FirstLine>, ReadAhead)> {
    let mut file = File::open(&log.path)?;
    let first = first_line(&mut file)?;
    file.rewind()?;
    Ok((first, ReadAhead::new(file)?))
}

/// Repeats a request after temporary errors. Returns `None` if the reader is stopped first.
async fn with_retries<T, R: Future<Output = Result<T, UploadError>>>(
    options: &OnceOptions,
    sink: &mut dyn Sink,
    request: impl Fn() -> R,
) -> Option<Result<T, UploadError>> {
    let mut failures = 0;
    loop {
        match options.control.unless_stopped(request()).await? {
            Err(UploadError::Temporary { error, after }) if failures + 1 < options.max_attempts => {
                failures += 1;
                let pause = options.retry_policy.delay(failures, after, rand::random());
                sink.note(&Note::Retry { error, secs: pause.as_secs().max(1) });
                let pause = tokio::time::sleep(pause.max(Duration::from_millis(1)));
                options.control.unless_stopped(pause).await?;
            }
            result => return Some(result),
        }
    }
}

fn record_response(part: &[Event], answer: BatchResponse, summary: &mut Summary, sink: &mut dyn Sink) {
    summary.accepted = summary.accepted.saturating_add(answer.accepted);
    summary.duplicates = summary.duplicates.saturating_add(answer.duplicates);
    let (early, refused) = answer.split_rejected(part);
    summary.rejected += (early.len() + refused.len()) as u64;
    report_rejected(sink, early.len(), refused);
}

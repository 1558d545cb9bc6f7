//! Ingest of events: parse a batch, validate its events, commit it, and apply its effects.

mod admission;
mod batch;
mod batcher;
mod body;
mod category;
mod classify;
mod commit;
mod decision;
mod log_owners;
mod merge;
mod names;
mod patches;
mod playtime;
mod quota;
mod recount;
mod reports;
mod resolve_players;
mod restore;
mod revision;
mod rows;
mod sender;
mod tally;

use std::sync::Arc;

pub use body::{MAX_BYTES, MAX_EVENTS, parse as parse_batch, unsupported_encoding};
pub use decision::{ChangedEvent, Decision, Plan, decide, plan};
pub use names::{make_known, settle_known as settle_known_names};
pub use recount::{Baseline, recount};
pub use restore::{StoredEvent, StoredWitness, restore_events};

use crate::app::{App, BatchOutcome};
use crate::domain::content_encoding::ContentEncoding;
use crate::domain::events::{Event, ValidEvent, validate};
use crate::domain::trust::{LogHeader, Reasons, Reporter};
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::views::ingest::{Held, IngestAnswer, Rejected};

use sender::{Sessions, not_own};

/// Ingests a batch from a log reader, from `log` if the reader names one. The events are on disk when this returns.
pub async fn accept(
    app: &Arc<App>,
    reporter: Reporter,
    log: Option<LogHeader>,
    body: bytes::Bytes,
    encoding: Option<ContentEncoding>,
) -> Result<IngestAnswer, AppError> {
    let parsed =
        tokio::task::spawn_blocking(move || body::parse(&body, encoding)).await.map_err(AppError::internal)??;
    let sessions = sessions(app, reporter, log.as_ref(), parsed.len()).await?;
    let now = app.store.now();
    let mut rejected = Vec::new();
    let (mut events, mut indexes) = (Vec::with_capacity(parsed.len()), Vec::with_capacity(parsed.len()));
    for (index, event) in parsed.into_iter().enumerate() {
        let valid = event.and_then(|event| validate(event, now).map_err(|e| e.to_string()));
        match valid.and_then(|event| require_own(event, sessions.as_ref())) {
            Ok(event) => {
                events.push(event);
                indexes.push(index);
            }
            Err(error) => rejected.push(Rejected { index, error }),
        }
    }
    let BatchOutcome { accepted, duplicates, held } = submit(app, reporter, events, log).await?;
    let index = |(place, reasons): (usize, Reasons)| Some((*indexes.get(place)?, reasons));
    let mut held: Vec<Held> = held.into_iter().filter_map(index).map(Held::from).collect();
    held.sort_by_key(|held| held.index);
    Ok(IngestAnswer { accepted, duplicates, held, rejected })
}

/// What a batch of an account may contain; `None` for operators, whose batches are not limited.
async fn sessions(
    app: &App,
    reporter: Reporter,
    log: Option<&LogHeader>,
    count: usize,
) -> Result<Option<Sessions>, AppError> {
    if reporter.scope.is_operator() {
        return Ok(None);
    }
    let (now, log, count) = (app.store.now(), log.cloned(), count as i64);
    let read = move |conn: &mut AnyConn| {
        Ok((quota::wait_secs(conn, reporter, count, now)?, Sessions::of_log(conn, reporter, log.as_ref())?))
    };
    let (wait_secs, sessions) = app.store.read(read).await?;
    match wait_secs {
        Some((sentence, retry_after_secs)) => Err(AppError::RateLimited { sentence, retry_after_secs }),
        None => Ok(Some(sessions)),
    }
}

fn require_own(event: ValidEvent, sessions: Option<&Sessions>) -> Result<ValidEvent, String> {
    if sessions.is_none_or(|sessions| sessions.permits(&event)) { Ok(event) } else { Err(not_own(&event)) }
}

/// Validates and ingests events, ignoring invalid ones; returns `(accepted, duplicates)`.
pub async fn ingest_events(app: &Arc<App>, reporter: Reporter, events: Vec<Event>) -> Result<(usize, usize), AppError> {
    let now = app.store.now();
    let events = events.into_iter().filter_map(|event| validate(event, now).ok()).collect();
    ingest_valid(app, reporter, events).await
}

/// Ingests validated events; returns `(accepted, duplicates)`.
pub async fn ingest_valid(
    app: &Arc<App>,
    reporter: Reporter,
    events: Vec<ValidEvent>,
) -> Result<(usize, usize), AppError> {
    let outcome = submit(app, reporter, events, None).await?;
    Ok((outcome.accepted, outcome.duplicates))
}

async fn submit(
    app: &Arc<App>,
    reporter: Reporter,
    events: Vec<ValidEvent>,
    log: Option<LogHeader>,
) -> Result<BatchOutcome, AppError> {
    if events.is_empty() {
        return Ok(BatchOutcome::default());
    }
    batcher::submit(app, reporter, events, log).await
}

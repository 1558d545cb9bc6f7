//! Ingest of events: parse a batch, validate its events, commit it, and apply its effects.

mod batch;
mod batcher;
mod body;
mod category;
mod classify;
mod commit;
mod decision;
mod merge;
mod patches;
mod playtime;
mod recount;
mod resolve_players;
mod restore;
mod revision;
mod rows;
mod tally;

use std::sync::Arc;

pub use body::{MAX_BYTES, MAX_EVENTS, parse as parse_batch, unsupported_encoding};
pub use decision::{ChangedEvent, Decision, Plan, decide, plan};
pub use recount::{Baseline, recount};
pub use restore::{StoredEvent, StoredWitness, restore_events};

use crate::app::App;
use crate::domain::content_encoding::ContentEncoding;
use crate::domain::events::{Event, ValidEvent, validate};
use crate::domain::times::EpochMillis;
use crate::domain::trust::{LogHeader, Reporter};
use crate::error::AppError;
use crate::views::ingest::{IngestAnswer, Rejected};

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
    let now = EpochMillis::now();
    let mut rejected = Vec::new();
    let mut events = Vec::with_capacity(parsed.len());
    for (index, event) in parsed.into_iter().enumerate() {
        match event.and_then(|event| validate(event, now).map_err(|e| e.to_string())) {
            Ok(event) => events.push(event),
            Err(error) => rejected.push(Rejected { index, error }),
        }
    }
    let (accepted, duplicates) = submit(app, reporter, events, log).await?;
    Ok(IngestAnswer { accepted, duplicates, rejected })
}

/// Validates and ingests events, ignoring invalid ones; returns `(accepted, duplicates)`.
pub async fn ingest_events(app: &Arc<App>, reporter: Reporter, events: Vec<Event>) -> Result<(usize, usize), AppError> {
    let now = EpochMillis::now();
    let events = events.into_iter().filter_map(|event| validate(event, now).ok()).collect();
    ingest_valid(app, reporter, events).await
}

/// Ingests validated events; returns `(accepted, duplicates)`.
pub async fn ingest_valid(
    app: &Arc<App>,
    reporter: Reporter,
    events: Vec<ValidEvent>,
) -> Result<(usize, usize), AppError> {
    submit(app, reporter, events, None).await
}

async fn submit(
    app: &Arc<App>,
    reporter: Reporter,
    events: Vec<ValidEvent>,
    log: Option<LogHeader>,
) -> Result<(usize, usize), AppError> {
    if events.is_empty() {
        return Ok((0, 0));
    }
    batcher::submit(app, reporter, events, log).await
}

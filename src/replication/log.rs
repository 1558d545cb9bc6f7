//! The log of changes in the database.

use std::sync::Arc;
use std::time::Duration;

use diesel::QueryResult;
use diesel::result::Error;

use crate::domain::times::EpochMillis;
use crate::store::changes::{self, ChangePosition, PublishedChange};
use crate::store::{Store, StoreError, Tx};

use super::change::{Body, Change, RecordedChange};
use super::ingest_change;

/// How long changes can be read back. A process that missed more rebuilds its projections.
const RETENTION: Duration = Duration::from_secs(15 * 60);

/// Why changes could not be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a change in the log is invalid: {0}")]
    Body(#[from] serde_json::Error),
}

/// Records a change inside its transaction and gives it its position, as the last step: transactions that record a change
/// wait for each other from here to their commit. See [`changes::lock_sequence`].
pub fn record(tx: &mut Tx, change: Change) -> QueryResult<RecordedChange> {
    // No other process reads a SQLite database.
    let body = if tx.is_postgres() {
        serde_json::to_string(&Body::from(&change)).map_err(|error| Error::SerializationError(Box::new(error)))?
    } else {
        String::new()
    };
    let position = changes::publish(tx, EpochMillis::now().0, change.message_count(), &body)?;
    Ok(RecordedChange { position, change: Arc::new(change) })
}

/// Completes entries of the log with the rows that they refer to.
pub(super) fn read(store: &Store, entries: Vec<PublishedChange>) -> Result<Vec<RecordedChange>, ReadError> {
    let mut bodies: Vec<(ChangePosition, Body)> = Vec::with_capacity(entries.len());
    for entry in entries {
        bodies.push((entry.position, serde_json::from_str(&entry.body)?));
    }
    let batches: Vec<_> = bodies
        .iter()
        .filter_map(|(position, body)| match body {
            Body::Ingest(batch) => Some((*position, batch.clone())),
            _ => None,
        })
        .collect();
    let batches =
        if batches.is_empty() { Vec::new() } else { store.read_blocking(|conn| ingest_change::read(conn, batches))? };
    let mut batches = batches.into_iter();
    let complete = |(position, body)| {
        let change = match body {
            Body::Ingest(_) => Change::Ingest(batches.next().unwrap_or_default()),
            Body::Entities(change) => Change::Entities(change),
            Body::Commits(ids) => Change::Commits(ids),
            Body::IngestKeys => Change::IngestKeys,
            Body::Rebuild => Change::Rebuild,
        };
        RecordedChange { position, change: Arc::new(change) }
    };
    Ok(bodies.into_iter().map(complete).collect())
}

/// Deletes changes that every process has received long ago; returns their number.
pub async fn delete_old(store: &Store) -> Result<usize, StoreError> {
    let before = EpochMillis::now().0 - RETENTION.as_millis() as i64;
    store.write(move |tx| changes::delete_before(tx, before).map_err(StoreError::from)).await
}

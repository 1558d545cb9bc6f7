//! The log of changes that other processes apply: rows in commit order, and a notification per row.

use std::sync::Arc;
use std::time::Duration;

use diesel::prelude::*;
use diesel::result::Error;
use diesel::sql_types::{BigInt, Text};

use crate::domain::clock;
use crate::store::conn::AnyConn;
use crate::store::schema::*;
use crate::store::{Store, StoreError, Tx};

use super::change::{Change, RecordedChange};
use super::ingest_change::{self, IngestBody};
use super::position::ChangePosition;

/// The channel of `LISTEN` and `NOTIFY`.
pub const CHANNEL: &str = "apogee_changes";
/// How long changes can be read back. A process that missed more rebuilds its projections.
const RETENTION: Duration = Duration::from_secs(15 * 60);

/// Why changes could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("a change in the log is invalid: {0}")]
    Body(#[from] serde_json::Error),
}

/// A change as other processes receive it.
#[derive(Debug, Clone, PartialEq, Eq, Queryable)]
pub struct PublishedChange {
    pub position: ChangePosition,
    /// The change as JSON.
    pub body: String,
}

// A notification holds 8,000 bytes. A larger body is announced by its id and read from the table.
const PUBLISH_SQL: &str = "\
    WITH clock AS (\
        UPDATE event_clock SET last_change = last_change + 1, message_count = message_count + $1 WHERE id = 1 \
        RETURNING last_change AS id, last_id AS event_id, message_count - $1 AS message_offset\
    ), change AS (\
        INSERT INTO changes (id, created_at, event_id, message_offset, body) SELECT id, $2, event_id, message_offset, $3 FROM clock\
    ) \
    SELECT id, event_id, message_offset, pg_notify('apogee_changes', CASE WHEN octet_length($3) < 7800 \
        THEN concat_ws(' ', id, event_id, message_offset, $3) ELSE id::text END)::text AS change FROM clock";

/// Records a change inside its transaction and gives it its position, as the last step: transactions that record a change wait for each
/// other from here to their commit; see [`lock_sequence`]. This process applies it right after the commit, see [`Store::on_commit`]; on
/// PostgreSQL every other process is notified.
pub fn record(tx: &mut Tx, change: Change) -> QueryResult<()> {
    // No other process reads a SQLite database.
    let body = if tx.is_postgres() {
        serde_json::to_string(&change).map_err(|error| Error::SerializationError(Box::new(error)))?
    } else {
        String::new()
    };
    let position = append(tx, clock::now().0, change.message_count(), &body)?;
    tx.add_change(RecordedChange { position, change: Arc::new(change) });
    Ok(())
}

/// Appends a change that is followed by up to `messages` live messages.
fn append(tx: &mut Tx, created_at: i64, messages: i64, body: &str) -> QueryResult<ChangePosition> {
    if tx.is_postgres() {
        return diesel::sql_query(PUBLISH_SQL)
            .bind::<BigInt, _>(messages)
            .bind::<BigInt, _>(created_at)
            .bind::<Text, _>(body)
            .get_result(&mut **tx);
    }
    let position: ChangePosition = diesel::update(event_clock::table.find(1i16))
        .set((
            event_clock::last_change.eq(event_clock::last_change + 1),
            event_clock::message_count.eq(event_clock::message_count + messages),
        ))
        .returning((event_clock::last_change, event_clock::last_id, event_clock::message_count))
        .get_result(&mut **tx)?;
    Ok(ChangePosition { message_offset: position.message_offset - messages, ..position })
}

/// Waits for the turn to publish. Rows are locked in the order players, clock, guilds: a transaction that changes guilds and
/// publishes calls this before it locks them.
pub fn lock_sequence(tx: &mut Tx) -> QueryResult<()> {
    if let AnyConn::Postgres(conn) = &mut **tx {
        event_clock::table.find(1i16).select(event_clock::id).for_no_key_update().first::<i16>(conn)?;
    }
    Ok(())
}

/// The position of the newest change and of the live feed.
pub fn newest(conn: &mut AnyConn) -> QueryResult<ChangePosition> {
    let columns = (event_clock::last_change, event_clock::last_id, event_clock::message_count);
    event_clock::table.find(1i16).select(columns).first(conn)
}

/// Changes after this id, oldest first.
pub fn after(conn: &mut AnyConn, id: i64, limit: i64) -> QueryResult<Vec<PublishedChange>> {
    let position = (changes::id, changes::event_id, changes::message_offset);
    let later = changes::table.filter(changes::id.gt(id)).order(changes::id).limit(limit);
    later.select((position, changes::body)).load(conn)
}

/// Parses a notification: the id, and the change if its body fits.
pub fn parse_notification(payload: &str) -> Option<(i64, Option<PublishedChange>)> {
    let mut parts = payload.splitn(4, ' ');
    let id = parts.next()?.parse().ok()?;
    let rest = (parts.next(), parts.next(), parts.next());
    let (Some(event_id), Some(message_offset), Some(body)) = rest else { return Some((id, None)) };
    let position =
        ChangePosition { id, event_id: event_id.parse().ok()?, message_offset: message_offset.parse().ok()? };
    Some((id, Some(PublishedChange { position, body: body.to_owned() })))
}

/// Completes entries of the log with the rows that they refer to.
pub fn read(store: &Store, entries: Vec<PublishedChange>) -> Result<Vec<RecordedChange>, ReadError> {
    let mut bodies: Vec<(ChangePosition, Change<IngestBody>)> = Vec::with_capacity(entries.len());
    for entry in entries {
        bodies.push((entry.position, serde_json::from_str(&entry.body)?));
    }
    let batches: Vec<_> = bodies
        .iter()
        .filter_map(|(position, body)| match body {
            Change::Ingest(batch) => Some((*position, batch.clone())),
            _ => None,
        })
        .collect();
    let batches =
        if batches.is_empty() { Vec::new() } else { store.read_blocking(|conn| ingest_change::read(conn, batches))? };
    let mut batches = batches.into_iter();
    let complete = |(position, body)| {
        let change = match body {
            Change::Ingest(_) => Change::Ingest(batches.next().unwrap_or_default()),
            Change::Entities(change) => Change::Entities(change),
            Change::Commits(ids) => Change::Commits(ids),
            Change::IngestKeys => Change::IngestKeys,
            Change::Rebuild => Change::Rebuild,
        };
        RecordedChange { position, change: Arc::new(change) }
    };
    Ok(bodies.into_iter().map(complete).collect())
}

/// Deletes changes that every process has received long ago; returns their number.
pub async fn delete_old(store: &Store) -> Result<usize, StoreError> {
    let before = clock::now().0 - RETENTION.as_millis() as i64;
    let delete =
        move |tx: &mut Tx| diesel::delete(changes::table.filter(changes::created_at.lt(before))).execute(&mut **tx);
    store.write(move |tx| delete(tx).map_err(StoreError::from)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notifications_contain_a_change_or_its_id() {
        let change = PublishedChange {
            position: ChangePosition { id: 7, event_id: 40, message_offset: 2 },
            body: r#"{"a b":"c d"}"#.into(),
        };
        assert_eq!(parse_notification(r#"7 40 2 {"a b":"c d"}"#), Some((7, Some(change))));
        assert_eq!(parse_notification("8"), Some((8, None)));
        assert_eq!(parse_notification(""), None);
        assert_eq!(parse_notification("x 1 2 {}"), None);
    }
}

//! Deliveries of outgoing webhooks, the position of each webhook, and received GitHub deliveries.

use diesel::prelude::*;

use super::conn::{AnyConn, bulk};
use super::schema::*;
use super::writer::Tx;

/// A delivery, pending or done; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = webhook_deliveries)]
pub struct DeliveryRow {
    pub id: i64,
    pub message_id: String,
    pub webhook: String,
    pub event: String,
    /// The JSON body; empty if `event_ids` is set.
    pub body: String,
    pub created_at: i64,
    pub next_at: i64,
    pub attempts: i32,
    pub status: Option<i32>,
    pub error: Option<String>,
    pub done_at: Option<i64>,
    pub is_delivered: bool,
    /// JSON array of event ids; their rows are rendered when the message is sent.
    pub event_ids: Option<String>,
}

/// The position of a webhook in the events.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = webhook_positions)]
pub struct WebhookRow {
    pub name: String,
    pub last_event_id: i64,
    pub disabled_reason: Option<String>,
}

/// Result of a delivery attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq, AsChangeset)]
#[diesel(table_name = webhook_deliveries, treat_none_as_null = true)]
pub struct AttemptOutcome {
    pub next_at: i64,
    pub attempts: i32,
    pub status: Option<i32>,
    pub error: Option<String>,
    pub done_at: Option<i64>,
    pub is_delivered: bool,
}

pub fn list(conn: &mut AnyConn) -> QueryResult<Vec<WebhookRow>> {
    webhook_positions::table.order(webhook_positions::name).select(WebhookRow::as_select()).load(conn)
}

/// Inserts webhooks that are new in the settings; they start at `last_event_id`.
pub fn insert_missing(tx: &mut Tx, names: &[String], last_event_id: i64) -> QueryResult<()> {
    bulk!(webhook_positions, names, |name| { name: name.as_str(), last_event_id: last_event_id })
        .on_conflict("webhook_positions", &["name"], &[])
        .execute(tx)?;
    Ok(())
}

/// Advances a webhook, unless its position has changed; returns whether it did.
pub fn advance(tx: &mut Tx, name: &str, from: i64, to: i64) -> QueryResult<bool> {
    use webhook_positions as p;
    let moved = diesel::update(p::table.find(name).filter(p::last_event_id.eq(from)))
        .set(p::last_event_id.eq(to))
        .execute(&mut **tx)?;
    Ok(moved == 1)
}

/// Disables a webhook with a reason, or enables it; events while it was disabled are skipped.
pub fn set_disabled(tx: &mut Tx, name: &str, reason: Option<&str>, last_event_id: i64) -> QueryResult<usize> {
    use webhook_positions as p;
    diesel::update(p::table.find(name))
        .set((p::disabled_reason.eq(reason), p::last_event_id.eq(last_event_id)))
        .execute(&mut **tx)
}

/// Queues a delivery: a JSON body, or a JSON array of event ids with an empty body. A body must not name players, because it does not
/// change when a profile is hidden.
pub fn enqueue(
    tx: &mut Tx,
    message_id: &str,
    webhook: &str,
    event: &str,
    body: &str,
    event_ids: Option<&str>,
    now: i64,
) -> QueryResult<()> {
    bulk!(webhook_deliveries, [()], |_| {
        message_id: message_id,
        webhook: webhook,
        event: event,
        body: body,
        event_ids: event_ids,
        created_at: now,
        next_at: now,
    })
    .execute(tx)?;
    Ok(())
}

/// Deliveries that are not done, oldest first.
pub fn list_pending(conn: &mut AnyConn) -> QueryResult<Vec<DeliveryRow>> {
    use webhook_deliveries as d;
    d::table.filter(d::done_at.is_null()).order(d::id).limit(1_000).select(DeliveryRow::as_select()).load(conn)
}

/// The newest deliveries, done or not.
pub fn newest(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<DeliveryRow>> {
    use webhook_deliveries as d;
    d::table.order(d::id.desc()).limit(limit).select(DeliveryRow::as_select()).load(conn)
}

/// Number of deliveries that are not done.
pub fn count_pending(conn: &mut AnyConn) -> QueryResult<i64> {
    webhook_deliveries::table.filter(webhook_deliveries::done_at.is_null()).count().get_result(conn)
}

pub fn record_attempt(tx: &mut Tx, id: i64, outcome: &AttemptOutcome) -> QueryResult<()> {
    diesel::update(webhook_deliveries::table.find(id)).set(outcome).execute(&mut **tx)?;
    Ok(())
}

/// Deletes a delivery of which nothing remains to be sent.
pub fn discard(tx: &mut Tx, id: i64) -> QueryResult<usize> {
    diesel::delete(webhook_deliveries::table.find(id)).execute(&mut **tx)
}

/// Resets a delivery, so that it is sent again; returns the number of changed rows.
pub fn redeliver(tx: &mut Tx, id: i64, now: i64) -> QueryResult<usize> {
    let reset = AttemptOutcome { next_at: now, ..AttemptOutcome::default() };
    diesel::update(webhook_deliveries::table.find(id)).set(&reset).execute(&mut **tx)
}

/// Deletes finished deliveries and received GitHub deliveries from before `at`.
pub fn delete_before(tx: &mut Tx, at: i64) -> QueryResult<()> {
    use webhook_deliveries as d;
    diesel::delete(d::table.filter(d::done_at.lt(at))).execute(&mut **tx)?;
    diesel::delete(github_deliveries::table.filter(github_deliveries::received_at.lt(at))).execute(&mut **tx)?;
    Ok(())
}

/// Whether a GitHub delivery was received before.
pub fn is_github_delivery_known(conn: &mut AnyConn, delivery: &str) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(github_deliveries::table.find(delivery))).get_result(conn)
}

/// Records a GitHub delivery; false if it was received before.
pub fn record_github_delivery(tx: &mut Tx, delivery: &str, now: i64) -> QueryResult<bool> {
    let taken = bulk!(github_deliveries, [()], |_| { id: delivery, received_at: now })
        .on_conflict("github_deliveries", &["id"], &[])
        .execute(tx)?;
    Ok(taken == 1)
}

//! What is told to outgoing webhooks, where each stands, and the deliveries of GitHub that were taken.

use diesel::prelude::*;

use super::conn::{AnyConn, bulk};
use super::schema::*;
use super::writer::Tx;

/// A delivery under way or done; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = webhook_deliveries)]
pub struct DeliveryRow {
    pub id: i64,
    pub message_id: String,
    pub webhook: String,
    pub event: String,
    /// JSON, as it is sent; empty when `event_ids` is set.
    pub body: String,
    pub made_at: i64,
    pub next_at: i64,
    pub tries: i32,
    pub status: Option<i32>,
    pub error: Option<String>,
    pub done_at: Option<i64>,
    pub is_taken: bool,
    /// JSON array of the ids of events; their rows are rendered when the message is sent.
    pub event_ids: Option<String>,
}

/// Where a webhook stands.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = webhook_places)]
pub struct WebhookRow {
    pub name: String,
    pub last_event_id: i64,
    pub disabled_reason: Option<String>,
}

/// What became of a try.
#[derive(Debug, Clone, Default, PartialEq, Eq, AsChangeset)]
#[diesel(table_name = webhook_deliveries, treat_none_as_null = true)]
pub struct AttemptOutcome {
    pub next_at: i64,
    pub tries: i32,
    pub status: Option<i32>,
    pub error: Option<String>,
    pub done_at: Option<i64>,
    pub is_taken: bool,
}

pub fn list(conn: &mut AnyConn) -> QueryResult<Vec<WebhookRow>> {
    webhook_places::table.order(webhook_places::name).select(WebhookRow::as_select()).load(conn)
}

/// Gives webhooks that are new in the settings a place: what happens from now on.
pub fn insert_missing(tx: &mut Tx, names: &[String], last_event_id: i64) -> QueryResult<()> {
    if names.is_empty() {
        return Ok(());
    }
    bulk!(webhook_places, names, |name| { name: name.as_str(), last_event_id: last_event_id })
        .on_conflict("webhook_places", &["name"], &[])
        .execute(tx)?;
    Ok(())
}

/// Moves a webhook on, unless somebody else did meanwhile; whether it did.
pub fn advance(tx: &mut Tx, name: &str, from: i64, to: i64) -> QueryResult<bool> {
    use webhook_places as p;
    let moved = diesel::update(p::table.find(name).filter(p::last_event_id.eq(from)))
        .set(p::last_event_id.eq(to))
        .execute(&mut **tx)?;
    Ok(moved == 1)
}

/// Switches a webhook off with a reason, or on; what happens while it is off is not told later.
pub fn set_disabled(tx: &mut Tx, name: &str, reason: Option<&str>, last_event_id: i64) -> QueryResult<usize> {
    use webhook_places as p;
    diesel::update(p::table.find(name))
        .set((p::disabled_reason.eq(reason), p::last_event_id.eq(last_event_id)))
        .execute(&mut **tx)
}

/// What a queued message is made of.
#[derive(Debug, Clone, Copy)]
pub enum MessageContent<'a> {
    /// JSON, as it is sent. It must not name a player, since hiding a profile does not reach it.
    Text(&'a str),
    /// JSON array of the ids of events.
    Events(&'a str),
}

/// Puts something on its way.
pub fn enqueue(
    tx: &mut Tx,
    message_id: &str,
    webhook: &str,
    event: &str,
    content: MessageContent<'_>,
    now: i64,
) -> QueryResult<()> {
    let (body, event_ids) = match content {
        MessageContent::Text(body) => (body, None),
        MessageContent::Events(ids) => ("", Some(ids)),
    };
    bulk!(webhook_deliveries, [()], |_| {
        message_id: message_id,
        webhook: webhook,
        event: event,
        body: body,
        event_ids: event_ids,
        made_at: now,
        next_at: now,
    })
    .execute(tx)?;
    Ok(())
}

/// All that is still to be delivered, oldest first.
pub fn list_pending(conn: &mut AnyConn) -> QueryResult<Vec<DeliveryRow>> {
    use webhook_deliveries as d;
    d::table.filter(d::done_at.is_null()).order(d::id).limit(1_000).select(DeliveryRow::as_select()).load(conn)
}

/// The newest deliveries, done or not.
pub fn newest(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<DeliveryRow>> {
    use webhook_deliveries as d;
    d::table.order(d::id.desc()).limit(limit).select(DeliveryRow::as_select()).load(conn)
}

/// How many deliveries wait.
pub fn count_pending(conn: &mut AnyConn) -> QueryResult<i64> {
    webhook_deliveries::table.filter(webhook_deliveries::done_at.is_null()).count().get_result(conn)
}

pub fn record_attempt(tx: &mut Tx, id: i64, outcome: &AttemptOutcome) -> QueryResult<()> {
    diesel::update(webhook_deliveries::table.find(id)).set(outcome).execute(&mut **tx)?;
    Ok(())
}

/// Removes a message from which nothing is left to send.
pub fn discard(tx: &mut Tx, id: i64) -> QueryResult<usize> {
    diesel::delete(webhook_deliveries::table.find(id)).execute(&mut **tx)
}

/// Sends something once more from the start; how many there are with that id.
pub fn redeliver(tx: &mut Tx, id: i64, now: i64) -> QueryResult<usize> {
    let anew = AttemptOutcome { next_at: now, ..AttemptOutcome::default() };
    diesel::update(webhook_deliveries::table.find(id)).set(&anew).execute(&mut **tx)
}

/// Forgets what was done, and what GitHub delivered, before a moment.
pub fn delete_before(tx: &mut Tx, at: i64) -> QueryResult<()> {
    use webhook_deliveries as d;
    diesel::delete(d::table.filter(d::done_at.lt(at))).execute(&mut **tx)?;
    diesel::delete(github_deliveries::table.filter(github_deliveries::taken_at.lt(at))).execute(&mut **tx)?;
    Ok(())
}

/// Whether a delivery of GitHub was noted.
pub fn is_github_delivery_known(conn: &mut AnyConn, delivery: &str) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(github_deliveries::table.find(delivery))).get_result(conn)
}

/// Notes a delivery of GitHub; false when it was noted before.
pub fn record_github_delivery(tx: &mut Tx, delivery: &str, now: i64) -> QueryResult<bool> {
    let taken = bulk!(github_deliveries, [()], |_| { id: delivery, taken_at: now })
        .on_conflict("github_deliveries", &["id"], &[])
        .execute(tx)?;
    Ok(taken == 1)
}

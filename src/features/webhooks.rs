//! Outgoing webhooks: signed requests to configured URLs, with retries and a delivery log.
//!
//! The queue stores event ids. The body is rendered for each attempt, so players who hide meanwhile are not named.

use std::time::Duration;

use serde_json::{Value, json};

use crate::app::App;
use crate::config::{Settings, Webhook};
use crate::domain::events::is_listed;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::error::AppError;
use crate::features::leases::Lease;
use crate::features::secret;
use crate::store::webhooks::{self, AttemptOutcome, DeliveryRow, WebhookRow};
use crate::store::{Store, activity, ingest};
use crate::upstream::http_client::Response;
use crate::upstream::webhooks::WebhookClient;
use crate::views::activity::Names;

/// The name of the job and of its lease.
pub const JOB: &str = "webhooks";
/// Longer than a call.
const LEASE_TTL: Duration = Duration::from_secs(30);
/// Feed rows per message.
const MAX_EVENTS_PER_MESSAGE: i64 = 100;
/// Delays after the first, second, … failed attempt. After the last, the delivery fails for good.
const RETRY_DELAYS_SECS: [i64; 9] = [5, 30, 120, 600, 1_800, 3_600, 7_200, 18_000, 36_000];
const LOG_RETENTION_MS: i64 = 7 * DAY_MS;

/// Sends queued deliveries while this process holds the lease.
pub struct WebhookSender {
    client: WebhookClient,
    lease: Lease,
}

impl WebhookSender {
    /// `None` if no webhook is configured.
    pub fn from_settings(settings: &Settings) -> Result<Option<Self>, AppError> {
        if settings.webhooks.is_empty() {
            return Ok(None);
        }
        let client = WebhookClient::new().map_err(AppError::internal)?;
        Ok(Some(Self { client, lease: Lease::new(JOB, LEASE_TTL) }))
    }

    /// Runs once: queues new feed rows, and sends the oldest delivery of each webhook.
    pub async fn run(&self, app: &App) -> Result<(), AppError> {
        let (positions, pending, last) = app
            .store
            .read(|conn| Ok((webhooks::list(conn)?, webhooks::list_pending(conn)?, ingest::last_id(conn)?)))
            .await?;
        let position_of = |name: &str| positions.iter().find(|position| position.name == name);
        let unknown = app.settings.webhooks.iter().filter(|hook| position_of(&hook.name).is_none());
        let new: Vec<String> = unknown.map(|hook| hook.name.clone()).collect();
        if !new.is_empty() {
            app.store.write(move |tx| webhooks::insert_missing(tx, &new, last).map_err(AppError::from)).await?;
        }
        let now = app.store.now().0;
        let is_due = |row: &DeliveryRow| row.next_at <= now;
        if !pending.iter().any(is_due) && !positions.iter().any(|position| position.last_event_id < last) {
            return Ok(());
        }
        for hook in &app.settings.webhooks {
            // A call may take a while, so the lease is extended before each.
            if self.lease.acquire(app).await?.is_none() {
                return Ok(());
            }
            let Some(position) = position_of(&hook.name) else { continue };
            let own = || pending.iter().filter(|row| row.webhook == hook.name);
            if subscribes(hook, "activity") && !own().any(|row| row.event == "activity") {
                enqueue_activity(&app.store, position).await?;
            }
            if position.disabled_reason.is_some() {
                // Tests are sent to disabled webhooks as well.
                if let Some(test) = own().find(|row| row.event == "test" && is_due(row)) {
                    self.send(app, hook, test).await?;
                }
                continue;
            }
            // One delivery at a time, so an unreachable receiver gets one request per retry.
            let first = own().find(|row| row.event == "test").or_else(|| own().next());
            if let Some(row) = first.filter(|row| is_due(row)) {
                self.send(app, hook, row).await?;
            }
        }
        self.lease.release(app).await
    }

    async fn send(&self, app: &App, hook: &Webhook, row: &DeliveryRow) -> Result<(), AppError> {
        let Some(text) = render(&app.store, row).await? else {
            let id = row.id;
            return app.store.write(move |tx| webhooks::discard(tx, id).map(drop).map_err(AppError::from)).await;
        };
        let sent = self.client.send(&hook.url, hook.secret.reveal(), &row.message_id, app.store.now(), &text).await;
        let (now, attempts) = (app.store.now().0, row.attempts + 1);
        let response = sent.as_ref().ok();
        let status = response.map(|response| i32::from(response.status));
        let is_delivered = response.is_some_and(|response| (200..300).contains(&response.status));
        let is_gone = status == Some(410);
        // A test is not retried.
        let wait_secs =
            RETRY_DELAYS_SECS.get(usize::try_from(row.attempts).unwrap_or(usize::MAX)).filter(|_| row.event != "test");
        let retry_after_secs =
            response.and_then(Response::retry_after).map_or(0, |delay| delay.as_secs().cast_signed());
        let next_at = now + wait_secs.copied().unwrap_or(0).max(retry_after_secs) * 1_000;
        let done_at = (is_delivered || is_gone || wait_secs.is_none()).then_some(now);
        let error = sent.err().map(|error| error.to_string());
        let outcome = AttemptOutcome { next_at, attempts, status, error, done_at, is_delivered };
        if done_at.is_some() && !is_delivered {
            tracing::warn!(webhook = hook.name, status, "a webhook delivery failed");
            let message = format!("The webhook {} rejected a message of type {}.", hook.name, row.event);
            app.diagnostics.record_error("WEBHOOK", message);
        }
        let (id, name) = (row.id, hook.name.clone());
        app.store
            .write(move |tx| {
                webhooks::record_attempt(tx, id, &outcome)?;
                if is_gone {
                    let last = ingest::last_id(tx)?;
                    webhooks::set_disabled(tx, &name, Some("The receiver responded 410 Gone."), last)?;
                }
                Ok::<_, AppError>(())
            })
            .await
    }
}

/// Renders the body of a delivery from the current state of its events; `None` if none of them is still visible.
async fn render(store: &Store, row: &DeliveryRow) -> Result<Option<String>, AppError> {
    let Some(ids) = &row.event_ids else { return Ok(Some(row.body.clone())) };
    let ids: Vec<i64> = serde_json::from_str(ids).map_err(AppError::internal)?;
    let rows = store
        .read(move |conn| {
            let events = activity::find_many(conn, &ids)?;
            let names = Names::read(conn, &events)?;
            let shown = events.iter().filter(|event| names.is_visible(event));
            Ok(shown.filter_map(|event| serde_json::to_value(names.row(event)).ok()).collect::<Vec<Value>>())
        })
        .await?;
    let created_at = EpochMillis(row.created_at);
    Ok((!rows.is_empty()).then(|| body(&row.event, &json!({ "events": rows }), created_at)))
}

/// Queues the feed rows after a webhook's position, and advances the position.
async fn enqueue_activity(store: &Store, position: &WebhookRow) -> Result<(), AppError> {
    let from = position.last_event_id;
    let (ids, to) = store
        .read(move |conn| {
            let events = activity::after(conn, from, MAX_EVENTS_PER_MESSAGE)?;
            let names = Names::read(conn, &events)?;
            let shown = events.iter().filter(|e| is_listed(e.category) && e.is_news() && names.is_visible(e));
            let ids: Vec<i64> = shown.map(|event| event.id).collect();
            Ok((ids, events.last().map_or(from, |event| event.id)))
        })
        .await?;
    if to == from {
        return Ok(());
    }
    let (name, is_off, now) = (position.name.clone(), position.disabled_reason.is_some(), store.now());
    let message_id = message_id()?;
    let ids =
        if ids.is_empty() || is_off { None } else { Some(serde_json::to_string(&ids).map_err(AppError::internal)?) };
    store
        .write(move |tx| {
            if webhooks::advance(tx, &name, from, to)?
                && let Some(ids) = &ids
            {
                webhooks::enqueue(tx, &message_id, &name, "activity", "", Some(ids), now.0)?;
            }
            Ok::<_, AppError>(())
        })
        .await
}

fn body(kind: &str, data: &Value, created_at: EpochMillis) -> String {
    json!({ "type": kind, "timestamp": created_at.secs(), "data": data }).to_string()
}

fn message_id() -> Result<String, AppError> {
    secret::hex::<16>().map(|digits| format!("msg_{digits}")).map_err(AppError::internal)
}

fn subscribes(hook: &Webhook, kind: &str) -> bool {
    hook.events.iter().any(|event| event == kind)
}

/// Queues a message for every enabled webhook that subscribes to `kind`.
async fn enqueue(app: &App, kind: &'static str, data: Value) -> Result<(), AppError> {
    let subscribers = app.settings.webhooks.iter().filter(|hook| subscribes(hook, kind));
    let messages = subscribers.map(|hook| Ok((hook.name.clone(), message_id()?)));
    let messages = messages.collect::<Result<Vec<(String, String)>, AppError>>()?;
    if messages.is_empty() {
        return Ok(());
    }
    let now = app.store.now();
    let body = body(kind, &data, now);
    app.store
        .write(move |tx| {
            let hooks = webhooks::list(tx)?;
            let is_off = |name: &str| hooks.iter().any(|hook| hook.name == name && hook.disabled_reason.is_some());
            for (name, id) in messages.iter().filter(|(name, _)| !is_off(name)) {
                webhooks::enqueue(tx, id, name, kind, &body, None, now.0)?;
            }
            Ok::<_, AppError>(())
        })
        .await
}

/// Queues a message about new commits.
pub async fn enqueue_commits(app: &App, commits: Vec<Value>) -> Result<(), AppError> {
    enqueue(app, "commit", json!({ "commits": commits })).await
}

/// Queues a message about a problem for the admin.
pub async fn enqueue_note(app: &App, about: &str, sentence: String) -> Result<(), AppError> {
    enqueue(app, "note", json!({ "about": about, "sentence": sentence })).await
}

fn unknown(name: &str) -> AppError {
    AppError::NotFound(format!("No webhook '{name}' is configured."))
}

/// Queues a test message for a webhook.
pub async fn test(app: &App, name: &str) -> Result<(), AppError> {
    let hook = app.settings.webhooks.iter().find(|hook| hook.name == name).ok_or_else(|| unknown(name))?;
    let now = app.store.now();
    let body = body("test", &json!({ "sentence": format!("A test from {}.", app.settings.site.name) }), now);
    let (id, name) = (message_id()?, hook.name.clone());
    app.store
        .write(move |tx| webhooks::enqueue(tx, &id, &name, "test", &body, None, now.0).map_err(AppError::from))
        .await?;
    app.diagnostics.jobs.trigger(JOB);
    Ok(())
}

/// Enables or disables a webhook.
pub async fn set_enabled(store: &Store, name: &str, is_on: bool) -> Result<(), AppError> {
    let wanted = name.to_owned();
    let count = store
        .write(move |tx| {
            let last = ingest::last_id(tx)?;
            let reason = (!is_on).then_some("Switched off by an admin.");
            webhooks::set_disabled(tx, &wanted, reason, last).map_err(AppError::from)
        })
        .await?;
    if count == 0 { Err(unknown(name)) } else { Ok(()) }
}

/// Sends a delivery again.
pub async fn retry_delivery(app: &App, id: i64) -> Result<(), AppError> {
    let now = app.store.now().0;
    let count = app.store.write(move |tx| webhooks::redeliver(tx, id, now).map_err(AppError::from)).await?;
    app.diagnostics.jobs.trigger(JOB);
    if count == 0 { Err(AppError::NotFound("Unknown delivery.".into())) } else { Ok(()) }
}

/// Deletes log entries older than a week.
pub async fn delete_old_deliveries(store: &Store) -> Result<(), AppError> {
    let before = store.now().0 - LOG_RETENTION_MS;
    store.write(move |tx| webhooks::delete_before(tx, before).map_err(AppError::from)).await
}

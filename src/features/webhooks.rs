//! Outgoing webhooks: what happened here goes to addresses of the settings, signed, again until it is taken, with a log.
//! The queue holds ids of events; their text is made for each try, so that hidden players are not named.

use serde_json::{Value, json};

use crate::app::App;
use crate::config::Webhook;
use crate::diagnostics::ErrorEntry;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::error::AppError;
use crate::features::activity::names;
use crate::features::commits::USER_AGENT;
use crate::features::secret;
use crate::store::statsfeed::{acquire_lease, release_lease};
use crate::store::webhooks::{self, AttemptOutcome, DeliveryRow, MessageContent, WebhookRow};
use crate::store::{activity, ingest};
use crate::upstream::webhooks::WebhookClient;

/// The name of the job and of its lease.
pub const JOB: &str = "webhooks";
const LEASE_MS: i64 = 30_000;
/// How many rows of the feed one call tells.
const MAX_EVENTS_PER_MESSAGE: i64 = 100;
/// Waits after the first, second, … try that failed, in seconds; after the last it is given up.
const RETRY_DELAYS_SECS: [i64; 9] = [5, 30, 120, 600, 1_800, 3_600, 7_200, 18_000, 36_000];
/// How long the log is kept.
const LOG_RETENTION_MS: i64 = 7 * DAY_MS;

/// Sends what waits; of all processes, the one with the lease does.
pub struct WebhookSender {
    client: WebhookClient,
}

impl WebhookSender {
    /// `None` when the settings name no webhook.
    pub fn of(app: &App) -> Result<Option<Self>, AppError> {
        if app.settings.webhooks.is_empty() {
            return Ok(None);
        }
        WebhookClient::new(USER_AGENT).map(|client| Some(Self { client })).map_err(AppError::internal)
    }

    /// One look: new rows of the feed are put on their way, and the oldest of each webhook is sent.
    pub async fn run(&self, app: &App) -> Result<(), AppError> {
        let (places, open, last) = app
            .store
            .read(|conn| Ok((webhooks::list(conn)?, webhooks::list_pending(conn)?, ingest::last_id(conn)?)))
            .await?;
        let known = |name: &str| places.iter().find(|place| place.name == name);
        let new: Vec<String> =
            app.settings.webhooks.iter().filter(|hook| known(&hook.name).is_none()).map(|h| h.name.clone()).collect();
        if !new.is_empty() {
            app.store.write(move |tx| webhooks::insert_missing(tx, &new, last).map_err(AppError::from)).await?;
        }
        let now = App::now().0;
        let is_due = |row: &DeliveryRow| row.next_at <= now;
        if !open.iter().any(is_due) && !places.iter().any(|place| place.last_event_id < last) {
            return Ok(());
        }
        for hook in &app.settings.webhooks {
            // Anew for each, since each may take a while.
            if !keep_lease(app).await? {
                return Ok(());
            }
            let Some(place) = known(&hook.name) else { continue };
            let mine = || open.iter().filter(|row| row.webhook == hook.name);
            if hook.events.iter().any(|event| event == "activity") && !mine().any(|row| row.event == "activity") {
                enqueue_activity(app, place).await?;
            }
            if place.disabled_reason.is_some() {
                // A test is how an admin finds out whether it works again.
                if let Some(test) = mine().find(|row| row.event == "test" && is_due(row)) {
                    self.send(app, hook, test).await?;
                }
                continue;
            }
            // One at a time: an address that is down is not asked once for each that waits.
            let first = mine().find(|row| row.event == "test").or_else(|| mine().next());
            if let Some(row) = first.filter(|row| is_due(row)) {
                self.send(app, hook, row).await?;
            }
        }
        let holder = app.process.clone();
        app.store.write(move |tx| release_lease(tx, JOB, &holder).map_err(AppError::from)).await
    }

    async fn send(&self, app: &App, hook: &Webhook, row: &DeliveryRow) -> Result<(), AppError> {
        let Some(text) = rendered(app, row).await? else {
            let id = row.id;
            return app.store.write(move |tx| webhooks::discard(tx, id).map(drop).map_err(AppError::from)).await;
        };
        let sent = self.client.send(&hook.url, hook.secret.reveal(), &row.message_id, App::now(), &text).await;
        let (now, tries) = (App::now().0, row.tries + 1);
        let told = sent.as_ref().ok().copied();
        let status = told.map(|told| i32::from(told.status));
        let is_taken = told.is_some_and(|told| (200..300).contains(&told.status));
        let is_gone = status == Some(410);
        // A test is one try.
        let wait_secs =
            RETRY_DELAYS_SECS.get(usize::try_from(row.tries).unwrap_or(usize::MAX)).filter(|_| row.event != "test");
        let asked = told.and_then(|told| told.retry_after_secs).and_then(|secs| i64::try_from(secs).ok()).unwrap_or(0);
        let next_at = now + wait_secs.copied().unwrap_or(0).max(asked.min(86_400)) * 1_000;
        let done_at = (is_taken || is_gone || wait_secs.is_none()).then_some(now);
        let error = sent.err().map(|error| error.to_string());
        let outcome = AttemptOutcome { next_at, tries, status, error, done_at, is_taken };
        if done_at.is_some() && !is_taken {
            tracing::warn!(webhook = hook.name, status, "a webhook did not take what it was told");
            let message = format!("The webhook {} did not take a message of kind {}.", hook.name, row.event);
            let code = "WEBHOOK".into();
            app.diagnostics.errors.add(ErrorEntry { at: App::now(), code, message, request_id: None, path: None });
        }
        let (id, name) = (row.id, hook.name.clone());
        app.store
            .write(move |tx| {
                webhooks::record_attempt(tx, id, &outcome)?;
                if is_gone {
                    let last = ingest::last_id(tx)?;
                    webhooks::set_disabled(tx, &name, Some("It answered that it is gone (410)."), last)?;
                }
                Ok::<_, AppError>(())
            })
            .await
    }
}

/// Whether this process may send.
async fn keep_lease(app: &App) -> Result<bool, AppError> {
    let (holder, now) = (app.process.clone(), App::now().0);
    let taken =
        app.store.write(move |tx| acquire_lease(tx, JOB, &holder, now, now + LEASE_MS).map_err(AppError::from)).await?;
    Ok(taken.is_some())
}

/// The body of a message. Rows of the feed are read again for each try, so that a player who hides in the meantime is
/// not named; `None` when nothing of them is visible any more.
async fn rendered(app: &App, row: &DeliveryRow) -> Result<Option<String>, AppError> {
    let Some(ids) = &row.event_ids else { return Ok(Some(row.body.clone())) };
    let ids: Vec<i64> = serde_json::from_str(ids).map_err(AppError::internal)?;
    let rows = app
        .store
        .read(move |conn| {
            let events = activity::find_many(conn, &ids)?;
            let names = names(conn, &events)?;
            let shown = events.iter().filter(|event| names.is_visible(event));
            Ok(shown.filter_map(|event| serde_json::to_value(names.row(event)).ok()).collect::<Vec<Value>>())
        })
        .await?;
    let made_at = EpochMillis(row.made_at);
    Ok((!rows.is_empty()).then(|| body(&row.event, &json!({ "events": rows }), made_at)))
}

/// Puts the rows of the feed after a place on their way.
async fn enqueue_activity(app: &App, place: &WebhookRow) -> Result<(), AppError> {
    let from = place.last_event_id;
    let (ids, to) = app
        .store
        .read(move |conn| {
            let events = activity::after(conn, from, MAX_EVENTS_PER_MESSAGE)?;
            let names = names(conn, &events)?;
            let shown = events.iter().filter(|e| e.category != activity::CONNECTION_CATEGORY && names.is_visible(e));
            let ids: Vec<i64> = shown.map(|event| event.id).collect();
            Ok((ids, events.last().map_or(from, |event| event.id)))
        })
        .await?;
    if to == from {
        return Ok(());
    }
    let (name, is_off, now) = (place.name.clone(), place.disabled_reason.is_some(), App::now());
    let message_id = message_id()?;
    let ids =
        if ids.is_empty() || is_off { None } else { Some(serde_json::to_string(&ids).map_err(AppError::internal)?) };
    app.store
        .write(move |tx| {
            if webhooks::advance(tx, &name, from, to)?
                && let Some(ids) = &ids
            {
                webhooks::enqueue(tx, &message_id, &name, "activity", MessageContent::Events(ids), now.0)?;
            }
            Ok::<_, AppError>(())
        })
        .await
}

fn body(kind: &str, data: &Value, made_at: EpochMillis) -> String {
    json!({ "type": kind, "timestamp": made_at.secs(), "data": data }).to_string()
}

fn message_id() -> Result<String, AppError> {
    secret::hex::<16>().map(|digits| format!("msg_{digits}")).map_err(AppError::internal)
}

/// Puts something on its way to every webhook that is told of such events and is on.
async fn enqueue(app: &App, kind: &'static str, data: Value) -> Result<(), AppError> {
    let wants = |hook: &&Webhook| hook.events.iter().any(|event| event == kind);
    let names: Vec<String> = app.settings.webhooks.iter().filter(wants).map(|hook| hook.name.clone()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let now = App::now();
    let (body, now) = (body(kind, &data, now), now.0);
    let ids = names.iter().map(|_| message_id()).collect::<Result<Vec<_>, _>>()?;
    app.store
        .write(move |tx| {
            let off: Vec<String> =
                webhooks::list(tx)?.into_iter().filter(|p| p.disabled_reason.is_some()).map(|p| p.name).collect();
            for (name, id) in names.iter().zip(&ids).filter(|(name, _)| !off.contains(name)) {
                webhooks::enqueue(tx, id, name, kind, MessageContent::Text(&body), now)?;
            }
            Ok::<_, AppError>(())
        })
        .await
}

/// Tells of new commits.
pub async fn enqueue_commits(app: &App, commits: Vec<Value>) -> Result<(), AppError> {
    enqueue(app, "commit", json!({ "commits": commits })).await
}

/// Tells of what an admin should look at.
pub async fn enqueue_note(app: &App, about: &str, sentence: String) -> Result<(), AppError> {
    enqueue(app, "note", json!({ "about": about, "sentence": sentence })).await
}

fn unknown(name: &str) -> AppError {
    AppError::NotFound(format!("There is no webhook '{name}' in the settings."))
}

/// Sends a test to a webhook of the settings.
pub async fn test(app: &App, name: &str) -> Result<(), AppError> {
    let hook = app.settings.webhooks.iter().find(|hook| hook.name == name).ok_or_else(|| unknown(name))?;
    let now = App::now();
    let body = body("test", &json!({ "sentence": format!("A test from {}.", app.settings.site.name) }), now);
    let (id, name) = (message_id()?, hook.name.clone());
    app.store
        .write(move |tx| {
            webhooks::enqueue(tx, &id, &name, "test", MessageContent::Text(&body), now.0).map_err(AppError::from)
        })
        .await?;
    app.diagnostics.jobs.trigger(JOB);
    Ok(())
}

/// Switches a webhook on or off.
pub async fn set_enabled(app: &App, name: &str, is_on: bool) -> Result<(), AppError> {
    let wanted = name.to_owned();
    let count = app
        .store
        .write(move |tx| {
            let last = ingest::last_id(tx)?;
            let reason = (!is_on).then_some("Switched off by an admin.");
            webhooks::set_disabled(tx, &wanted, reason, last).map_err(AppError::from)
        })
        .await?;
    if count == 0 { Err(unknown(name)) } else { Ok(()) }
}

/// Sends something once more.
pub async fn retry_delivery(app: &App, id: i64) -> Result<(), AppError> {
    let now = App::now().0;
    let count = app.store.write(move |tx| webhooks::redeliver(tx, id, now).map_err(AppError::from)).await?;
    app.diagnostics.jobs.trigger(JOB);
    if count == 0 { Err(AppError::NotFound("There is no such delivery.".into())) } else { Ok(()) }
}

/// Forgets the log of more than a week ago.
pub async fn delete_old_deliveries(app: &App) -> Result<(), AppError> {
    let before = App::now().0 - LOG_RETENTION_MS;
    app.store.write(move |tx| webhooks::delete_before(tx, before).map_err(AppError::from)).await
}

//! Sections of the admin page: each has a summary, figures and rows.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{rosters, secrets};
use crate::app::App;
use crate::diagnostics::JobStats;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::error::AppError;
use crate::store::statsfeed::FeedRow;
use crate::store::webhooks::{DeliveryRow, WebhookRow};
use crate::store::{
    Store, database_size, ingest, keys, leases, newest_migration, reader, sessions, statsfeed, users, webhooks,
};
use crate::upstream::discord::Discord;
use crate::views::admin::{AdminAction, AdminFact, AdminRow, AdminSection, Cell, Tone};

/// Rows per section: deliveries, sessions, lines.
const MAX_ROWS: i64 = 20;
/// SQLite checkpoints its write-ahead log at 16 MB, unless a long read prevents it.
const WAL_WARNING_BYTES: i64 = 256 << 20;

/// All sections, in the order of the page. One that cannot be read contains its error.
pub async fn all(app: &App) -> Vec<AdminSection> {
    let sections = [
        ("database", "Database", database(app).await),
        ("index", "Search index", Ok(index(app))),
        ("upstreams", "Upstreams", Ok(upstreams(app))),
        ("queues", "Queues", queues(app).await),
        ("jobs", "Jobs", Ok(jobs(app))),
        ("statsfeed", "StatsFeed channels", feeds(app).await),
        ("webhooks", "Outgoing webhooks", webhooks_section(app).await),
        ("webhook-log", "Webhook log", webhook_log(app).await),
        ("rosters", "Guild rosters", rosters::section(app).await),
        ("sessions", "Sessions", sessions_section(app).await),
        ("keys", "Ingest keys", ingest_keys(&app.store).await),
        ("reader", "Lines unknown to readers", unknown_lines(&app.store).await),
    ];
    let named = sections.into_iter().map(|(id, title, section)| {
        let broken = |error| AdminSection::new(Tone::Error, format!("This section cannot be read. {error}"));
        AdminSection { id, title, ..section.unwrap_or_else(broken) }
    });
    named.collect()
}

fn non_empty(text: Option<&str>) -> Option<Cell> {
    text.filter(|text| !text.is_empty()).map(Cell::from)
}

async fn database(app: &App) -> Result<AdminSection, AppError> {
    let began = Instant::now();
    let last = app.store.read(ingest::last_id).await?;
    let took = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
    let bytes = app.store.read(database_size::total_bytes).await?;
    let kind = if app.store.is_postgres() { "PostgreSQL" } else { "SQLite" };
    let log = database_size::wal_bytes(&app.settings.database_url);
    let problem = match log {
        Some(bytes) if bytes > WAL_WARNING_BYTES => {
            Some("The write-ahead log is large: a read has been open for minutes.")
        }
        _ if took > 1_000 => Some("Reads are slow."),
        _ => None,
    };
    let mut facts = vec![
        AdminFact::new("Kind", kind),
        AdminFact::new("Size", bytes).with_unit("bytes"),
        AdminFact::new("Time of a read", took).with_unit("ms"),
        AdminFact::new("Migration", newest_migration()),
        AdminFact::new("Events", last),
        AdminFact::new("Players", app.projections.players().count()),
        AdminFact::new("Guilds", app.projections.guilds().count()),
    ];
    facts.extend(log.map(|bytes| AdminFact::new("Write-ahead log", bytes).with_unit("bytes")));
    let tone = if problem.is_some() { Tone::Warn } else { Tone::Ok };
    Ok(AdminSection::new(tone, problem.unwrap_or("The database responds.")).with_facts(facts))
}

fn index(app: &App) -> AdminSection {
    let (tone, summary) = if app.process.is_ready() {
        (Tone::Ok, "The index is open.")
    } else {
        (Tone::Warn, "The index is being opened or built.")
    };
    AdminSection::new(tone, summary).with_facts(vec![
        AdminFact::new("Entries", app.projections.search().len() as i64),
        AdminFact::new("Not yet on disk", app.projections.search().pending() as i64),
    ])
}

fn upstreams(app: &App) -> AdminSection {
    let secs = |time: Duration| time.as_secs() + u64::from(time.subsec_nanos() > 0);
    let (discord, rejected) = match app.discord.bot.as_ref().map(Discord::state) {
        None => (Ok("not configured".into()), None),
        Some(state) => {
            let backoff = state.blocked_for.max(state.breaker_open_for);
            let status = if !state.blocked_for.is_zero() {
                Err(format!("rate limited for {} s", secs(state.blocked_for)))
            } else if !backoff.is_zero() {
                Err(format!("failing; next attempt in {} s", secs(backoff)))
            } else {
                Ok("ok".into())
            };
            (status, Some(format!("{} rejected calls in ten minutes", state.invalid_requests)))
        }
    };
    let paused = app.game_site.paused_for();
    let site = if paused.is_zero() { Ok("ok".into()) } else { Err(format!("paused for {} s", secs(paused))) };
    let repos = &app.settings.github.repos;
    let poll = app.diagnostics.jobs.all().into_iter().find(|(name, _)| *name == "commits").map(|(_, note)| note);
    let github = match poll {
        _ if repos.is_empty() => Ok("no repository configured".into()),
        Some(JobStats { last_error: Some(error), .. }) => Err(secrets::redact(&app.settings, &error)),
        Some(note) if note.last_at.is_some() => Ok("ok".into()),
        _ => Ok("not polled yet".into()),
    };
    let all: [(&str, Result<String, String>, Option<String>); 3] = [
        ("Discord", discord, rejected),
        ("Game site", site, Some(secrets::host(&app.settings.game_site_url))),
        ("GitHub", github, (!repos.is_empty()).then(|| repos.join(", "))),
    ];
    let (tone, summary) = if all.iter().all(|(_, state, _)| state.is_ok()) {
        (Tone::Ok, "All upstreams respond.")
    } else {
        (Tone::Warn, "An upstream has a problem.")
    };
    let rows = all.map(|(name, state, more)| {
        let state = state.unwrap_or_else(|problem| problem);
        (vec![Some(name.into()), Some(state.into()), more.map(Cell::from)], Vec::new())
    });
    AdminSection::new(tone, summary).with_rows(&["Name", "State", "More"], rows)
}

async fn queues(app: &App) -> Result<AdminSection, AppError> {
    let (feeds, hooks) = app.store.read(|conn| Ok((statsfeed::list(conn)?, webhooks::count_pending(conn)?))).await?;
    let posts = feeds.iter().filter(|(.., outbox)| outbox.is_some()).count() as i64;
    Ok(AdminSection::new(Tone::Ok, "Pending work.").with_facts(vec![
        AdminFact::new("Messages to Discord", posts),
        AdminFact::new("Webhook deliveries", hooks),
        AdminFact::new("Search entries", app.projections.search().pending() as i64),
        AdminFact::new("Open live streams", app.projections.live().subscriber_count() as i64),
        AdminFact::new("Free upload slots", app.uploads.slots.available_permits() as i64),
    ]))
}

fn jobs(app: &App) -> AdminSection {
    let all = app.diagnostics.jobs.all();
    let failing = all.iter().filter(|(_, note)| note.last_error.is_some()).count();
    let rows = all.iter().map(|(name, note)| {
        let cells = vec![
            Some((*name).into()),
            note.last_at.map(|at| Cell::time(at.0)),
            Some((note.last_ms as i64).into()),
            Some((note.runs as i64).into()),
            Some((note.failures as i64).into()),
            note.last_error.as_deref().map(|error| secrets::redact(&app.settings, error).into()),
        ];
        (cells, vec![AdminAction { label: "Run now", path: format!("/api/admin/jobs/{name}/run") }])
    });
    let (tone, summary) = match failing {
        0 => (Tone::Ok, "The last run of each job succeeded.".to_owned()),
        1 => (Tone::Warn, "The last run of one job failed.".to_owned()),
        n => (Tone::Warn, format!("The last runs of {n} jobs failed.")),
    };
    AdminSection::new(tone, summary).with_rows(&["Job", "Last run", "ms", "Runs", "Failed", "Error"], rows)
}

async fn feeds(app: &App) -> Result<AdminSection, AppError> {
    let (feeds, lease, last) = app
        .store
        .read(|conn| {
            let lease = leases::find(conn, crate::features::statsfeed::JOB)?;
            Ok((statsfeed::list(conn)?, lease, ingest::last_id(conn)?))
        })
        .await?;
    let off = feeds.iter().filter(|(channel, ..)| channel.disabled_reason.is_some()).count();
    let is_configured = app.settings.discord.bot_token.is_some();
    let mut facts = Vec::new();
    if let Some(lease) = lease {
        let now = app.store.now().0;
        let holder = if lease.expires_at > now { "a process" } else { "none" };
        facts.push(AdminFact::new("Lease held by", holder));
        let pause = if lease.paused_until > now { Cell::time(lease.paused_until) } else { "not paused".into() };
        facts.push(AdminFact::new("Paused until", pause));
    }
    facts.push(AdminFact::new("Servers of the bot", app.discord.server_count.load(Ordering::Relaxed)));
    let (tone, summary) = match (is_configured, feeds.len(), off) {
        (false, ..) => (Tone::Off, "No bot token is set.".to_owned()),
        (true, 0, _) => (Tone::Ok, "No channel is subscribed.".to_owned()),
        (true, n, 0) => (Tone::Ok, format!("All {n} are on.")),
        (true, n, off) => (Tone::Warn, format!("{off} of {n} are off.")),
    };
    let heads = ["Channel", "Server", "Kind", "State", "Last post", "Events behind"];
    let rows = feeds.iter().map(|feed| feed_row(feed, last));
    Ok(AdminSection::new(tone, summary).with_facts(facts).with_rows(&heads, rows))
}

fn feed_row((channel, outbox): &FeedRow, last: i64) -> AdminRow {
    let status = match (&channel.disabled_reason, &channel.last_error, outbox) {
        (Some(why), ..) => format!("off: {why}"),
        (None, Some(error), _) => format!("delayed: {error}"),
        (None, None, Some(_)) => "message queued".into(),
        (None, None, None) => "on".into(),
    };
    let cells = vec![
        Some(channel.channel_id.as_str().into()),
        Some(channel.server_id.as_str().into()),
        Some(channel.kind.as_str().into()),
        Some(status.into()),
        channel.posted_at.map(Cell::time),
        Some((last - channel.last_event_id).max(0).into()),
    ];
    let (label, switch) = switch(channel.disabled_reason.is_some());
    (cells, vec![AdminAction { label, path: format!("/api/admin/statsfeed/{}/{switch}", channel.id) }])
}

/// The label and the path of the action that changes whether something is off.
fn switch(is_off: bool) -> (&'static str, &'static str) {
    if is_off { ("Switch on", "on") } else { ("Switch off", "off") }
}

async fn webhooks_section(app: &App) -> Result<AdminSection, AppError> {
    let positions: Vec<WebhookRow> = app.store.read(webhooks::list).await?;
    let hooks = &app.settings.webhooks;
    let off = |name: &str| {
        positions.iter().find(|position| position.name == name).and_then(|position| position.disabled_reason.clone())
    };
    let rows = hooks.iter().map(|hook| {
        let why = off(&hook.name);
        let (label, switch) = switch(why.is_some());
        let act = |label, act: &str| AdminAction { label, path: format!("/api/admin/webhooks/{}/{act}", hook.name) };
        let cells = vec![
            Some(hook.name.as_str().into()),
            Some(secrets::host(&hook.url).into()),
            Some(hook.events.join(", ").into()),
            Some(why.map_or_else(|| "on".to_owned(), |why| format!("off: {why}")).into()),
        ];
        (cells, vec![act("Send a test", "test"), act(label, switch)])
    });
    let is_off = hooks.iter().any(|hook| off(&hook.name).is_some());
    let (tone, summary) = match hooks.len() {
        0 => (Tone::Off, "No webhook is configured."),
        _ if is_off => (Tone::Warn, "A webhook is off."),
        _ => (Tone::Ok, "All are on."),
    };
    Ok(AdminSection::new(tone, summary).with_rows(&["Name", "Host", "Events", "State"], rows))
}

async fn webhook_log(app: &App) -> Result<AdminSection, AppError> {
    let newest: Vec<DeliveryRow> = app.store.read(|conn| webhooks::newest(conn, MAX_ROWS)).await?;
    let failed = newest.iter().filter(|row| row.done_at.is_some() && !row.is_delivered).count();
    let rows = newest.iter().map(|row| {
        let state = match (row.done_at, row.is_delivered) {
            (_, true) => "delivered".to_owned(),
            (Some(_), false) => "failed".to_owned(),
            (None, false) if row.attempts == 0 => "queued".to_owned(),
            (None, false) => "will be retried".to_owned(),
        };
        let cells = vec![
            Some(Cell::time(row.created_at)),
            Some(row.webhook.as_str().into()),
            Some(row.event.as_str().into()),
            Some(state.into()),
            Some(i64::from(row.attempts).into()),
            row.status.map(|status| i64::from(status).into()),
            non_empty(row.error.as_deref().map(|error| secrets::redact(&app.settings, error)).as_deref()),
        ];
        let again = AdminAction { label: "Send again", path: format!("/api/admin/deliveries/{}/again", row.id) };
        (cells, row.done_at.map(|_| again).into_iter().collect())
    });
    let (tone, summary) = match (newest.len(), failed) {
        (0, _) if app.settings.webhooks.is_empty() => (Tone::Off, "No webhook is configured.".to_owned()),
        (0, _) => (Tone::Ok, "No deliveries yet.".to_owned()),
        (_, 0) => (Tone::Ok, "The newest 20 deliveries; the log covers a week.".to_owned()),
        (_, n) => (Tone::Warn, format!("{n} of the newest 20 deliveries failed.")),
    };
    let heads = ["When", "Webhook", "Event", "State", "Tries", "Status", "Error"];
    Ok(AdminSection::new(tone, summary).with_rows(&heads, rows))
}

async fn sessions_section(app: &App) -> Result<AdminSection, AppError> {
    let EpochMillis(now) = app.store.now();
    let ((alive, fresh), (users, owners, guild_owners), signed_in) = app
        .store
        .read(move |conn| {
            Ok((sessions::counts(conn, now - DAY_MS)?, users::counts(conn)?, sessions::signed_in(conn, MAX_ROWS)?))
        })
        .await?;
    // Discord names are left out: admins copy this page into reports.
    let rows = signed_in.iter().map(|row| {
        let cells = vec![
            Some(row.user_id.into()),
            non_empty(row.handle.as_deref()),
            Some(row.sessions.into()),
            Some(Cell::time(row.refreshed_at)),
        ];
        let path = format!("/api/admin/users/{}/sign-out", row.user_id);
        (cells, vec![AdminAction { label: "Sign out", path }])
    });
    let (tone, summary) = match app.discord.sign_in {
        Some(_) => (Tone::Ok, "Sign-in is configured."),
        None => (Tone::Off, "Sign-in is not configured."),
    };
    let facts = vec![
        AdminFact::new("Open", alive),
        AdminFact::new("Used within a day", fresh),
        AdminFact::new("Users", users),
        AdminFact::new("With a player", owners),
        AdminFact::new("With a guild", guild_owners),
    ];
    let heads = ["User", "Player", "Sessions", "Last active"];
    Ok(AdminSection::new(tone, summary).with_facts(facts).with_rows(&heads, rows))
}

/// Shows user ids instead of names: admins copy this page into reports.
async fn ingest_keys(store: &Store) -> Result<AdminSection, AppError> {
    let (live, waiting) =
        store.read(|conn| Ok((keys::count_all_live(conn)?, keys::for_review(conn, MAX_ROWS)?))).await?;
    let (tone, summary) = match waiting.len() {
        0 => (Tone::Ok, "No key needs review."),
        _ => (Tone::Warn, "These keys come from a restored backup and cannot upload until they are confirmed."),
    };
    let rows = waiting.iter().map(|key| {
        let cells = vec![Some(key.name.as_str().into()), key.user_id.map(Into::into), key.last_used_at.map(Cell::time)];
        (cells, vec![AdminAction { label: "Confirm", path: format!("/api/keys/{}/confirm", key.id) }])
    });
    let facts = vec![AdminFact::new("Live", live)];
    Ok(AdminSection::new(tone, summary).with_facts(facts).with_rows(&["Key", "User", "Last used"], rows))
}

async fn unknown_lines(store: &Store) -> Result<AdminSection, AppError> {
    let samples = store.read(|conn| reader::unknown_lines(conn, MAX_ROWS)).await?;
    let rows = samples.iter().map(|sample| {
        let cells = vec![
            Some(sample.line.as_str().into()),
            non_empty(Some(&sample.patch)),
            Some(sample.report_count.into()),
            Some(Cell::time(sample.last_reported_at)),
        ];
        (cells, Vec::new())
    });
    let summary = match samples.len() {
        0 => "No unknown lines reported.",
        _ => "The most frequent lines, without names and numbers. A newer grammar may parse them.",
    };
    Ok(AdminSection::new(Tone::Ok, summary).with_rows(&["Line", "Patch", "Seen", "Last"], rows))
}

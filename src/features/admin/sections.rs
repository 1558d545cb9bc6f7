//! The parts of the server, each in a sentence, figures and rows.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::{rosters, secrets};
use crate::app::App;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::error::AppError;
use crate::store::statsfeed::FeedRow;
use crate::store::webhooks::{DeliveryRow, WebhookRow};
use crate::store::{database_size, ingest, newest_migration, reader, sessions, statsfeed, users, webhooks};
use crate::views::admin::{AdminAction, AdminFact, AdminRows, AdminSection, Cell, Tone};

/// How many of a kind are shown: of the log of webhooks, of people, of lines.
pub(super) const MAX_ROWS: i64 = 20;
/// SQLite's log is brought in at 16 MB, unless somebody reads for long. Bytes.
const WAL_WARNING_BYTES: i64 = 256 << 20;

/// All parts, in the order of the page.
pub async fn all(app: &App) -> Vec<AdminSection> {
    vec![
        or_error_section("database", "Database", database(app).await),
        index(app),
        upstreams(app),
        or_error_section("queues", "Queues", queues(app).await),
        jobs(app),
        or_error_section("statsfeed", "StatsFeed channels", feeds(app).await),
        or_error_section("webhooks", "OutgoingMessage webhooks", hooks(app).await),
        or_error_section("webhook-log", "Webhook log", log(app).await),
        or_error_section("rosters", "Guild rosters", rosters::section(app).await),
        or_error_section("sessions", "Sessions", sessions_section(app).await),
        or_error_section("keys", "Ingest keys", super::keys::section(app).await),
        or_error_section("reader", "Lines that readers do not know", unknown_lines(app).await),
    ]
}

fn or_error_section(id: &'static str, title: &'static str, part: Result<AdminSection, AppError>) -> AdminSection {
    part.unwrap_or_else(|error| AdminSection {
        id,
        title,
        tone: Tone::Error,
        summary: format!("It cannot be read now. {error}"),
        facts: Vec::new(),
        rows: None,
    })
}

/// Epoch milliseconds as people write a time.
pub(super) fn format_time(ms: i64) -> Cell {
    jiff::Timestamp::from_millisecond(ms)
        .map_or(Cell::Number(ms), |at| at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string().into())
}

fn some(text: Option<&str>) -> Option<Cell> {
    text.filter(|text| !text.is_empty()).map(Cell::from)
}

async fn database(app: &App) -> Result<AdminSection, AppError> {
    let began = Instant::now();
    let last = app.store.read(ingest::last_id).await?;
    let took = i64::try_from(began.elapsed().as_millis()).unwrap_or(i64::MAX);
    let bytes = app.store.read(database_size::total_bytes).await?;
    let kind = if app.store.is_postgres() { "PostgreSQL" } else { "SQLite" };
    let log = database_size::wal_bytes(&app.settings.database_url);
    let trouble = match log {
        Some(bytes) if bytes > WAL_WARNING_BYTES => {
            Some("Its write-ahead log is long: something has read from it for minutes.")
        }
        _ if took > 1_000 => Some("It answers slowly."),
        _ => None,
    };
    let mut shown = vec![
        AdminFact::new("Kind", kind),
        AdminFact::new("Size", bytes).with_unit("bytes"),
        AdminFact::new("Time of a read", took).with_unit("ms"),
        AdminFact::new("Migration", newest_migration()),
        AdminFact::new("Events", last),
        AdminFact::new("Players", app.projections.players().count()),
        AdminFact::new("Guilds", app.projections.guilds().count()),
    ];
    shown.extend(log.map(|bytes| AdminFact::new("Write-ahead log", bytes).with_unit("bytes")));
    Ok(AdminSection {
        id: "database",
        title: "Database",
        tone: if trouble.is_some() { Tone::Warn } else { Tone::Ok },
        summary: trouble.unwrap_or("It answers.").into(),
        facts: shown,
        rows: None,
    })
}

fn index(app: &App) -> AdminSection {
    let is_open = app.is_ready.load(Ordering::Acquire);
    AdminSection {
        id: "index",
        title: "Search index",
        tone: if is_open { Tone::Ok } else { Tone::Warn },
        summary: if is_open { "It is open.".into() } else { "It is being opened or built.".into() },
        facts: vec![
            AdminFact::new("Entries", app.projections.search().len() as i64),
            AdminFact::new("Not yet on disk", app.projections.search().pending() as i64),
        ],
        rows: None,
    }
}

fn upstreams(app: &App) -> AdminSection {
    let secs = |time: Duration| time.as_secs() + u64::from(time.subsec_nanos() > 0);
    let mut rows: Vec<Vec<Option<Cell>>> = Vec::new();
    let mut tone = Tone::Ok;
    let mut add = |name: &str, state: Result<String, String>, more: Option<String>| {
        let state = state.unwrap_or_else(|broken| {
            tone = Tone::Warn;
            broken
        });
        rows.push(vec![Some(name.into()), Some(state.into()), more.map(Cell::from)]);
    };
    match &app.bot {
        None => add("Discord", Ok("not set up".into()), None),
        Some(bot) => {
            let state = bot.state();
            let resting = state.blocked_for.max(state.bot_breaker_open_for).max(state.sign_in_breaker_open_for);
            let refused = format!("{} refused calls in ten minutes", state.invalid_requests);
            let told = if !state.blocked_for.is_zero() {
                Err(format!("asks for patience, {} s", secs(state.blocked_for)))
            } else if !resting.is_zero() {
                Err(format!("fails; asked again in {} s", secs(resting)))
            } else {
                Ok("fine".into())
            };
            add("Discord", told, Some(refused));
        }
    }
    let paused = app.game_site.paused_for();
    let site = if paused.is_zero() { Ok("fine".into()) } else { Err(format!("left alone for {} s", secs(paused))) };
    add("Game site", site, Some(secrets::host(&app.settings.game_site_url)));
    let repos = &app.settings.github.repos;
    let poll = app.diagnostics.jobs.all().into_iter().find(|(name, _)| *name == "commits").map(|(_, note)| note);
    let github = match poll {
        _ if repos.is_empty() => Ok("no repository is polled".into()),
        Some(note) if note.last_error.is_some() => {
            Err(secrets::redact(&app.settings, &note.last_error.unwrap_or_default()))
        }
        Some(_) => Ok("fine".into()),
        None => Ok("not asked yet".into()),
    };
    add("GitHub", github, (!repos.is_empty()).then(|| repos.join(", ")));
    let summary =
        if tone == Tone::Ok { "All that were asked answer." } else { "One of them does not do as it should." };
    AdminSection {
        id: "upstreams",
        title: "Upstreams",
        tone,
        summary: summary.into(),
        facts: Vec::new(),
        rows: Some(AdminRows { heads: vec!["Name", "State", "More"], acts: vec![Vec::new(); rows.len()], rows }),
    }
}

async fn queues(app: &App) -> Result<AdminSection, AppError> {
    let (feeds, hooks) = app.store.read(|conn| Ok((statsfeed::list(conn)?, webhooks::count_pending(conn)?))).await?;
    let posts = feeds.iter().filter(|(.., outbox)| outbox.is_some()).count() as i64;
    Ok(AdminSection {
        id: "queues",
        title: "Queues",
        tone: Tone::Ok,
        summary: "What waits to be done.".into(),
        facts: vec![
            AdminFact::new("Messages to Discord", posts),
            AdminFact::new("Calls of webhooks", hooks),
            AdminFact::new("Search entries", app.projections.search().pending() as i64),
            AdminFact::new("Open live streams", app.projections.live().subscriber_count() as i64),
            AdminFact::new("Free places for uploads", app.upload_slots.available_permits() as i64),
        ],
        rows: None,
    })
}

fn jobs(app: &App) -> AdminSection {
    let all = app.diagnostics.jobs.all();
    let failing = all.iter().filter(|(_, note)| note.last_error.is_some()).count();
    let rows = all.iter().map(|(name, note)| {
        vec![
            Some((*name).into()),
            note.last_at.map(|at| format_time(at.0)),
            Some((note.last_ms as i64).into()),
            Some((note.runs as i64).into()),
            Some((note.failures as i64).into()),
            note.last_error.as_deref().map(|error| secrets::redact(&app.settings, error).into()),
        ]
    });
    let acts =
        all.iter().map(|(name, _)| vec![AdminAction { label: "Run now", path: format!("/api/admin/jobs/{name}/run") }]);
    AdminSection {
        id: "jobs",
        title: "Jobs",
        tone: if failing > 0 { Tone::Warn } else { Tone::Ok },
        summary: match failing {
            0 => "The last run of each went well.".into(),
            1 => "The last run of one failed.".into(),
            n => format!("The last runs of {n} failed."),
        },
        facts: Vec::new(),
        rows: Some(AdminRows {
            heads: vec!["Job", "Last run", "ms", "Runs", "Failed", "Error"],
            rows: rows.collect(),
            acts: acts.collect(),
        }),
    }
}

async fn feeds(app: &App) -> Result<AdminSection, AppError> {
    let (feeds, lease, last) = app
        .store
        .read(|conn| {
            let lease = statsfeed::find_lease(conn, crate::features::statsfeed::LEASE)?;
            Ok((statsfeed::list(conn)?, lease, ingest::last_id(conn)?))
        })
        .await?;
    let off = feeds.iter().filter(|(channel, ..)| channel.disabled_reason.is_some()).count();
    let is_set_up = app.settings.discord.bot_token.is_some();
    let mut facts = Vec::new();
    if let Some((_, until, rest)) = lease {
        let now = App::now().0;
        let speaks = if until > now { "a process" } else { "nobody now" };
        facts.push(AdminFact::new("Spoken for by", speaks));
        facts.push(AdminFact::new("Rests until", if rest > now { format_time(rest) } else { "not at all".into() }));
    }
    facts.push(AdminFact::new("Servers of the bot", app.bot_servers.load(Ordering::Relaxed)));
    let (tone, summary) = match (is_set_up, feeds.len(), off) {
        (false, ..) => (Tone::Off, "No bot token is set.".to_owned()),
        (true, 0, _) => (Tone::Ok, "No server has a feed yet.".to_owned()),
        (true, n, 0) => (Tone::Ok, format!("All {n} are on.")),
        (true, n, off) => (Tone::Warn, format!("{off} of {n} are off.")),
    };
    let acts = feeds.iter().map(|(channel, ..)| {
        let (label, switch) =
            if channel.disabled_reason.is_some() { ("Switch on", "on") } else { ("Switch off", "off") };
        vec![AdminAction { label, path: format!("/api/admin/statsfeed/{}/{switch}", channel.id) }]
    });
    Ok(AdminSection {
        id: "statsfeed",
        title: "StatsFeed channels",
        tone,
        summary,
        facts,
        rows: Some(AdminRows {
            heads: vec!["Channel", "Server", "Kind", "State", "Last post", "Events behind"],
            acts: acts.collect(),
            rows: feeds.iter().map(|feed| feed_row(feed, last)).collect(),
        }),
    })
}

fn feed_row((channel, state, outbox): &FeedRow, last: i64) -> Vec<Option<Cell>> {
    let error = state.as_ref().and_then(|state| state.last_error.as_deref());
    let told = match (&channel.disabled_reason, error, outbox) {
        (Some(why), ..) => format!("off: {why}"),
        (None, Some(error), _) => format!("waits: {error}"),
        (None, None, Some(_)) => "a message is under way".into(),
        (None, None, None) => "on".into(),
    };
    vec![
        Some(channel.channel_id.as_str().into()),
        Some(channel.server_id.as_str().into()),
        Some(channel.kind.as_str().into()),
        Some(told.into()),
        state.as_ref().and_then(|state| state.posted_at).map(format_time),
        Some((last - channel.last_event_id).max(0).into()),
    ]
}

async fn hooks(app: &App) -> Result<AdminSection, AppError> {
    let places: Vec<WebhookRow> = app.store.read(webhooks::list).await?;
    let hooks = &app.settings.webhooks;
    let place = |name: &str| places.iter().find(|place| place.name == name);
    let off = |name: &str| place(name).and_then(|place| place.disabled_reason.clone());
    let rows = hooks.iter().map(|hook| {
        let state = off(&hook.name).map_or_else(|| "on".to_owned(), |why| format!("off: {why}"));
        vec![
            Some(hook.name.as_str().into()),
            Some(secrets::host(&hook.url).into()),
            Some(hook.events.join(", ").into()),
            Some(state.into()),
        ]
    });
    let acts = hooks.iter().map(|hook| {
        let (label, switch) = if off(&hook.name).is_some() { ("Switch on", "on") } else { ("Switch off", "off") };
        let act = |label, act: &str| AdminAction { label, path: format!("/api/admin/webhooks/{}/{act}", hook.name) };
        vec![act("Send a test", "test"), act(label, switch)]
    });
    let is_off = hooks.iter().any(|hook| off(&hook.name).is_some());
    let (tone, summary) = match hooks.len() {
        0 => (Tone::Off, "The settings name none."),
        _ if is_off => (Tone::Warn, "One of them is off."),
        _ => (Tone::Ok, "All are on."),
    };
    Ok(AdminSection {
        id: "webhooks",
        title: "OutgoingMessage webhooks",
        tone,
        summary: summary.into(),
        facts: Vec::new(),
        rows: Some(AdminRows {
            heads: vec!["Name", "Host", "Events", "State"],
            rows: rows.collect(),
            acts: acts.collect(),
        }),
    })
}

async fn log(app: &App) -> Result<AdminSection, AppError> {
    let newest: Vec<DeliveryRow> = app.store.read(|conn| webhooks::newest(conn, MAX_ROWS)).await?;
    let given_up = newest.iter().filter(|row| row.done_at.is_some() && !row.is_taken).count();
    let rows = newest.iter().map(|row| {
        let state = match (row.done_at, row.is_taken) {
            (_, true) => "taken".to_owned(),
            (Some(_), false) => "given up".to_owned(),
            (None, false) if row.tries == 0 => "waits".to_owned(),
            (None, false) => "tried again later".to_owned(),
        };
        vec![
            Some(format_time(row.made_at)),
            Some(row.webhook.as_str().into()),
            Some(row.event.as_str().into()),
            Some(state.into()),
            Some(i64::from(row.tries).into()),
            row.status.map(|status| i64::from(status).into()),
            some(row.error.as_deref().map(|error| secrets::redact(&app.settings, error)).as_deref()),
        ]
    });
    let acts = newest.iter().map(|row| {
        let again = AdminAction { label: "Send again", path: format!("/api/admin/deliveries/{}/again", row.id) };
        if row.done_at.is_some() { vec![again] } else { Vec::new() }
    });
    let (tone, summary) = match (newest.len(), given_up) {
        (0, _) if app.settings.webhooks.is_empty() => (Tone::Off, "Nothing is told to anybody.".to_owned()),
        (0, _) => (Tone::Ok, "Nothing was told yet.".to_owned()),
        (_, 0) => (Tone::Ok, "The newest twenty; the log goes back a week.".to_owned()),
        (_, n) => (Tone::Warn, format!("{n} of the newest twenty were given up.")),
    };
    Ok(AdminSection {
        id: "webhook-log",
        title: "Webhook log",
        tone,
        summary,
        facts: Vec::new(),
        rows: Some(AdminRows {
            heads: vec!["When", "Webhook", "Event", "State", "Tries", "Status", "Error"],
            rows: rows.collect(),
            acts: acts.collect(),
        }),
    })
}

async fn sessions_section(app: &App) -> Result<AdminSection, AppError> {
    let EpochMillis(now) = App::now();
    let ((alive, fresh), (users, owners, guild_owners), signed_in) = app
        .store
        .read(move |conn| {
            Ok((sessions::counts(conn, now - DAY_MS)?, users::counts(conn)?, sessions::signed_in(conn, MAX_ROWS)?))
        })
        .await?;
    // Names of Discord stay out of what is copied into reports.
    let rows = signed_in.iter().map(|row| {
        vec![
            Some(row.user_id.into()),
            some(row.handle.as_deref()),
            Some(row.sessions.into()),
            Some(format_time(row.refreshed_at)),
        ]
    });
    let acts = signed_in
        .iter()
        .map(|row| vec![AdminAction { label: "Sign out", path: format!("/api/admin/users/{}/sign-out", row.user_id) }]);
    Ok(AdminSection {
        id: "sessions",
        title: "Sessions",
        tone: if app.discord.is_some() { Tone::Ok } else { Tone::Off },
        summary: if app.discord.is_some() { "People can sign in.".into() } else { "Sign-in is not set up.".into() },
        facts: vec![
            AdminFact::new("Open", alive),
            AdminFact::new("Used within a day", fresh),
            AdminFact::new("Users", users),
            AdminFact::new("With a player", owners),
            AdminFact::new("With a guild", guild_owners),
        ],
        rows: Some(AdminRows {
            heads: vec!["User", "Player", "Sessions", "Last active"],
            rows: rows.collect(),
            acts: acts.collect(),
        }),
    })
}

async fn unknown_lines(app: &App) -> Result<AdminSection, AppError> {
    let samples = app.store.read(|conn| reader::unknown_lines(conn, MAX_ROWS)).await?;
    let rows = samples.iter().map(|sample| {
        vec![
            Some(sample.line.as_str().into()),
            some(Some(&sample.patch)),
            Some(sample.told.into()),
            Some(format_time(sample.last_at)),
        ]
    });
    Ok(AdminSection {
        id: "reader",
        title: "Lines that readers do not know",
        tone: Tone::Ok,
        summary: match samples.len() {
            0 => "Nobody has sent any.".into(),
            _ => "Those that were told of most, without names and numbers. A newer grammar may teach readers to read them."
                .into(),
        },
        facts: Vec::new(),
        rows: Some(AdminRows {
            heads: vec!["Line", "Patch", "Seen", "Last"],
            acts: vec![Vec::new(); samples.len()],
            rows: rows.collect(),
        }),
    })
}

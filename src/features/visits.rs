//! Page visits: counted without address or fingerprint, single ones forgotten after some days.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;
use serde_json::Value;

use crate::app::App;
use crate::domain::times::DAY_MS;
use crate::error::AppError;
use crate::store::visits::{self, NewVisit};

/// How many visits one call tells.
const MOST: usize = 10;
const PATH_MAX: usize = 200;
const DATA_MAX: usize = 4_000;
/// The kind of a daily sum that counts sessions, and of one that counts where they came from.
pub const VISITOR: &str = "visitor";
pub const REFERRER: &str = "referrer";
const OTHER: &str = "(other)";
/// How many hosts a day may name.
const MOST_HOSTS: i64 = 300;
/// What of a told event is stored.
const KEPT: [&str; 6] = ["message", "filename", "lineno", "loadTime", "domContentLoaded", "referrer"];

/// One visit, or up to ten.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Told {
    Many { events: Vec<One> },
    One(One),
}

#[derive(Debug, Deserialize)]
pub struct One {
    #[serde(rename = "customData")]
    custom_data: serde_json::Map<String, Value>,
}

/// Stores what a page told of its visits.
pub async fn track(app: &App, session_id: String, told: Told) -> Result<(), AppError> {
    let told = match told {
        Told::Many { events } => events,
        Told::One(one) => vec![one],
    };
    if told.len() > MOST {
        return Err(AppError::parameter("events", "at most 10 events"));
    }
    let now = App::now();
    let (day, day_start) = (now.day().0, now.day().start().0);
    let rows = told.into_iter().map(|one| row(one, &session_id, now.0)).collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() {
        return Ok(());
    }
    let own_host = host_of(&app.public_url);
    app.store
        .write(move |tx| {
            if !visits::is_known(tx, &session_id, day_start)? {
                visits::add_to_day(tx, day, "", VISITOR, 0)?;
            }
            for host in
                rows.iter().filter_map(|row| row.referrer.as_deref()).filter(|host| Some(*host) != own_host.as_deref())
            {
                // Whoever makes up hosts fills one line, not the table.
                let host = if visits::may_add(tx, day, REFERRER, host, MOST_HOSTS)? { host } else { OTHER };
                visits::add_to_day(tx, day, host, REFERRER, 0)?;
            }
            let rows: Vec<NewVisit> = rows.iter().map(|row| row.visit.clone()).collect();
            visits::insert(tx, day, &rows).map_err(AppError::from)
        })
        .await
}

/// What is told of one visit, and the host it came from.
struct Row {
    visit: NewVisit,
    referrer: Option<String>,
}

/// The host of our own address, as a page would name it.
fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    rest.split('/').next().map(str::to_ascii_lowercase)
}

/// The page that a path belongs to; those of players and guilds count as one each, unknown ones as one.
fn page_of(path: &str) -> &'static str {
    const PAGES: [&str; 19] = [
        "/",
        "/players",
        "/guilds",
        "/activity",
        "/updates",
        "/about",
        "/guides",
        "/privacy",
        "/terms",
        "/api",
        "/discord-bot",
        "/connect-app",
        "/link",
        "/profile",
        "/player/claim",
        "/profile/data",
        "/admin",
        "/player/…",
        "/guild/…",
    ];
    let trimmed = match path.trim_end_matches('/') {
        "" => "/",
        trimmed => trimmed,
    };
    let wanted = match trimmed.split('/').nth(1).unwrap_or_default() {
        "player" if trimmed != "/player/claim" => "/player/…",
        "guild" => "/guild/…",
        // Their sections are part of the address.
        "guides" => "/guides",
        "api" => "/api",
        _ => trimmed,
    };
    PAGES.into_iter().find(|page| *page == wanted).unwrap_or(OTHER)
}

fn row(one: One, session_id: &str, now: i64) -> Result<Row, AppError> {
    let told = one.custom_data;
    let text = |name: &str| told.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = match text("type") {
        "error" => "error",
        "performance" => "performance",
        _ => "page_view",
    };
    let path = text("pagePath");
    if !path.starts_with('/') || path.len() > PATH_MAX || path.chars().any(char::is_control) {
        return Err(AppError::parameter("pagePath", "the path of a page"));
    }
    let ms = told.get("loadTime").and_then(Value::as_f64).unwrap_or(0.0).clamp(0.0, 600_000.0) as i64;
    let referrer = Some(text("referrer").to_ascii_lowercase()).filter(|host| is_host(host));
    // Screen, time zone and language together would tell people apart, so they are not kept.
    let kept: serde_json::Map<String, Value> =
        told.iter().filter(|(name, _)| KEPT.contains(&name.as_str())).map(|(n, v)| (n.clone(), v.clone())).collect();
    let data = serde_json::to_string(&kept).map_err(AppError::internal)?;
    if data.len() > DATA_MAX || data.contains("\\u0000") {
        return Err(AppError::parameter("customData", "at most 4,000 bytes of text"));
    }
    let visit = NewVisit {
        visited_at: now,
        session_id: session_id.to_owned(),
        kind: kind.into(),
        page_path: page_of(path).into(),
        data,
        ms,
    };
    Ok(Row { visit, referrer })
}

/// A host as a browser names one.
fn is_host(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-' | b':');
    (3..=100).contains(&text.len()) && text.contains('.') && text.bytes().all(fits)
}

/// What has views.
#[derive(Debug, Clone, Copy, Hash)]
pub enum Page {
    Player(i64),
    Guild(i64),
}

/// Whether this visitor sees a page for the first time in 24 hours; asked twice, the second answer is no.
pub fn is_new_viewer(app: &App, visitor: u64, page: Page) -> bool {
    let mut hasher = DefaultHasher::new();
    (visitor, page).hash(&mut hasher);
    app.viewers.entry(hasher.finish()).or_insert(()).is_fresh()
}

/// Forgets single visits that are older than the settings allow; daily sums stay.
pub async fn forget(app: &App) -> Result<usize, AppError> {
    let before = App::now().0 - app.settings.retention.visits_days * DAY_MS;
    app.store.write(move |tx| visits::forget_before(tx, before).map_err(AppError::from)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_anybody_may_make_up_are_few_pages() {
        for (path, page) in [
            ("/", "/"),
            ("/players/", "/players"),
            ("/player/Ann-1/weapons", "/player/…"),
            ("/player/claim", "/player/claim"),
            ("/guild/NOVA", "/guild/…"),
            ("/guides/statsfeed/overview", "/guides"),
            ("/nothing/like/this", OTHER),
            ("//", "/"),
        ] {
            assert_eq!(page_of(path), page, "{path}");
        }
    }

    #[test]
    fn hosts_are_hosts() {
        assert!(is_host("www.example.org") && is_host("example.org:8443"));
        for bad in ["", "a", "localhost", "exa mple.org", "<b>.org", "HTTP://x.y"] {
            assert!(!is_host(bad), "{bad}");
        }
    }

    #[test]
    fn nothing_that_tells_people_apart_is_kept() {
        let one = serde_json::json!({ "customData": { "type": "error", "pagePath": "/", "screenResolution": "1x1",
            "timezone": "X/Y", "language": "xx", "message": "Broke", "referrer": "Example.org" } });
        let row = row(serde_json::from_value(one).unwrap(), "s", 1).unwrap();
        assert_eq!(row.visit.data, "{\"message\":\"Broke\",\"referrer\":\"Example.org\"}");
        assert_eq!(row.referrer.as_deref(), Some("example.org"));
    }
}

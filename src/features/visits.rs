//! Page visits, recorded without address or fingerprint. Single visits are deleted after some days, and their number is limited
//! per session, network and day.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Deserialize;
use serde_json::Value;

use crate::app::App;
use crate::domain::addresses::network;
use crate::domain::times::DAY_MS;
use crate::error::AppError;
use crate::features::main_pages::MAIN_PAGES;
use crate::store::visits::{self, NewVisit};

/// The maximum number of visits in one request.
const MAX_VISITS_PER_CALL: usize = 10;
const MAX_PATH_BYTES: usize = 200;
/// Texts are truncated to this length.
const MAX_TEXT_CHARS: usize = 300;
/// The maximum number of visits of one session in 24 hours.
const MAX_SESSION_VISITS: u64 = 500;
/// The maximum number of visits of one network in 24 hours, enough for an office.
const MAX_NETWORK_VISITS: u64 = 3_000;
/// The maximum size of the single visits of one UTC day. Further visits only increase daily sums.
const MAX_DAY_BYTES: i64 = 64 << 20;
/// The estimated size of a row without its data.
const ROW_OVERHEAD_BYTES: i64 = 100;
/// Days after which sums by referring host are deleted. Sums by page are few and are kept.
const REFERRER_RETENTION_DAYS: i32 = 90;
/// Kinds of daily sums: sessions, and referring hosts.
pub const VISITOR: &str = "visitor";
pub const REFERRER: &str = "referrer";
/// The kind of the daily sum that counts bytes of single visits.
const STORED_BYTES: &str = "stored_bytes";
const OTHER: &str = "(other)";
/// The maximum number of distinct hosts per day.
const MAX_HOSTS_PER_DAY: i64 = 300;
/// The stored fields of a visit, by type.
const STORED_TEXTS: [&str; 3] = ["message", "filename", "referrer"];
const STORED_NUMBERS: [&str; 3] = ["lineno", "loadTime", "domContentLoaded"];

/// A visit, or a list of them.
#[derive(Debug, Deserialize)]
pub struct VisitReport {
    events: Option<Vec<ReportedVisit>>,
    #[serde(rename = "customData")]
    custom_data: Option<Data>,
}

type Data = serde_json::Map<String, Value>;

#[derive(Debug, Deserialize)]
struct ReportedVisit {
    #[serde(rename = "customData")]
    custom_data: Data,
}

/// Records reported visits. Visits beyond the limits of a session or network are ignored.
pub async fn track(
    app: &App,
    session_id: String,
    address: Option<IpAddr>,
    reported: VisitReport,
) -> Result<(), AppError> {
    let reported = match (reported.events, reported.custom_data) {
        (Some(events), _) => events,
        (None, Some(custom_data)) => vec![ReportedVisit { custom_data }],
        (None, None) => return Err(AppError::invalid_parameter("customData", "an object with pagePath")),
    };
    if reported.len() > MAX_VISITS_PER_CALL {
        return Err(AppError::invalid_parameter("events", "at most 10 events"));
    }
    let now = app.store.now();
    let (day, day_start) = (now.day().0, now.day().start().0);
    let rows = reported.into_iter().map(|one| row(one, &session_id, now.0)).collect::<Result<Vec<_>, _>>()?;
    let count = rows.len() as u64;
    let network = address.map_or_else(String::new, |address| format!("network {}", network(address)));
    let counts = &app.visitors.visit_counts;
    let add_visits = |of| counts.get_with(of, Arc::default).fetch_add(count, Ordering::Relaxed) + count;
    if rows.is_empty()
        || add_visits(network) > MAX_NETWORK_VISITS
        || add_visits(format!("session {session_id}")) > MAX_SESSION_VISITS
    {
        return Ok(());
    }
    let own_host = host_of(&app.public_url);
    app.store
        .write(move |tx| {
            let single: Vec<NewVisit> = rows.iter().map(|row| row.visit.clone()).collect();
            visits::add_to_days(tx, day, &single)?;
            let bytes: i64 = single.iter().map(|visit| visit.data.len() as i64 + ROW_OVERHEAD_BYTES).sum();
            if visits::sum(tx, day, "", STORED_BYTES)? + bytes > MAX_DAY_BYTES {
                return Ok(());
            }
            if !visits::is_known(tx, &session_id, day_start)? {
                visits::add_to_day(tx, day, "", VISITOR, 1, 0)?;
            }
            for host in
                rows.iter().filter_map(|row| row.referrer.as_deref()).filter(|host| Some(*host) != own_host.as_deref())
            {
                // Hosts beyond the limit share one row.
                let host = if visits::may_add(tx, day, REFERRER, host, MAX_HOSTS_PER_DAY)? { host } else { OTHER };
                visits::add_to_day(tx, day, host, REFERRER, 1, 0)?;
            }
            visits::add_to_day(tx, day, "", STORED_BYTES, bytes, 0)?;
            visits::insert(tx, &single).map_err(AppError::from)
        })
        .await
}

/// A visit, and its referring host.
struct Row {
    visit: NewVisit,
    referrer: Option<String>,
}

/// The host of a URL.
fn host_of(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    rest.split('/').next().map(str::to_ascii_lowercase)
}

/// Maps a path to a page: all players are one page, all guilds another, unknown paths a third.
fn page_of(path: &str) -> &'static str {
    const OTHER_PAGES: [&str; 9] =
        ["/", "/link", "/profile", "/player/claim", "/profile/data", "/admin", "/player/…", "/guild/…", "/event/…"];
    let trimmed = match path.trim_end_matches('/') {
        "" => "/",
        trimmed => trimmed,
    };
    let wanted = match trimmed.split('/').nth(1).unwrap_or_default() {
        "player" if trimmed != "/player/claim" => "/player/…",
        "guild" => "/guild/…",
        "event" => "/event/…",
        // Sections are part of the path.
        "guides" => "/guides",
        "api" => "/api",
        _ => trimmed,
    };
    let pages = MAIN_PAGES.map(|(page, ..)| page).into_iter().chain(OTHER_PAGES);
    pages.into_iter().find(|page| *page == wanted).unwrap_or(OTHER)
}

fn row(one: ReportedVisit, session_id: &str, now: i64) -> Result<Row, AppError> {
    let data = one.custom_data;
    let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = match text("type") {
        "error" => "error",
        "performance" => "performance",
        _ => "page_view",
    };
    let path = text("pagePath");
    if !path.starts_with('/') || path.len() > MAX_PATH_BYTES || path.chars().any(char::is_control) {
        return Err(AppError::invalid_value("pagePath", path, "the path of a page"));
    }
    let ms = data.get("loadTime").and_then(Value::as_f64).unwrap_or(0.0).clamp(0.0, 600_000.0) as i64;
    let referrer = Some(text("referrer").to_ascii_lowercase()).filter(|host| is_host(host));
    // Screen, time zone and language would identify visitors, so they are not stored.
    let data = serde_json::to_string(&stored_fields(&data)).map_err(AppError::internal)?;
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

/// Selects the stored fields, each of its type, and truncates texts.
fn stored_fields(data: &Data) -> Data {
    let cut = |text: &str| text.chars().filter(|c| *c != '\0').take(MAX_TEXT_CHARS).collect::<String>();
    let texts = STORED_TEXTS.iter().filter_map(|name| Some((*name, Value::String(cut(data.get(*name)?.as_str()?)))));
    let numbers = STORED_NUMBERS
        .iter()
        .filter_map(|name| Some((*name, data.get(*name).filter(|value| value.is_number())?.clone())));
    texts.chain(numbers).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Whether a text is a host name, with an optional port.
fn is_host(text: &str) -> bool {
    let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-' | b':');
    (3..=100).contains(&text.len()) && text.contains('.') && text.bytes().all(fits)
}

/// Deletes old single visits, and old sums by referring host.
pub async fn delete_old(app: &App) -> Result<usize, AppError> {
    let now = app.store.now();
    let (before, day) = (now.0 - app.settings.retention.visits_days * DAY_MS, now.day().0 - REFERRER_RETENTION_DAYS);
    app.store
        .write(move |tx| {
            let hosts = visits::delete_days_before(tx, day, REFERRER)?;
            Ok::<_, AppError>(hosts + visits::delete_before(tx, before)?)
        })
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arbitrary_paths_map_to_few_pages() {
        for (path, page) in [
            ("/", "/"),
            ("/players/", "/players"),
            ("/player/Ann-1/weapons", "/player/…"),
            ("/player/claim", "/player/claim"),
            ("/guild/NOVA", "/guild/…"),
            ("/activity", "/activity"),
            ("/event/12", "/event/…"),
            ("/guides/statsfeed/overview", "/guides"),
            ("/nothing/like/this", OTHER),
            ("//", "/"),
        ] {
            assert_eq!(page_of(path), page, "{path}");
        }
    }

    #[test]
    fn only_valid_hosts_are_stored() {
        assert!(is_host("www.example.org") && is_host("example.org:8443"));
        for bad in ["", "a", "localhost", "exa mple.org", "<b>.org", "HTTP://x.y"] {
            assert!(!is_host(bad), "{bad}");
        }
    }

    #[test]
    fn identifying_fields_are_not_stored() {
        let one = serde_json::json!({ "customData": { "type": "error", "pagePath": "/", "screenResolution": "1x1",
            "timezone": "X/Y", "language": "xx", "message": "Broke\u{0}", "referrer": "Example.org",
            "filename": { "any": "thing" }, "lineno": "7", "loadTime": 1.5 } });
        let row = row(serde_json::from_value(one).unwrap(), "s", 1).unwrap();
        let stored_fields: Value = serde_json::from_str(&row.visit.data).unwrap();
        assert_eq!(
            stored_fields,
            serde_json::json!({ "message": "Broke", "referrer": "Example.org", "loadTime": 1.5 })
        );
        assert_eq!(row.referrer.as_deref(), Some("example.org"));
    }

    #[test]
    fn rows_have_a_bounded_size() {
        let long = "\u{1}".repeat(60_000);
        let one = serde_json::json!({ "customData": { "pagePath": "/", "message": long, "filename": long, "referrer": long } });
        let row = row(serde_json::from_value(one).unwrap(), "s", 1).unwrap();
        assert!(row.visit.data.len() < 6_000, "{}", row.visit.data.len());
    }
}

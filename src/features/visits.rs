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
    let rows = told.into_iter().map(|one| row(one, &session_id, now.0)).collect::<Result<Vec<_>, _>>()?;
    if rows.is_empty() {
        return Ok(());
    }
    app.store.write(move |tx| visits::insert(tx, now.day().0, &rows).map_err(AppError::from)).await
}

fn row(one: One, session_id: &str, now: i64) -> Result<NewVisit, AppError> {
    let text = |name: &str| one.custom_data.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = match text("type") {
        "error" => "error",
        "performance" => "performance",
        _ => "page_view",
    };
    let path = text("pagePath");
    if !path.starts_with('/') || path.len() > PATH_MAX || path.chars().any(char::is_control) {
        return Err(AppError::parameter("pagePath", "the path of a page"));
    }
    let ms = one.custom_data.get("loadTime").and_then(Value::as_f64).unwrap_or(0.0).clamp(0.0, 600_000.0) as i64;
    let page_path = path.to_owned();
    let data = serde_json::to_string(&one.custom_data).map_err(AppError::internal)?;
    if data.len() > DATA_MAX || data.contains("\\u0000") {
        return Err(AppError::parameter("customData", "at most 4,000 bytes of text"));
    }
    Ok(NewVisit { visited_at: now, session_id: session_id.to_owned(), kind: kind.into(), page_path, data, ms })
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

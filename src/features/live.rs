//! Live streams: who may open one and where it begins; and the figures of the whole site, sent to those who watch them.

use std::sync::atomic::Ordering;

use serde::Serialize;

use crate::app::App;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::patch;
use crate::live::{Outgoing, Resume, Seat, Subscription, Topic, position_of};
use crate::store::ingest;

/// When somebody who has too many streams may ask again, in seconds.
const RETRY_SECS: u64 = 30;

/// A seat for one more stream of this viewer; guests are counted by their address alone.
pub fn seat(app: &App, viewer: &Viewer) -> Result<Option<Seat>, AppError> {
    let Some(member) = viewer.member() else { return Ok(None) };
    let full = || AppError::RateLimited {
        sentence: "There are too many live streams of this account. Please close some, or share one between pages."
            .into(),
        retry_after_secs: RETRY_SECS,
    };
    app.live_seats.take(member.user_id).map(Some).ok_or_else(full)
}

/// Begins to read topics. Who comes back goes on after the last message that any process sent.
pub async fn subscribe(app: &App, topics: Vec<Topic>, resume: Resume) -> Result<Subscription, AppError> {
    if let Resume::After(id) = resume {
        // Another process may be a little ahead of this one.
        if app.store.is_postgres() && position_of(id) > app.live.last_event() {
            let last = app.store.read(ingest::last_id).await?;
            app.live.expect(last);
        }
        // How things stand is not replayed but told again.
        for (name, is_stale) in [("counts", &app.are_counts_stale), ("patch", &app.is_patch_stale)] {
            if topics.contains(&Topic::new(name)) {
                is_stale.store(true, Ordering::Release);
            }
        }
    }
    Ok(app.live.subscribe(topics, resume))
}

/// Sends counts and patch figures out if they changed and somebody listens.
pub async fn publish_figures(app: &App) {
    let mut messages = Vec::new();
    let counts = Topic::new("counts");
    if app.live.has_readers(counts) && app.are_counts_stale.swap(false, Ordering::AcqRel) {
        messages.extend(message("counts", counts, &patch::counts(app)));
    }
    let topic = Topic::new("patch");
    if app.live.has_readers(topic) && app.is_patch_stale.swap(false, Ordering::AcqRel) {
        match patch::current(app).await {
            Ok(figures) => messages.extend(message("patch", topic, &figures)),
            Err(error) => tracing::warn!(%error, "patch figures could not be read for the live stream"),
        }
    }
    if !messages.is_empty() {
        app.live.tell(messages);
    }
}

fn message(name: &'static str, topic: Topic, body: &impl Serialize) -> Option<Outgoing> {
    serde_json::to_string(body).ok().map(|json| Outgoing { name, topics: vec![topic], json })
}

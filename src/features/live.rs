//! The figures of the whole site, sent to those who watch them.

use std::sync::atomic::Ordering;

use serde::Serialize;

use crate::app::App;
use crate::features::patch;
use crate::live::{Outgoing, Topic};

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
        app.live.follow(messages);
    }
}

fn message(name: &'static str, topic: Topic, body: &impl Serialize) -> Option<Outgoing> {
    serde_json::to_string(body).ok().map(|json| Outgoing { name, topics: vec![topic], json })
}

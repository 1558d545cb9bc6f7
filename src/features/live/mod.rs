//! Live streams: permits and subscriptions, and the states of the topics `counts`, `patch` and `board:…`.

mod boards;

use serde::Serialize;

use crate::app::App;
use crate::domain::quota::{Permit, Quota};
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::patch;
use crate::live::{Resume, StateUpdate, Subscription, Topic, event_id_of};
use crate::projections::{Projections, StaleMark};
use crate::store::ingest;

pub use boards::{BoardFeed, BoardTopic};

/// Streams that one account may have open at the same time, in one process.
pub const MAX_STREAMS_PER_ACCOUNT: usize = 20;
/// `Retry-After` of an account with too many streams.
const RETRY_AFTER_SECS: u64 = 30;

/// Takes a permit for one more stream of this account; `None` for guests, which are limited only by address.
pub fn acquire_permit(live_quota: &Quota<i64>, viewer: &Viewer) -> Result<Option<Permit<i64>>, AppError> {
    let Some(member) = viewer.member() else { return Ok(None) };
    let too_many = |_| AppError::RateLimited {
        sentence: "There are too many live streams of this account. Please close some, or share one between pages."
            .into(),
        retry_after_secs: RETRY_AFTER_SECS,
    };
    live_quota.acquire(Some(member.user_id)).map(Some).map_err(too_many)
}

/// Subscribes to topics. A stream resumes after the last message that any process sent.
pub async fn subscribe(app: &App, topics: Vec<Topic>, resume: Resume) -> Result<Subscription, AppError> {
    if let Resume::After(id) = resume {
        // Another process may be slightly ahead.
        if app.store.is_postgres() && event_id_of(id) > app.projections.live().last_event() {
            let last = app.store.read(ingest::last_id).await?;
            app.projections.live().mark_committed(last);
        }
    }
    // A client without the rows of a leaderboard cannot apply differences.
    Ok(app.projections.live().subscribe(topics, resume).with_states_of(BoardTopic::is_board))
}

/// Publishes counts and patch figures if they changed and have subscribers, or if a subscriber lacks them.
pub async fn publish_figures(app: &App) {
    let epoch = app.projections.live().epoch();
    let mut updates = Vec::new();
    let topic = Topic::new("counts");
    if let Some(is_changed) = is_due(&app.projections, topic, &app.projections.counts) {
        updates.extend(update("counts", topic, &patch::counts(&app.projections), is_changed));
    }
    let topic = Topic::new("patch");
    if let Some(is_changed) = is_due(&app.projections, topic, &app.projections.patch) {
        match patch::current(app).await {
            Ok(figures) => updates.extend(update("patch", topic, &figures, is_changed)),
            Err(error) => {
                tracing::warn!(%error, "patch figures could not be read for the live stream");
                if is_changed {
                    app.projections.patch.set();
                }
            }
        }
    }
    if !updates.is_empty() && !app.projections.live().publish_states(epoch, updates) {
        // A message was retracted meanwhile: the states are published again.
        app.projections.counts.set();
        app.projections.patch.set();
    }
}

/// Whether the state of a topic must be published: `Some(true)` if it changed, `Some(false)` if only a new subscriber lacks it.
fn is_due(projections: &Projections, topic: Topic, stale: &StaleMark) -> Option<bool> {
    if !projections.live().has_subscribers(topic) {
        return None;
    }
    let is_changed = stale.take();
    (is_changed || projections.live().lacks_state(topic)).then_some(is_changed)
}

fn update(name: &'static str, topic: Topic, body: &impl Serialize, is_changed: bool) -> Option<StateUpdate> {
    let snapshot = serde_json::to_string(body).ok()?;
    Some(StateUpdate { name, topic, snapshot, delta: None, is_changed })
}

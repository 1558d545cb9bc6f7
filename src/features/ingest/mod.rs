//! Ingest of events: parse a batch, decide about each event, store what is accepted, and apply the change.

mod accept;
mod activity;
mod batch;
mod derived;
mod patches;
mod players;
mod playtime;
mod recount;
mod reports;
mod restate;
mod restore;
mod rows;
mod sharing;
mod ships;
mod store;
mod tally;

use std::sync::Arc;

pub use accept::{accept, key};
pub use derived::events_of;
pub use patches::{JOB as ADOPTION_JOB, adopt_waiting, first_patch, newest_patch};
pub use recount::recount;
pub use restate::{Revision, restate, revise};
pub use restore::{StoredReport, restore_reports};

use crate::app::App;
use crate::domain::events::{Event, ValidEvent, validate};
use crate::domain::trust::{Reporter, Sides};
use crate::error::AppError;

use batch::{Accepted, Batch, Outcome};

/// Validates and ingests events of an operator, ignoring invalid ones; returns how many are stored and how many are not.
pub async fn ingest_events(app: &Arc<App>, reporter: Reporter, events: Vec<Event>) -> Result<(usize, usize), AppError> {
    let now = app.store.now();
    let events = events.into_iter().filter_map(|event| validate(event, now).ok()).collect();
    ingest_valid(app, reporter, events).await
}

/// Ingests validated events of an operator; returns how many are stored and how many are not: duplicates, and what owners do not share.
pub async fn ingest_valid(
    app: &Arc<App>,
    reporter: Reporter,
    events: Vec<ValidEvent>,
) -> Result<(usize, usize), AppError> {
    let events = events.into_iter().map(|event| Accepted { event, sides: Sides::ALL }).collect();
    let Outcome { accepted, duplicates, dropped, .. } =
        store::submit(app, Batch { reporter, log: None, events }).await?;
    Ok((accepted, duplicates + dropped))
}

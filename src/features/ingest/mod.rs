//! Events going in: reading a batch, judging each event, one transaction, and what follows from it.

mod announce;
mod changed;
mod commit;
mod gather;
mod people;
mod playtime;
mod put_back;
mod read;
mod recount;
mod tally;
mod told;

use std::sync::Arc;

pub use announce::{activity as live_activity, announce, guild_topic, player_topic};
pub use changed::guild_message;
pub use put_back::{StoredEvent, StoredWitness, put_back};
pub use read::{MAX_BYTES, MAX_EVENTS, Packing, read as read_batch};
pub use recount::{Baseline, recount};
pub use tally::scores as scores_of_row;
pub use told::{EventsTold, announce_told, read_told};

use crate::app::App;
use crate::domain::events::{Event, ValidEvent, validate};
use crate::error::AppError;
use crate::views::ingest::{IngestAnswer, Rejected};

/// Takes in a batch as a reader sends it; an answer means that it is on disk.
pub async fn accept(
    app: &Arc<App>,
    key_id: i64,
    body: bytes::Bytes,
    packing: Packing,
) -> Result<IngestAnswer, AppError> {
    let told = tokio::task::spawn_blocking(move || read::read(&body, packing)).await.map_err(AppError::internal)??;
    let now = App::now();
    let mut rejected = Vec::new();
    let mut events = Vec::with_capacity(told.len());
    for (index, event) in told.into_iter().enumerate() {
        match event.and_then(|event| validate(event, now).map_err(|e| e.to_string())) {
            Ok(event) => events.push(event),
            Err(error) => rejected.push(Rejected { index, error }),
        }
    }
    let (accepted, duplicates) = take(app, key_id, events).await?;
    Ok(IngestAnswer { accepted, duplicates, rejected })
}

/// Takes in events that are already values, such as those of a bulk load; gives `(accepted, duplicates)`.
pub async fn take_events(app: &Arc<App>, key_id: i64, told: Vec<Event>) -> Result<(usize, usize), AppError> {
    let now = App::now();
    let events = told.into_iter().filter_map(|event| validate(event, now).ok()).collect();
    take(app, key_id, events).await
}

/// Takes in events that were checked already; gives `(accepted, duplicates)`.
pub async fn take(app: &Arc<App>, key_id: i64, events: Vec<ValidEvent>) -> Result<(usize, usize), AppError> {
    if events.is_empty() {
        return Ok((0, 0));
    }
    gather::take(app, key_id, events).await
}

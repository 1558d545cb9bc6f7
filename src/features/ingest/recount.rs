//! Recomputes all derived figures from stored events and baselines.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::app::App;
use crate::domain::baseline::Baseline;
use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::store::ingest::{EventRow, ScoreChange};
use crate::store::recount as rows;
use crate::store::{Tx, activity, guilds, ingest, players, transfer};

use super::derived::Derived;
use super::rows::from_row;

/// The number of events per step.
const CHUNK: i64 = 2_000;

/// Recomputes everything in one transaction, so that readers see the old figures until it commits. Returns the number of
/// events.
pub async fn recount(
    app: &Arc<App>,
    mut progress: impl FnMut(&'static str, u64, u64) + Send + 'static,
) -> Result<u64, AppError> {
    let all = app.store.read(ingest::last_id).await?.unsigned_abs();
    app.store
        .write(move |tx| {
            transfer::disable_statement_timeout(tx)?;
            rows::clear_derived(tx)?;
            let dropped = rows::drop_indexes(tx)?;
            add_baselines(tx, &mut progress)?;
            let mut place = 0;
            let mut counted = 0;
            loop {
                let events = activity::after(tx, place, CHUNK)?;
                let Some(last) = events.last() else { break };
                place = last.id;
                counted += events.len() as u64;
                count(tx, &events)?;
                progress("events", counted, all);
            }
            progress("boards", counted, all);
            rows::create_indexes(tx, &dropped)?;
            guilds::recount(tx)?;
            Ok::<u64, AppError>(counted)
        })
        .await
}

fn count(tx: &mut Tx, events: &[EventRow]) -> Result<(), AppError> {
    let mut derived = Derived::default();
    derived.read_names(tx, events)?;
    for row in events {
        if let Some(event) = from_row(row, &derived.players, &derived.patches) {
            derived.add(row, &event);
        }
    }
    let mut change = derived.store_players(tx)?;
    derived.store_shared(tx, EpochMillis(0), &mut change)
}

fn add_baselines(tx: &mut Tx, progress: &mut impl FnMut(&'static str, u64, u64)) -> Result<(), AppError> {
    let all = rows::count_baselines(tx)?.unsigned_abs();
    let (mut place, mut done) = (0, 0);
    loop {
        let stored = rows::list_baselines(tx, place, CHUNK)?;
        let Some((last, _)) = stored.last() else { return Ok(()) };
        place = *last;
        let ids: Vec<i64> = stored.iter().map(|(id, _)| *id).collect();
        let keys: BTreeMap<i64, _> = players::find_refs_by_id(tx, &ids)?.into_iter().map(|key| (key.id, key)).collect();
        let mut changes = Vec::with_capacity(stored.len());
        let mut counters = BTreeMap::new();
        for (id, json) in &stored {
            let (Some(key), Ok(figures)) = (keys.get(id), serde_json::from_str::<Baseline>(json)) else { continue };
            changes.push(ScoreChange {
                player_id: *id,
                handle_folded: key.handle_folded.clone(),
                is_hidden: key.is_off_boards(),
                scores: figures.scores(),
                unknown_deaths: figures.unknown_deaths,
                last_active_at: figures.last_active_at,
            });
            let of_modes = [((*id, 1), figures.pu), ((*id, 2), figures.ac)];
            counters.extend(of_modes.into_iter().filter(|(_, counters)| !counters.is_zero()));
        }
        ingest::insert_scores(tx, &changes)?;
        ingest::add_counters(tx, &counters)?;
        done += stored.len() as u64;
        progress("figures", done, all);
    }
}

//! The effect of an action on figures, before it runs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::domain::trust::Action;
use crate::error::AppError;
use crate::features::ingest;
use crate::store::moderation::{self, EventSelection, IdOrder};
use crate::store::{Store, ingest as stored, leaderboard, players};
use crate::views::moderation::{ModerationPreview, ScoreEffect};

use super::run::CHUNK;
use super::target::{Selection, decision};

const MAX_PLAYERS: usize = 20;

/// Computes what an action would change. Nothing is written.
pub async fn preview(store: &Store, action: Action, selection: Selection) -> Result<ModerationPreview, AppError> {
    let target = selection.target.clone();
    let (resolved, last_id) = store.read(move |conn| Ok((target.resolve(conn)?, stored::last_id(conn)?))).await?;
    let resolved = resolved.ok_or_else(|| selection.target.not_found())?;
    let mut preview = ModerationPreview::default();
    let mut changes: BTreeMap<i64, i64> = BTreeMap::new();
    let mut position = 0;
    while let Some(part) = part(store, action, &selection, &resolved.events, position, last_id).await? {
        position = part.position;
        preview.events += part.events;
        preview.reports += part.reports;
        part.effect.into_iter().for_each(|(id, change)| *changes.entry(id).or_default() += change);
    }
    changes.retain(|_, change| *change != 0);
    preview.players = changes.len() as i64;
    preview.effect = largest(store, changes).await?;
    Ok(preview)
}

/// The effect on some events.
struct Part {
    position: i64,
    events: i64,
    reports: i64,
    effect: BTreeMap<i64, i64>,
}

/// The effect on the next events after `position`; `None` if there are none.
async fn part(
    store: &Store,
    action: Action,
    selection: &Selection,
    events: &EventSelection,
    position: i64,
    last_id: i64,
) -> Result<Option<Part>, AppError> {
    let (bounds, events) = (selection.bounds(position + 1, last_id), events.clone());
    let Some(decision) = decision(action, &events) else { return Ok(None) };
    let now = store.now();
    store
        .read(move |conn| {
            let ids = moderation::select_events(conn, Some(&events), bounds, IdOrder::Ascending, CHUNK)?;
            let Some(position) = ids.last().copied() else { return Ok(None) };
            let plan = ingest::plan(conn, &ids, &decision, now)?;
            let changed: BTreeSet<i64> = plan.changed.iter().map(|change| change.event_id).collect();
            let reports = plan.changed.iter().filter(|change| change.key_id.is_some()).count();
            Ok(Some(Part { position, events: changed.len() as i64, reports: reports as i64, effect: plan.effect() }))
        })
        .await
        .map_err(AppError::from)
}

/// The players whose scores change most.
async fn largest(store: &Store, changes: BTreeMap<i64, i64>) -> Result<Vec<ScoreEffect>, AppError> {
    let mut changes: Vec<(i64, i64)> = changes.into_iter().collect();
    changes.sort_by_key(|(id, change)| (Reverse(change.abs()), *id));
    changes.truncate(MAX_PLAYERS);
    let ids: Vec<i64> = changes.iter().map(|(id, _)| *id).collect();
    let (names, scores) = store
        .read(move |conn| Ok((players::find_refs_by_id(conn, &ids)?, leaderboard::scores_of(conn, &ids)?)))
        .await?;
    let effect = changes.into_iter().filter_map(|(id, change)| {
        let handle = names.iter().find(|player| player.id == id)?.handle.clone();
        let before = scores.iter().find(|row| row.player_id == id).map_or(0, |row| row.overall);
        Some(ScoreEffect { handle, before, after: before + change })
    });
    Ok(effect.collect())
}

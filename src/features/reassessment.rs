//! Assesses stored events again: the reports of a player who was claimed, the events of a name that became known, and events from before
//! grades existed. The queue is in the database, so a stopped process loses nothing.

use std::collections::BTreeMap;

use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::features::ingest::{self, Decision, Reassessed};
use crate::replication::RecordedChange;
use crate::store::conn::AnyConn;
use crate::store::ledger::{self, EventBounds, EventSelection, IdOrder};
use crate::store::reassessments::{self, ReassessmentRow};
use crate::store::{Store, Tx, ingest as stored, leaderboard, names, players};

/// The job that works through the queue.
pub const JOB: &str = "reassessment";

/// The number of events per transaction.
const CHUNK: i64 = 500;
/// The number of players whose scores a preview lists.
const MAX_PLAYERS: usize = 20;

/// Works through the queue, oldest first. `publish` receives every committed change.
pub async fn run_pending(
    store: &Store,
    publish: impl Fn(&RecordedChange) + Clone + Send + 'static,
) -> Result<(), AppError> {
    while let Some(task) = store.read(reassessments::next).await? {
        step(store, task, publish.clone()).await?;
    }
    Ok(())
}

async fn step(
    store: &Store,
    task: ReassessmentRow,
    publish: impl Fn(&RecordedChange) + Send + 'static,
) -> Result<(), AppError> {
    let ids = store.read(move |conn| next_events(conn, task)).await?;
    let Some(position) = ids.last().copied() else {
        return store.write(move |tx| reassessments::remove(tx, task.id).map_err(AppError::from)).await;
    };
    let decision = match task.kind {
        reassessments::NAME => Decision::KnownNames,
        reassessments::LEGACY => Decision::Reassess(Reassessed::All),
        _ => Decision::Reassess(Reassessed::Graded),
    };
    let apply = move |tx: &mut Tx| {
        if !reassessments::advance(tx, task.id, task.position, position)? {
            return Ok::<_, AppError>(None);
        }
        let (_, recorded) = ingest::decide(tx, &ids, &decision, EpochMillis::now())?;
        Ok(recorded)
    };
    store.write_then(apply, move |recorded: &Option<RecordedChange>| recorded.iter().for_each(&publish)).await?;
    Ok(())
}

/// The ids of the next events of a task, in ascending order.
fn next_events(conn: &mut AnyConn, task: ReassessmentRow) -> diesel::QueryResult<Vec<i64>> {
    let selection = match task.kind {
        reassessments::LEGACY => return reassessments::legacy_events(conn, task.position, task.last_id, CHUNK),
        reassessments::NAME => EventSelection::Player(task.subject),
        _ => EventSelection::Keys(names::keys_of(conn, crate::domain::trust::Scope::Account(task.subject))?),
    };
    let bounds = EventBounds { first_id: task.position + 1, ..EventBounds::up_to(task.last_id) };
    ledger::select_events(conn, Some(&selection), bounds, IdOrder::Ascending, CHUNK)
}

/// What a new assessment of the events from before grades existed changes.
#[derive(Debug, Default)]
pub struct RegradePreview {
    /// Events from before grades existed.
    pub events: i64,
    /// Players whose overall score changes.
    pub players: i64,
    /// At most 20 of them, largest change first: handle, score before, score after.
    pub effect: Vec<(String, i64, i64)>,
}

/// Computes what [`regrade`] changes.
pub async fn preview_regrade(store: &Store) -> Result<RegradePreview, AppError> {
    let (events, last_id) = store.read(|conn| Ok((reassessments::count_legacy(conn)?, stored::last_id(conn)?))).await?;
    let mut changes: BTreeMap<i64, i64> = BTreeMap::new();
    let mut position = 0;
    loop {
        let part = store
            .read(move |conn| {
                let ids = reassessments::legacy_events(conn, position, last_id, CHUNK)?;
                let plan = ingest::plan(conn, &ids, &Decision::Reassess(Reassessed::All), EpochMillis::now())?;
                Ok((ids.last().copied(), plan.effect()))
            })
            .await?;
        let (Some(last), effect) = part else { break };
        position = last;
        effect.into_iter().for_each(|(id, change)| *changes.entry(id).or_default() += change);
    }
    changes.retain(|_, change| *change != 0);
    let players = changes.len() as i64;
    Ok(RegradePreview { events, players, effect: largest(store, changes).await? })
}

async fn largest(store: &Store, changes: BTreeMap<i64, i64>) -> Result<Vec<(String, i64, i64)>, AppError> {
    let mut changes: Vec<(i64, i64)> = changes.into_iter().collect();
    changes.sort_by_key(|(id, change)| (-change.abs(), *id));
    changes.truncate(MAX_PLAYERS);
    let ids: Vec<i64> = changes.iter().map(|(id, _)| *id).collect();
    let (refs, scores) = store
        .read(move |conn| Ok((players::find_refs_by_id(conn, &ids)?, leaderboard::scores_of(conn, &ids)?)))
        .await?;
    let effect = changes.into_iter().filter_map(|(id, change)| {
        let handle = refs.iter().find(|player| player.id == id)?.handle.clone();
        let before = scores.iter().find(|row| row.player_id == id).map_or(0, |row| row.overall);
        Some((handle, before, before + change))
    });
    Ok(effect.collect())
}

/// Queues all events from before grades existed. A running site processes them in the background.
pub async fn regrade(store: &Store) -> Result<(), AppError> {
    store
        .write(|tx| {
            if reassessments::is_pending(tx, reassessments::LEGACY)? {
                return Err(AppError::Conflict("The events are being graded already.".into()));
            }
            let last_id = stored::last_id(tx)?;
            Ok(reassessments::add_legacy(tx, last_id)?)
        })
        .await
}

/// The number of events of a regrade that remain; `None` if none is under way.
pub async fn remaining_regrade(store: &Store) -> Result<Option<i64>, AppError> {
    let read = |conn: &mut AnyConn| {
        Ok((reassessments::is_pending(conn, reassessments::LEGACY)?, reassessments::count_legacy(conn)?))
    };
    let (is_pending, left) = store.read(read).await?;
    Ok(is_pending.then_some(left))
}

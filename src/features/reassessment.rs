//! Assesses stored events again: the reports of a player who was claimed, and the events of a name that became known. The queue is in the
//! database, so a stopped process loses nothing.

use crate::error::AppError;
use crate::features::ingest::{self, Decision};
use crate::replication::RecordedChange;
use crate::store::conn::AnyConn;
use crate::store::moderation::{self, EventBounds, EventSelection, IdOrder};
use crate::store::reassessments::{self, ReassessmentRow};
use crate::store::{Store, Tx, names};

/// The job that works through the queue.
pub const JOB: &str = "reassessment";

/// The number of events per transaction.
const CHUNK: i64 = 500;

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
        _ => Decision::Reassess,
    };
    let now = store.now();
    let apply = move |tx: &mut Tx| {
        if !reassessments::advance(tx, task.id, task.position, position)? {
            return Ok::<_, AppError>(None);
        }
        let (_, recorded) = ingest::decide(tx, &ids, &decision, now)?;
        Ok(recorded)
    };
    store.write_then(apply, move |recorded: &Option<RecordedChange>| recorded.iter().for_each(&publish)).await?;
    Ok(())
}

/// The ids of the next events of a task, in ascending order.
fn next_events(conn: &mut AnyConn, task: ReassessmentRow) -> diesel::QueryResult<Vec<i64>> {
    let selection = match task.kind {
        reassessments::NAME => EventSelection::Player(task.subject),
        _ => EventSelection::Keys(names::keys_of(conn, crate::domain::trust::Scope::Account(task.subject))?),
    };
    let bounds = EventBounds { first_id: task.position + 1, ..EventBounds::up_to(task.last_id) };
    moderation::select_events(conn, Some(&selection), bounds, IdOrder::Ascending, CHUNK)
}

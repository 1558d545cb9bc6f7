//! Groups batches that wait for the database: thousands of readers send a few events each, and one transaction costs about the
//! same for one event as for fifty.

use std::collections::{HashMap, HashSet};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, MutexGuard};

use futures_util::FutureExt;
use tokio::sync::oneshot;

use crate::app::{App, BatchOutcome, IngestQueueState, WaitingBatch};
use crate::domain::events::{Identity, ValidEvent};
use crate::domain::fights::FIGHT_WINDOW_MS;
use crate::domain::patches::Patch;
use crate::domain::trust::{LogHeader, Reporter};
use crate::error::AppError;
use crate::failpoint::failpoint;
use crate::store::StoreError;

use super::batch::Batch;
use super::commit::{self, Committed};

/// The maximum number of events of one transaction. A larger batch is committed alone.
const MAX_GROUP_EVENTS: usize = 2_000;
/// The maximum number of concurrent transactions: one runs while another waits for its commit. More would leave no batches to
/// group.
const MAX_WORKERS: usize = 2;
/// The maximum number of waiting batches. Further ones are rejected as overload.
const MAX_WAITING_BATCHES: usize = 4_096;

/// Queues a batch; returns what became of it once its events are on disk.
pub async fn submit(
    app: &Arc<App>,
    reporter: Reporter,
    events: Vec<ValidEvent>,
    log: Option<LogHeader>,
) -> Result<BatchOutcome, AppError> {
    let (reply, answer) = oneshot::channel();
    let starts_worker = {
        let mut queue = queue(app);
        if queue.waiting.len() >= MAX_WAITING_BATCHES {
            return Err(StoreError::Busy.into());
        }
        queue.waiting.push_back(WaitingBatch { reporter, events, log, reply });
        let starts_worker = queue.active_workers < MAX_WORKERS;
        queue.active_workers += usize::from(starts_worker);
        starts_worker
    };
    if starts_worker {
        tokio::spawn(run_worker(Arc::clone(app)));
    }
    answer.await.map_err(|_| StoreError::Closed)?
}

fn queue(app: &App) -> MutexGuard<'_, IngestQueueState> {
    app.ingest.lock()
}

/// Runs until the queue is empty. After a panic the senders of one group get an error, and the worker, which is still counted
/// as active, continues with the next group.
async fn run_worker(app: Arc<App>) {
    while AssertUnwindSafe(drain_queue(Arc::clone(&app))).catch_unwind().await.is_err() {
        app.diagnostics.record_panic();
        tracing::error!("the ingest worker panicked; its group of batches failed");
    }
}

/// Commits groups of batches until the queue is empty.
async fn drain_queue(app: Arc<App>) {
    loop {
        let group = {
            let mut queue = queue(&app);
            let group = next_group(&mut queue);
            if group.is_empty() {
                // Under the same lock, so that a batch queued after this starts a new worker.
                queue.active_workers -= 1;
                return;
            }
            group
        };
        commit_group(&app, group).await;
    }
}

/// Takes the oldest batches without a common event or fight, since duplicates are detected against stored events only.
fn next_group(queue: &mut IngestQueueState) -> Vec<WaitingBatch> {
    let mut contents = GroupContents::default();
    let mut group = Vec::new();
    let mut events = 0;
    while let Some(next) = queue.waiting.front() {
        events += next.events.len();
        if !group.is_empty() && (events > MAX_GROUP_EVENTS || contents.overlaps(&next.events)) {
            break;
        }
        contents.add(&next.events);
        group.extend(queue.waiting.pop_front());
    }
    group
}

/// The events and fights of a group.
#[derive(Default)]
struct GroupContents {
    identities: HashSet<Identity>,
    /// Times by fight key, in epoch milliseconds.
    fights: HashMap<i64, Vec<i64>>,
}

impl GroupContents {
    fn overlaps(&self, events: &[ValidEvent]) -> bool {
        events.iter().any(|event| {
            let near = |at: &i64| (at - event.event_time.0).abs() <= FIGHT_WINDOW_MS;
            self.identities.contains(&event.identity)
                || event.fight.and_then(|fight| self.fights.get(&fight)).is_some_and(|times| times.iter().any(near))
        })
    }

    fn add(&mut self, events: &[ValidEvent]) {
        self.identities.extend(events.iter().map(|event| event.identity));
        for event in events {
            if let Some(fight) = event.fight {
                self.fights.entry(fight).or_default().push(event.event_time.0);
            }
        }
    }
}

async fn commit_group(app: &Arc<App>, group: Vec<WaitingBatch>) {
    failpoint("ingest-group");
    let (mut replies, mut batches) = (Vec::with_capacity(group.len()), Vec::with_capacity(group.len()));
    for WaitingBatch { reporter, events, log, reply } in group {
        replies.push(reply);
        batches.push(Batch { reporter, events, log });
    }
    let batches: Arc<[Batch]> = batches.into();
    match commit_batches(app, Arc::clone(&batches)).await {
        Ok(outcomes) => replies.into_iter().zip(outcomes).for_each(|(reply, outcomes)| send_reply(reply, Ok(outcomes))),
        Err(error) if batches.len() == 1 => {
            if let Some(reply) = replies.pop() {
                send_reply(reply, Err(error));
            }
        }
        // One failing batch fails the whole group, so each batch is committed separately.
        Err(error) => {
            tracing::warn!(%error, batches = batches.len(), "a group of batches failed; each is committed separately");
            for (reply, batch) in replies.into_iter().zip(batches.iter()) {
                let outcomes = commit_batches(app, Arc::new([batch.clone()])).await;
                send_reply(reply, outcomes.map(|outcomes| outcomes.into_iter().next().unwrap_or_default()));
            }
        }
    }
}

async fn commit_batches(app: &Arc<App>, batches: Arc<[Batch]>) -> Result<Vec<BatchOutcome>, AppError> {
    let (now, after) = (app.store.now(), Arc::clone(app));
    let first_patch = Patch::parse(&app.settings.patch).map(|patch| patch.version());
    let rules = app.settings.trust.clone();
    let committed = app
        .store
        .write_then(
            move |tx| commit::commit(tx, &batches, &rules, first_patch, now),
            move |committed: &Committed| {
                if let Some(change) = &committed.change {
                    after.projections.apply([change.clone()]);
                }
            },
        )
        .await?;
    Ok(committed.outcomes)
}

fn send_reply(reply: oneshot::Sender<Result<BatchOutcome, AppError>>, outcome: Result<BatchOutcome, AppError>) {
    // Fails if the sender has disconnected; the events are stored nevertheless.
    let _ = reply.send(outcome);
}

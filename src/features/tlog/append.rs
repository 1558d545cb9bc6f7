//! Appends leaves. Events are followed by their ids, so that ingest pays nothing; changes of events and entries of the ledger wait in
//! the database.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::{checkpoint, damaged, erase};
use crate::app::App;
use crate::domain::tlog::{SALT_BYTES, Tree, leaf_hash, partial_tiles};
use crate::error::AppError;
use crate::failpoint::failpoint;
use crate::features::secret;
use crate::store::conn::AnyConn;
use crate::store::ingest::EventRow;
use crate::store::ledger::LedgerRow;
use crate::store::tlog::{self, LeafKind, LeafRow, StateRow};
use crate::store::{Tx, activity, ingest, players};

/// New events, changed events and entries per transaction, each.
const CHUNK: i64 = 500;
/// How long leaves are appended before other work of the job.
const RUN_TIME: Duration = Duration::from_secs(5);

/// Appends leaves and signs checkpoints.
#[derive(Default)]
pub struct LogWriter {
    /// Whether the last run left events without a leaf.
    is_behind: bool,
}

impl LogWriter {
    /// Appends what is new and signs a checkpoint, if the last one is old enough.
    pub async fn run(&mut self, app: &App) -> Result<(), AppError> {
        let is_due = checkpoint::is_due(app).await?;
        if !is_due && !self.is_behind {
            return Ok(());
        }
        let began = Instant::now();
        self.is_behind = true;
        while began.elapsed() < RUN_TIME {
            if !append(app).await? {
                self.is_behind = false;
                break;
            }
        }
        if !self.is_behind {
            erase::erase_pending(&app.store).await?;
        }
        if is_due { checkpoint::sign(app).await } else { Ok(()) }
    }
}

/// Appends the next leaves in one transaction; returns whether there were any.
async fn append(app: &App) -> Result<bool, AppError> {
    let Some(batch) = app.store.read_consistent(read_batch).await? else { return Ok(false) };
    app.store.write(move |tx| batch.store(tx)).await?;
    Ok(true)
}

/// Leaves to append.
struct Batch {
    before: StateRow,
    /// The last event that has a leaf afterwards.
    last_event_id: i64,
    tree: Tree,
    leaves: Vec<LeafRow>,
    /// Lines of earlier leaves whose events have changed.
    archived: Vec<(i64, String)>,
    /// Recorded changes that have leaves afterwards.
    revisions: Vec<i64>,
}

/// Reads what has no leaf yet, from one snapshot of the database: a change that is committed later finds its event logged.
fn read_batch(conn: &mut AnyConn) -> Result<Option<Batch>, AppError> {
    let before = tlog::state(conn)?;
    let last = ingest::last_id(conn)?.min(before.last_event_id + CHUNK).max(before.last_event_id);
    let revised = tlog::revised_events(conn, before.last_event_id, CHUNK)?;
    let entries = tlog::unlogged_entries(conn, CHUNK)?;
    if last == before.last_event_id && revised.is_empty() && entries.is_empty() {
        return Ok(None);
    }
    let size = before.size.unsigned_abs();
    let tiles = tlog::tiles(conn, partial_tiles(size))?;
    let tree = Tree::resume(size, tiles).ok_or_else(|| damaged(before.size))?;
    let mut batch =
        Batch { before, last_event_id: last, tree, leaves: Vec::new(), archived: Vec::new(), revisions: Vec::new() };
    batch.add_entries(conn, &entries)?;
    let new = ingest::events_between(conn, before.last_event_id + 1, last)?;
    batch.add_events(conn, &revised, new)?;
    Ok(Some(batch))
}

impl Batch {
    fn add_entries(&mut self, conn: &mut AnyConn, entries: &[LedgerRow]) -> Result<(), AppError> {
        let ids: Vec<i64> = entries.iter().filter_map(tlog::ledger_player).collect();
        let handles: HashMap<i64, String> =
            players::find_refs_by_id(conn, &ids)?.into_iter().map(|player| (player.id, player.handle_folded)).collect();
        entries.iter().try_for_each(|entry| {
            let line = tlog::ledger_line(entry, &handles);
            self.push(LeafKind::LedgerEntry, entry.id, line, false)
        })
    }

    /// Adds leaves for changed events, which have leaves already, and for new ones.
    fn add_events(&mut self, conn: &mut AnyConn, revised: &[i64], new: Vec<EventRow>) -> Result<(), AppError> {
        let newest = tlog::newest_leaves(conn, LeafKind::Event, revised)?;
        let mut events = activity::find_many(conn, revised)?;
        let ids: Vec<i64> = revised.iter().copied().chain(new.iter().map(|event| event.id)).collect();
        events.extend(new);
        let handles = tlog::handles_of(conn, &events)?;
        let mut former: HashMap<i64, Vec<String>> = HashMap::new();
        for revision in tlog::revisions_of(conn, &ids)? {
            self.revisions.push(revision.id);
            former.entry(revision.event_id).or_default().push(revision.line);
        }
        let mut current: HashMap<i64, String> =
            events.iter().map(|event| (event.id, tlog::event_line(event, &handles))).collect();
        for id in ids {
            let former = former.remove(&id).unwrap_or_default();
            self.add_event(id, newest.get(&id).copied(), former, current.remove(&id))?;
        }
        Ok(())
    }

    /// Adds a leaf for each state of an event. `newest` is its newest leaf, which has the first of these states.
    fn add_event(
        &mut self,
        id: i64,
        newest: Option<i64>,
        former: Vec<String>,
        current: Option<String>,
    ) -> Result<(), AppError> {
        let has_row = current.is_some();
        let mut lines = former;
        lines.extend(current);
        // The line does not depend on all columns.
        lines.dedup();
        let count = lines.len();
        for (at, line) in lines.into_iter().enumerate() {
            // The last one can be written from the event.
            let is_stored = at + 1 < count || !has_row;
            match newest.filter(|_| at == 0) {
                Some(position) if is_stored => self.archived.push((position, line)),
                Some(_) => {}
                None => self.push(LeafKind::Event, id, line, is_stored)?,
            }
        }
        Ok(())
    }

    fn push(&mut self, kind: LeafKind, subject_id: i64, line: String, is_stored: bool) -> Result<(), AppError> {
        let salt = secret::bytes::<SALT_BYTES>().map_err(AppError::internal)?;
        self.leaves.push(LeafRow {
            position: self.tree.size().cast_signed(),
            kind: kind.code(),
            subject_id,
            salt: Some(salt.to_vec()),
            line: is_stored.then(|| line.clone()),
        });
        self.tree.push(leaf_hash(&salt, &line));
        Ok(())
    }

    /// Stores the leaves, unless another process was faster.
    fn store(&self, tx: &mut Tx) -> Result<(), AppError> {
        let size = self.tree.size().cast_signed();
        if !tlog::advance(tx, self.before.size, size, self.last_event_id)? {
            return Ok(());
        }
        self.archived.iter().try_for_each(|(position, line)| tlog::archive_line(tx, *position, line))?;
        tlog::insert_leaves(tx, &self.leaves)?;
        failpoint("tlog-append");
        tlog::put_tiles(tx, self.tree.changed())?;
        tlog::remove_revisions(tx, &self.revisions)?;
        Ok(())
    }
}

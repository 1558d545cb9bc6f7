//! Receives the changes of other processes and delivers them, each in its turn.

use std::time::{Duration, Instant};

use crate::store::StoreError;
use crate::store::changes::{self, Change, PublishedChange, ReadError};
use crate::store::listen::Listener;

use super::{ProjectionError, Projections};

/// The interval between two polls of the connection. A poll costs one system call.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// After this time without a notification the follower checks that the connection works and has missed nothing.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The interval between two attempts to connect.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);
/// The number of changes read from the table in one query.
const CHUNK: i64 = 500;

#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Rebuild(#[from] ProjectionError),
}

/// Follows the other processes on the same PostgreSQL database.
pub struct Follower<'a> {
    projections: &'a Projections,
    listener: Option<Listener>,
    checked: Instant,
}

impl<'a> Follower<'a> {
    /// [`Projections::set_followed`] must have been called before.
    pub fn new(projections: &'a Projections) -> Self {
        Self { projections, listener: None, checked: Instant::now() }
    }

    /// Waits for the next changes and delivers them. Blocks; the caller runs it in a loop.
    pub fn step(&mut self) {
        if let Err(error) = self.poll() {
            if self.listener.take().is_some() {
                tracing::warn!(%error, "the connection to other processes is lost; missed changes are read after the reconnect");
            }
            std::thread::sleep(RETRY_INTERVAL);
        }
    }

    fn poll(&mut self) -> Result<(), FollowError> {
        if self.listener.is_none() {
            let Some(opened) = self.projections.store.listen() else { return Ok(()) };
            self.listener = Some(opened?);
            // Changes from before the listener was open.
            self.read_missing()?;
            tracing::debug!("listening to other processes");
        }
        let sequence = &self.projections.sequence;
        sequence.wait_for_gap(POLL_INTERVAL);
        let Some(listener) = &mut self.listener else { return Ok(()) };
        let payloads = listener.poll()?;
        let mut entries = Vec::new();
        let mut has_gap = false;
        let mut expected = sequence.next();
        for (id, entry) in payloads.iter().filter_map(|payload| changes::parse_notification(payload)) {
            if !sequence.has(id) {
                has_gap |= id > expected || entry.is_none();
                entries.extend(entry);
            }
            expected = expected.max(id + 1);
        }
        if !has_gap && !entries.is_empty() {
            self.deliver(entries)?;
        } else if has_gap || sequence.has_gap() {
            self.read_missing()?;
        } else if self.checked.elapsed() > CHECK_INTERVAL {
            self.checked = Instant::now();
            let newest = listener.read(changes::newest)?;
            self.projections.live.mark_committed(newest.event_id);
            if newest.id >= sequence.next() {
                self.read_missing()?;
            }
        }
        Ok(())
    }

    /// Reads the changes from the table that were not applied in this process.
    fn read_missing(&mut self) -> Result<(), FollowError> {
        let sequence = &self.projections.sequence;
        loop {
            let Some(listener) = &mut self.listener else { return Ok(()) };
            let next = sequence.next();
            let (newest, entries) =
                listener.read(|conn| Ok((changes::newest(conn)?, changes::after(conn, next - 1, CHUNK)?)))?;
            let is_lost = entries.first().map_or(newest.id >= next, |first| first.position.id > next);
            if is_lost && sequence.next() == next {
                tracing::warn!(next, newest = newest.id, "too many changes were missed; projections are rebuilt");
                self.rebuild()?;
                continue;
            }
            let is_end = (entries.len() as i64) < CHUNK;
            self.deliver(entries)?;
            if is_end {
                return Ok(());
            }
        }
    }

    /// Delivers changes, including those of this process that its own threads have not applied yet.
    fn deliver(&self, mut entries: Vec<PublishedChange>) -> Result<(), FollowError> {
        entries.retain(|entry| !self.projections.sequence.has(entry.position.id));
        let changes = changes::read(&self.projections.store, entries)?;
        if changes.iter().any(|recorded| matches!(*recorded.change, Change::Rebuild)) {
            return self.rebuild();
        }
        self.projections.apply(changes);
        Ok(())
    }

    fn rebuild(&self) -> Result<(), FollowError> {
        Ok(self.projections.rebuild(|_, _| {}).map(drop)?)
    }
}

//! Hears what other processes committed and lets it take effect here, each change in its turn.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::{App, Effect};
use crate::error::AppError;
use crate::features::index::{self, OpenError};
use crate::features::ingest;
use crate::store::StoreError;
use crate::store::changes::{self, PublishedChange};
use crate::store::listen::Listener;

use super::{Change, apply};

/// Between two looks at what was heard. A look costs one call into the kernel.
const LOOK: Duration = Duration::from_millis(10);
/// A connection that says nothing is asked this often whether it lives and has missed nothing.
const CHECK: Duration = Duration::from_secs(1);
/// Between two tries to get a lost connection back.
const RETRY: Duration = Duration::from_millis(250);
/// How many changes are read at once.
const PIECE: i64 = 500;
/// How long changes can be read back; who was away for longer builds everything anew.
const KEPT: Duration = Duration::from_secs(15 * 60);

/// Why a look failed.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("a change cannot be read: {0}")]
    Body(#[from] serde_json::Error),
}

/// Follows the other processes on the same database.
pub struct Follower {
    app: Arc<App>,
    listener: Option<Listener>,
    checked: Instant,
}

impl Follower {
    /// To be made before anything is written; `None` on SQLite.
    pub fn of(app: &Arc<App>) -> Option<Self> {
        app.store.is_postgres().then(|| {
            app.changes.follow();
            Self { app: Arc::clone(app), listener: None, checked: Instant::now() }
        })
    }

    /// Waits for what comes next and takes it in. Blocking; to be called again and again.
    pub fn step(&mut self) {
        if let Err(error) = self.look() {
            if self.listener.take().is_some() {
                tracing::warn!(%error, "other processes cannot be heard; what is missed is read once they can");
            }
            std::thread::sleep(RETRY);
        }
    }

    fn look(&mut self) -> Result<(), FollowError> {
        if self.listener.is_none() {
            let Some(opened) = self.app.store.listen() else { return Ok(()) };
            self.listener = Some(opened?);
            // What was told before anybody listened.
            self.read_missing()?;
            tracing::debug!("other processes are heard");
        }
        self.app.changes.wait(LOOK);
        let Some(listener) = &mut self.listener else { return Ok(()) };
        let heard = listener.poll()?;
        let mut told = Vec::new();
        let mut has_gap = false;
        let mut expected = self.app.changes.next();
        for (id, change) in heard.iter().filter_map(|payload| changes::parse_notification(payload)) {
            if self.app.changes.has(id) {
                expected = expected.max(id + 1);
                continue;
            }
            has_gap |= id > expected || change.is_none();
            expected = expected.max(id + 1);
            told.extend(change);
        }
        if !has_gap && !told.is_empty() {
            self.take(told)?;
        } else if has_gap || self.app.changes.has_gap() {
            self.read_missing()?;
        } else if self.checked.elapsed() > CHECK {
            self.checked = Instant::now();
            let newest = listener.read(changes::newest)?;
            self.app.live.mark_committed(newest.event_id);
            if newest.id >= self.app.changes.next() {
                self.read_missing()?;
            }
        }
        Ok(())
    }

    /// Reads from the table what has not taken effect here.
    fn read_missing(&mut self) -> Result<(), FollowError> {
        loop {
            let Some(listener) = &mut self.listener else { return Ok(()) };
            let next = self.app.changes.next();
            let (newest, told) =
                listener.read(|conn| Ok((changes::newest(conn)?, changes::after(conn, next - 1, PIECE)?)))?;
            let is_lost = told.first().map_or(newest.id >= next, |first| first.place.id > next);
            if is_lost && self.app.changes.next() == next {
                tracing::warn!(next, newest = newest.id, "too much was missed; everything derived is built anew");
                index::start_anew(&self.app)?;
                continue;
            }
            let is_end = (told.len() as i64) < PIECE;
            self.take(told)?;
            if is_end {
                return Ok(());
            }
        }
    }

    /// Lets changes take effect; of this process too, if its own threads did not get to it yet.
    fn take(&mut self, told: Vec<PublishedChange>) -> Result<(), FollowError> {
        let mut changes = Vec::with_capacity(told.len());
        for told in told {
            changes.push((told.place, serde_json::from_str::<Change>(&told.body)?));
        }
        if changes.iter().any(|(_, change)| matches!(change, Change::Everything)) {
            return Ok(index::start_anew(&self.app)?);
        }
        let events = changes.iter().filter_map(|(place, change)| match change {
            Change::Events(told) if !self.app.changes.has(place.id) => Some((*place, told.clone())),
            _ => None,
        });
        let mut batches = ingest::read_changes(&self.app, events.collect())?.into_iter().peekable();
        let mut effects: Vec<(i64, Effect)> = Vec::with_capacity(changes.len());
        for (place, change) in changes {
            let effect: Effect = match batches.next_if(|(id, _)| *id == place.id) {
                Some((_, batch)) => Box::new(move |app| ingest::apply_effects(app, &batch)),
                None => Box::new(move |app| apply::apply(app, place, &change)),
            };
            effects.push((place.id, effect));
        }
        self.app.in_order(effects);
        Ok(())
    }
}

/// Forgets what every process has heard long ago.
pub async fn forget_old(app: &App) -> Result<usize, AppError> {
    let before = App::now().0 - KEPT.as_millis() as i64;
    app.store.write(move |tx| changes::delete_before(tx, before).map_err(AppError::from)).await
}

//! The search index: rebuilt from the database when necessary, otherwise updated with each change.
//!
//! Two sequences drive it: events, whose ids have no gaps, and the rows that triggers of the database write to
//! `search_changes` for everything else that search shows. The index on disk stores its position in both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use crate::search::{Change, Entry, Kind, OpenOutcome, Watermark};
use crate::store::conn::AnyConn;
use crate::store::search_changes::{self, ChangeRow};
use crate::store::{StoreError, activity, distinct, entries, ingest, players};

use super::{ProjectionError, Projections};

/// How many events or changes are read in one query.
const CATCH_UP: i64 = 2_000;
/// An index that is further behind is rebuilt, which is faster.
const FAR_BEHIND: i64 = 300_000;
/// How many changes are retained in the table. An older index is rebuilt.
const RETAINED: i64 = 500_000;
/// On PostgreSQL changes may become visible in another order than that of their ids, but within this distance.
const DISORDER: i64 = 1_000;
/// How many changes one transaction deletes.
const DELETE_CHUNK: i64 = 20_000;
/// How many changes are buffered in memory before they are written to disk.
const FLUSH_AFTER: usize = 50_000;

impl Projections {
    /// Brings the search index to the state of the database, whose newest event is `last`.
    pub(super) fn restore_search(&self, opened: OpenOutcome, last: i64) -> Result<(), ProjectionError> {
        let (oldest, newest) = self.store.read_blocking(search_changes::bounds)?;
        let why = match opened {
            _ if self.is_incomplete() => {
                "an import was interrupted: import the file again, or run `apogee reindex` to count the imported part"
                    .to_owned()
            }
            OpenOutcome::Ready { watermark } if watermark.events > last || watermark.changes > newest => {
                "the search index is ahead of the database and is rebuilt".to_owned()
            }
            OpenOutcome::Ready { watermark }
                if last - watermark.events > FAR_BEHIND
                    || newest - watermark.changes > FAR_BEHIND
                    || watermark.changes + 1 < oldest =>
            {
                "the search index is far behind the database and is rebuilt".to_owned()
            }
            OpenOutcome::Ready { watermark } => return self.catch_up_search(watermark),
            // The first start.
            OpenOutcome::Empty => String::new(),
            OpenOutcome::SetAside { to, why } => {
                format!("the search index was set aside as {} and is rebuilt: {why}", to.display())
            }
        };
        if !why.is_empty() {
            tracing::warn!("{why}");
        }
        self.rebuild_search(|_, _| {})?;
        Ok(self.mark_complete()?)
    }

    /// Builds the search index from the database and returns its number of entries; `progress` gets the number so far and of
    /// all.
    pub(super) fn rebuild_search(&self, mut progress: impl FnMut(u64, u64)) -> Result<u64, ProjectionError> {
        let total = (self.players.count() + self.guilds.count()).unsigned_abs();
        // Read before the entries: commits that happen meanwhile are applied again.
        let (_, changes) = self.store.read_blocking(search_changes::bounds)?;
        let mark = Watermark { events: self.store.read_blocking(ingest::last_id)?, changes };
        self.store.read_blocking(|conn| {
            entries::for_each(conn, |rows| {
                let entries = rows.map(|row| row.map(entry).map_err(ProjectionError::from));
                self.search.rebuild(entries, mark, |done| progress(done, total))
            })
        })?
    }

    /// Applies the commits since the last write of the index to disk.
    fn catch_up_search(&self, mark: Watermark) -> Result<(), ProjectionError> {
        let mut position = mark.events;
        let mut guild_ids: BTreeSet<i64> = BTreeSet::new();
        loop {
            let events = self.store.read_blocking(|conn| activity::after(conn, position, CATCH_UP))?;
            let Some(last) = events.last() else { break };
            position = last.id;
            let ids = distinct(events.iter().flat_map(|event| event.player_ids()));
            let keys = self.store.read_blocking(|conn| players::find_refs_by_id(conn, &ids))?;
            guild_ids.extend(keys.iter().filter_map(|key| key.guild_id));
            self.search.apply(self.read_search_changes(Kind::Player, &ids)?, position)?;
            self.flush_search_after(FLUSH_AFTER)?;
        }
        let guild_ids: Vec<i64> = guild_ids.into_iter().collect();
        self.search.apply(self.read_search_changes(Kind::Guild, &guild_ids)?, position)?;
        let mut position = (mark.changes - DISORDER).max(0);
        loop {
            let rows = self.store.read_blocking(|conn| search_changes::after(conn, position, CATCH_UP))?;
            let Some(last) = rows.last() else { break };
            position = last.id;
            for (kind, ids) in by_kind(&rows) {
                let changes = self.read_search_changes(kind, &ids)?;
                self.search.apply(changes, Watermark { events: 0, changes: position })?;
            }
            self.flush_search_after(FLUSH_AFTER)?;
        }
        self.flush_search_after(0)
    }

    fn flush_search_after(&self, waiting: usize) -> Result<(), ProjectionError> {
        if self.search.pending() > waiting {
            self.search.flush()?;
        }
        Ok(())
    }

    /// The current entries of these ids; ids that are no longer found are removals.
    fn read_search_changes(&self, kind: Kind, ids: &[i64]) -> Result<Vec<Change>, ProjectionError> {
        let rows = self.store.read_blocking(|conn| match kind {
            Kind::Player => entries::find_players(conn, ids),
            Kind::Guild => entries::find_guilds(conn, ids),
        })?;
        let found: BTreeSet<i64> = rows.iter().map(|row| row.id).collect();
        let removed = ids.iter().filter(|id| !found.contains(id)).map(|id| Change::Remove(kind, *id));
        Ok(removed.chain(rows.into_iter().map(|row| Change::Put(entry(row)))).collect())
    }

    /// Applies changes of players or guilds by anything but events. After an error the follower of `search_changes` applies them
    /// soon.
    pub(super) fn refresh_search(&self, kind: Kind, ids: &[i64]) {
        if ids.is_empty() {
            return;
        }
        if let Err(error) = self.refresh_entries(kind, ids, Watermark::default()) {
            tracing::error!(%error, "the search index could not apply a change; it is applied again soon");
        }
    }

    fn refresh_entries(&self, kind: Kind, ids: &[i64], mark: Watermark) -> Result<(), ProjectionError> {
        // Reading and applying are one step: an older read must not be applied last, or a hidden player is found again.
        let _turn = self.search_refresh.lock().unwrap_or_else(PoisonError::into_inner);
        // Only events change scores: a newer score than the one that was read is not overwritten.
        let changes = self.read_search_changes(kind, ids)?.into_iter().map(|change| match change {
            Change::Put(entry) => Change::PutKeepingScore(entry),
            other => other,
        });
        self.search.apply(changes.collect(), mark)?;
        // Another program on the same SQLite database, such as `apogee sticker`, is noticed here only.
        match kind {
            Kind::Player => self.players.cache.rows.invalidate(ids.iter().copied()),
            Kind::Guild => self.guilds.cache.rows.invalidate(ids.iter().copied()),
        }
        self.count_commit();
        Ok(())
    }

    /// Deletes all changes but the newest, which is the position of the index. After a rebuild by a command that has the database to
    /// itself, no index needs the older ones.
    pub(super) async fn delete_search_changes(&self) -> Result<(), StoreError> {
        if self.store.is_postgres() {
            return Ok(());
        }
        let (_, newest) = self.store.read(search_changes::bounds).await?;
        self.delete_search_changes_up_to(newest - 1).await
    }

    /// Deletes in small transactions, since others write as well.
    async fn delete_search_changes_up_to(&self, up_to: i64) -> Result<(), StoreError> {
        loop {
            let (oldest, _) = self.store.read(search_changes::bounds).await?;
            if oldest == 0 || oldest > up_to {
                return Ok(());
            }
            let part = up_to.min(oldest + DELETE_CHUNK);
            self.store.write(move |tx| search_changes::delete_up_to(tx, part).map_err(StoreError::from)).await?;
        }
    }
}

/// A row of the database as an entry of the search index.
pub fn entry(row: entries::EntryRow) -> Entry {
    Entry {
        kind: if row.is_guild { Kind::Guild } else { Kind::Player },
        id: row.id,
        key: row.key,
        name: row.name,
        former: row.former,
        org_short: row.org_short,
        score: row.score,
        member_count: row.member_count,
        is_claimed: row.is_claimed,
    }
}

fn by_kind(rows: &[ChangeRow]) -> BTreeMap<Kind, Vec<i64>> {
    let mut ids: BTreeMap<Kind, BTreeSet<i64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.kind != search_changes::PATCH) {
        let kind = if row.kind == search_changes::PLAYER { Kind::Player } else { Kind::Guild };
        ids.entry(kind).or_default().insert(row.entity_id);
    }
    ids.into_iter().map(|(kind, ids)| (kind, ids.into_iter().collect())).collect()
}

/// Follows the table `search_changes`: changes of other processes, and the position of the index on disk.
pub struct SearchFollower {
    /// The rows that were read, of the last [`DISORDER`].
    seen: BTreeSet<i64>,
    newest: i64,
}

impl SearchFollower {
    /// Starts at the position of the index on disk.
    pub async fn new(projections: &Projections) -> Result<Self, StoreError> {
        let newest = projections.search.watermark().changes;
        let seen = projections.store.read(move |conn| search_changes::after(conn, newest - DISORDER, DISORDER)).await?;
        let seen = seen.into_iter().map(|row| row.id).filter(|id| *id <= newest).collect();
        Ok(Self { seen, newest })
    }

    /// Applies all new changes.
    pub async fn follow(&mut self, projections: &Arc<Projections>) -> Result<(), ProjectionError> {
        while self.step(projections).await? > 0 {}
        Ok(())
    }

    /// Applies some of the new changes; returns their number.
    async fn step(&mut self, projections: &Arc<Projections>) -> Result<usize, ProjectionError> {
        let from = self.newest - DISORDER;
        let read = move |conn: &mut AnyConn| search_changes::after(conn, from, CATCH_UP + DISORDER);
        let mut rows = projections.store.read(read).await?;
        rows.retain(|row| !self.seen.contains(&row.id));
        let Some(last) = rows.last() else { return Ok(0) };
        self.newest = self.newest.max(last.id);
        if rows.iter().any(|row| row.kind == search_changes::PATCH) {
            projections.replace_patch();
        }
        for (kind, ids) in by_kind(&rows) {
            let (projections, mark) = (Arc::clone(projections), Watermark { events: 0, changes: self.newest });
            let refreshed = tokio::task::spawn_blocking(move || projections.refresh_entries(kind, &ids, mark)).await;
            refreshed.map_err(|_| StoreError::Panicked)??;
        }
        self.seen.extend(rows.iter().map(|row| row.id));
        self.seen = self.seen.split_off(&(self.newest - DISORDER));
        Ok(rows.len())
    }

    /// Deletes changes that no index needs.
    pub async fn delete_old(&self, projections: &Projections) -> Result<(), StoreError> {
        projections.delete_search_changes_up_to(self.newest - RETAINED).await
    }
}

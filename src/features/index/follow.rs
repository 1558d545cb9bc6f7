//! The search index follows the database: built anew when it has to be, else brought up to date, and kept so.
//!
//! Two things move it on: events, whose ids have no holes, and the notes that the database's triggers take of everything else
//! that a search shows (`search_changes`). The index on disk says up to where it has both.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError};

use super::{OpenError, UNFINISHED, mark_finished};
use crate::app::App;
use crate::error::AppError;
use crate::search::{Change, Entry, Kind, OpenOutcome, Watermark};
use crate::store::search_changes::{self, ChangeRow};
use crate::store::{activity, entries, ingest, players};

/// How many events or notes are read at once while the index catches up.
const CATCH_UP: i64 = 2_000;
/// An index that is further behind is built anew, which is quicker.
const FAR_BEHIND: i64 = 300_000;
/// Notes that are kept; an index of before them is built anew.
const KEPT_NOTES: i64 = 500_000;
/// On Postgres notes may come to be seen in another order than that of their ids, but never this far.
const DISORDER: i64 = 1_000;
/// How many notes one transaction forgets.
const FORGOTTEN_AT_ONCE: i64 = 20_000;
/// How many changes pile up in memory before they are written to disk.
const WRITE_AFTER: usize = 50_000;

/// Brings the search index to where the database is.
pub(super) fn derive(app: &App, opened: OpenOutcome, last: i64) -> Result<(), OpenError> {
    let (oldest, newest) = app.store.read_blocking(search_changes::bounds)?;
    let why = match opened {
        _ if app.settings.data_dir.join(UNFINISHED).exists() => {
            "an import was cut off: import the file again, or run `apogee reindex` to count what came in".to_owned()
        }
        OpenOutcome::Ready { watermark } if watermark.events > last || watermark.changes > newest => {
            "the search index is ahead of the database and is built anew".to_owned()
        }
        OpenOutcome::Ready { watermark }
            if last - watermark.events > FAR_BEHIND
                || newest - watermark.changes > FAR_BEHIND
                || watermark.changes + 1 < oldest =>
        {
            "the search index is far behind the database and is built anew".to_owned()
        }
        OpenOutcome::Ready { watermark } => return catch_up(app, watermark),
        // Nothing to warn of: a first start.
        OpenOutcome::Empty => String::new(),
        OpenOutcome::SetAside { to, why } => {
            format!("the search index was set aside as {} and is built anew: {why}", to.display())
        }
    };
    if !why.is_empty() {
        tracing::warn!("{why}");
    }
    rebuild_search(app, |_| {})?;
    Ok(mark_finished(app)?)
}

/// Builds the search index from the database; `progress` gets the number of entries so far.
pub fn rebuild_search(app: &App, progress: impl FnMut(u64)) -> Result<u64, OpenError> {
    // Read before the entries: what is committed meanwhile is applied again.
    let (_, changes) = app.store.read_blocking(search_changes::bounds)?;
    let mark = Watermark { events: app.store.read_blocking(ingest::last_id)?, changes };
    app.store.read_blocking(|conn| {
        Ok(entries::for_each(conn, |rows| {
            app.search.rebuild(rows.map(|row| row.map(entry).map_err(OpenError::from)), mark, progress)
        }))
    })?
}

/// A row as the search takes it.
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

/// Takes into the search index what was committed after its last write to disk.
fn catch_up(app: &App, mark: Watermark) -> Result<(), OpenError> {
    let mut place = mark.events;
    let mut of_guilds: BTreeSet<i64> = BTreeSet::new();
    loop {
        let events = app.store.read_blocking(|conn| activity::after(conn, place, CATCH_UP))?;
        let Some(last) = events.last() else { break };
        place = last.id;
        let ids: BTreeSet<i64> =
            events.iter().flat_map(|e| [e.killer_id, e.victim_id, e.player_id]).flatten().collect();
        let ids: Vec<i64> = ids.into_iter().collect();
        let keys = app.store.read_blocking(|conn| players::find_refs_by_id(conn, &ids))?;
        of_guilds.extend(keys.iter().filter_map(|key| key.guild_id));
        app.search.apply(read(app, Kind::Player, &ids)?, place)?;
        write_some(app)?;
    }
    let of_guilds: Vec<i64> = of_guilds.into_iter().collect();
    app.search.apply(read(app, Kind::Guild, &of_guilds)?, place)?;
    let mut place = (mark.changes - DISORDER).max(0);
    loop {
        let notes = app.store.read_blocking(|conn| search_changes::after(conn, place, CATCH_UP))?;
        let Some(last) = notes.last() else { break };
        place = last.id;
        for (kind, ids) in by_kind(&notes) {
            app.search.apply(read(app, kind, &ids)?, Watermark { events: 0, changes: place })?;
        }
        write_some(app)?;
    }
    if app.search.pending() > 0 {
        app.search.flush()?;
    }
    Ok(())
}

fn write_some(app: &App) -> Result<(), OpenError> {
    if app.search.pending() > WRITE_AFTER {
        app.search.flush()?;
    }
    Ok(())
}

fn read(app: &App, kind: Kind, ids: &[i64]) -> Result<Vec<Change>, OpenError> {
    let rows = app.store.read_blocking(|conn| match kind {
        Kind::Player => entries::find_players(conn, ids),
        Kind::Guild => entries::find_guilds(conn, ids),
    })?;
    Ok(changes(kind, ids, rows))
}

/// Those of the ids that are to be found as they are now; the others are gone.
fn changes(kind: Kind, ids: &[i64], rows: Vec<entries::EntryRow>) -> Vec<Change> {
    let there: BTreeSet<i64> = rows.iter().map(|row| row.id).collect();
    let gone = ids.iter().filter(|id| !there.contains(id)).map(|id| Change::Remove(kind, *id));
    gone.chain(rows.into_iter().map(|row| Change::Put(entry(row)))).collect()
}

fn by_kind(notes: &[ChangeRow]) -> BTreeMap<Kind, Vec<i64>> {
    let mut ids: BTreeMap<Kind, BTreeSet<i64>> = BTreeMap::new();
    for note in notes {
        let kind = if note.kind == search_changes::PLAYER { Kind::Player } else { Kind::Guild };
        ids.entry(kind).or_default().insert(note.entity_id);
    }
    ids.into_iter().map(|(kind, ids)| (kind, ids.into_iter().collect())).collect()
}

/// What changed in players by anything but events: they are found anew at once. Called on the thread of the commit, so
/// that it happens even when the caller has gone away; what fails here is read from the notes soon after.
pub fn follow_players(app: &App, ids: &[i64]) {
    follow(app, Kind::Player, ids);
}

/// The same for guilds.
pub fn follow_guilds(app: &App, ids: &[i64]) {
    follow(app, Kind::Guild, ids);
}

fn follow(app: &App, kind: Kind, ids: &[i64]) {
    if let Err(error) = refresh(app, kind, ids, Watermark::default()) {
        tracing::error!(%error, "the search index could not follow a change at once");
    }
}

fn refresh(app: &App, kind: Kind, ids: &[i64], mark: Watermark) -> Result<(), OpenError> {
    // Reading and applying are one step: who reads first must not apply last, or what was hidden is found again.
    let _turn = app.following.lock().unwrap_or_else(PoisonError::into_inner);
    // A score that an event has changed since the reading stays: only events change scores.
    let changes = read(app, kind, ids)?.into_iter().map(|change| match change {
        Change::Put(entry) => Change::PutKeepingScore(entry),
        other => other,
    });
    app.search.apply(changes.collect(), mark)?;
    // Another program on the same SQLite database, such as `apogee sticker`, announces its changes by these entries alone.
    match kind {
        Kind::Player => app.player_boards.lines.forget(ids.iter().copied()),
        Kind::Guild => app.guild_boards.lines.forget(ids.iter().copied()),
    }
    app.count_commit();
    Ok(())
}

/// Reads the database's notes one after the other: what another process changed, and how far the index on disk is.
pub struct Follower {
    /// Of the last [`DISORDER`] notes, those that were read.
    seen: BTreeSet<i64>,
    newest: i64,
}

impl Follower {
    /// Begins after what the index on disk has.
    pub async fn new(app: &App) -> Result<Self, AppError> {
        let newest = app.search.watermark().changes;
        let seen = app.store.read(move |conn| search_changes::after(conn, newest - DISORDER, DISORDER)).await?;
        let seen = seen.into_iter().map(|note| note.id).filter(|id| *id <= newest).collect();
        Ok(Self { seen, newest })
    }

    /// Takes in what is new.
    pub async fn follow(&mut self, app: &Arc<App>) -> Result<(), AppError> {
        while self.step(app).await? > 0 {}
        Ok(())
    }

    /// Takes in a part of what is new; gives how many notes it were.
    async fn step(&mut self, app: &Arc<App>) -> Result<usize, AppError> {
        let from = self.newest - DISORDER;
        let mut notes = app.store.read(move |conn| search_changes::after(conn, from, CATCH_UP + DISORDER)).await?;
        notes.retain(|note| !self.seen.contains(&note.id));
        let Some(last) = notes.last() else { return Ok(0) };
        self.newest = self.newest.max(last.id);
        for (kind, ids) in by_kind(&notes) {
            let (app, mark) = (Arc::clone(app), Watermark { events: 0, changes: self.newest });
            let refreshed = tokio::task::spawn_blocking(move || refresh(&app, kind, &ids, mark)).await;
            refreshed.map_err(AppError::internal)?.map_err(AppError::internal)?;
        }
        self.seen.extend(notes.iter().map(|note| note.id));
        self.seen = self.seen.split_off(&(self.newest - DISORDER));
        Ok(notes.len())
    }

    /// Forgets notes that no index in use can need.
    pub async fn tidy(&self, app: &App) -> Result<(), AppError> {
        forget_up_to(app, self.newest - KEPT_NOTES).await
    }
}

/// After a rebuild by a command that has the database for itself: no index needs a note of before. The newest stays, to tell
/// how far the index is.
pub async fn forget_notes(app: &App) -> Result<(), AppError> {
    if app.store.is_postgres() {
        return Ok(());
    }
    let (_, newest) = app.store.read(search_changes::bounds).await?;
    forget_up_to(app, newest - 1).await
}

/// In small transactions: others write as well.
async fn forget_up_to(app: &App, up_to: i64) -> Result<(), AppError> {
    loop {
        let (oldest, _) = app.store.read(search_changes::bounds).await?;
        if oldest == 0 || oldest > up_to {
            return Ok(());
        }
        let part = up_to.min(oldest + FORGOTTEN_AT_ONCE);
        app.store.write(move |tx| search_changes::delete_up_to(tx, part).map_err(AppError::from)).await?;
    }
}

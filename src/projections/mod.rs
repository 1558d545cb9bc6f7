//! Projections: everything that a process derives from the database. Ranks now and at the start of the day, the top of each leaderboard,
//! rows, windows, the search index, and the ring of live messages.
//!
//! [`Projections::apply`] applies the commits of this process and, called by the follower, those of other processes.
//! [`Projections::rebuild`] builds everything from the database.
//! Never here: permissions, writes to tables that are not derived.

mod active_members;
mod apply;
mod cache;
mod figures;
mod follower;
mod leaderboard;
mod live;
mod rows;
mod search;
mod sequence;
mod top_n;
mod windows;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::domain::trust::Reporter;
use crate::live::Hub;
use crate::search::{OpenOutcome, SearchError, SearchIndex};
use crate::store::changes::{self, Change};
use crate::store::{Store, StoreError, Tx};

use active_members::ActiveMembers;
use figures::Figures;
use sequence::ChangeSequence;
use windows::Windows;

pub use active_members::active_since;
pub use cache::{CachedGuild, CachedPlayer};
pub use follower::Follower;
pub use leaderboard::{Leaderboard, RankWithMovement};
pub use live::{guild_topic, player_topic};
pub use search::{SearchFollower, entry};

/// A site with more players is large: expensive figures are computed before they are requested.
const LARGE_SITE: i64 = 100_000;
/// How long an ingest key is trusted without a read. A revocation takes effect immediately.
const INGEST_KEY_TTL: Duration = Duration::from_secs(5);
/// How long a profile must wait after its page was read from the game's site on request.
pub const REFRESH_COOLDOWN: Duration = Duration::from_secs(300);
/// A file in the data directory that exists during a bulk load, while the search index does not follow the database.
pub const INCOMPLETE_MARKER: &str = "import.unfinished";

/// Why projections could not be built.
#[derive(Debug, thiserror::Error)]
pub enum ProjectionError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the search index could not be opened: {0}")]
    Search(#[from] SearchError),
    #[error("cannot access the bulk-load marker in the data directory: {0}")]
    Marker(#[from] std::io::Error),
}

impl From<diesel::result::Error> for ProjectionError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Store(StoreError::Query(error))
    }
}

/// Whether something published has changed since it was last taken.
#[derive(Debug, Default)]
pub struct StaleMark(AtomicBool);

impl StaleMark {
    /// Has it published again.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::AcqRel)
    }
}

/// Everything that this process derives from the database.
pub struct Projections {
    store: Store,
    live: Hub,
    search: SearchIndex,
    /// Held while the search index follows a change that is not an event.
    search_refresh: Mutex<()>,
    players: Leaderboard<CachedPlayer>,
    guilds: Leaderboard<CachedGuild>,
    windows: Windows,
    active_members: ActiveMembers,
    sequence: ChangeSequence,
    /// The number of commits that changed figures.
    generation: AtomicU64,
    /// The number of times that players were hidden or shown again.
    visibility_generation: AtomicU64,
    /// The figures of the patch.
    pub patch: StaleMark,
    /// The counts of players and guilds.
    pub counts: StaleMark,
    /// The leaderboards that the bot has posted: they may name a player who was hidden.
    pub bot_boards: StaleMark,
    /// Whether the effect of a commit is missing.
    is_stale: AtomicBool,
    /// Effects that panicked outside of a commit's own thread.
    panics: AtomicU64,
    /// Reporters by the SHA-256 of the secrets of their ingest keys.
    ingest_keys: moka::sync::Cache<String, Reporter>,
    /// Players whose page was read on request, and when.
    refreshed: moka::sync::Cache<i64, Instant>,
    incomplete_marker: PathBuf,
}

impl Projections {
    /// Loads the figures and opens the search index, and applies every commit of this process from now on.
    /// [`Projections::catch_up`] completes what this leaves. Blocks.
    pub fn open(store: &Store, index_dir: &Path, data_dir: &Path) -> Result<(Arc<Self>, OpenOutcome), ProjectionError> {
        // Side by side: the checksums of the index, and the figures of millions of players.
        let (search, figures) = std::thread::scope(|scope| {
            let search = scope.spawn(|| SearchIndex::open(index_dir));
            let figures = Figures::load_first(store);
            (search.join(), figures)
        });
        let (search, opened) = search.map_err(|_| SearchError::Closed)??;
        let figures = figures?;
        let projections = Arc::new(Self {
            store: store.clone(),
            live: Hub::starting_after(figures.position.event_id),
            search,
            search_refresh: Mutex::default(),
            players: Leaderboard::new(figures.players, store.clock().clone()),
            guilds: Leaderboard::new(figures.guilds, store.clock().clone()),
            windows: Windows::default(),
            active_members: ActiveMembers::default(),
            sequence: ChangeSequence::after(figures.position.id),
            generation: AtomicU64::new(0),
            visibility_generation: AtomicU64::new(0),
            patch: StaleMark::default(),
            counts: StaleMark::default(),
            bot_boards: StaleMark::default(),
            is_stale: AtomicBool::new(false),
            panics: AtomicU64::new(0),
            ingest_keys: moka::sync::Cache::builder().max_capacity(10_000).time_to_live(INGEST_KEY_TTL).build(),
            refreshed: moka::sync::Cache::builder().max_capacity(100_000).time_to_live(REFRESH_COOLDOWN).build(),
            incomplete_marker: data_dir.join(INCOMPLETE_MARKER),
        });
        // The store must not keep the projections, which contain it.
        let own = Arc::downgrade(&projections);
        store.on_commit(move |changes| {
            if let Some(projections) = own.upgrade() {
                projections.apply(changes);
            }
        });
        Ok((projections, opened))
    }

    /// Brings the search index and the live ring to the state of the loaded figures. Later commits of other processes arrive as
    /// changes. Blocks.
    pub fn catch_up(&self, opened: OpenOutcome) -> Result<(), ProjectionError> {
        let last = self.live.last_event();
        self.restore_search(opened, last)?;
        Ok(self.refill_live(last)?)
    }

    /// Builds everything from the database; returns the number of search entries. Changes wait meanwhile, and those that are
    /// included are not applied again. `progress` gets the number of search entries so far and of all. Blocks.
    pub fn rebuild(&self, progress: impl FnMut(u64, u64)) -> Result<u64, ProjectionError> {
        self.ingest_keys.invalidate_all();
        let reload = || {
            let figures = Figures::load(&self.store)?;
            self.players.reset(figures.players);
            self.guilds.reset(figures.guilds);
            self.counts.set();
            self.patch.set();
            self.visibility_generation.fetch_add(1, Ordering::AcqRel);
            self.live.reset_to(figures.position.event_id);
            self.windows.clear();
            self.count_commit();
            Ok::<i64, ProjectionError>(figures.position.id)
        };
        self.sequence.restart(reload, |recorded| {
            if self.apply_caught(recorded).is_some() {
                tracing::error!("an effect of a commit panicked");
                self.panics.fetch_add(1, Ordering::Relaxed);
            }
        })?;
        self.rebuild_search(progress)
    }

    /// Rebuilds if the effect of a commit is missing; returns whether it did.
    pub async fn rebuild_if_stale(self: &Arc<Self>) -> Result<bool, ProjectionError> {
        if !self.is_stale.swap(false, Ordering::AcqRel) {
            return Ok(false);
        }
        tracing::warn!("the effect of a commit is missing: ranks, leaderboards and search are rebuilt");
        let worker = Arc::clone(self);
        let rebuilt = tokio::task::spawn_blocking(move || worker.rebuild(|_, _| {})).await;
        rebuilt.map_err(|_| StoreError::Panicked.into()).and_then(|done| done).inspect_err(|_| {
            self.is_stale.store(true, Ordering::Release);
        })?;
        Ok(true)
    }

    /// Marks the projections on disk as incomplete until [`Projections::finish_load`].
    pub fn mark_incomplete(&self) -> std::io::Result<()> {
        std::fs::File::create(&self.incomplete_marker)?.sync_all()
    }

    fn mark_complete(&self) -> std::io::Result<()> {
        match std::fs::remove_file(&self.incomplete_marker) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn is_incomplete(&self) -> bool {
        self.incomplete_marker.exists()
    }

    /// Rebuilds after a command wrote figures or events in bulk, here and in all other processes; returns the number of search
    /// entries. For `progress` see [`Projections::rebuild`].
    pub async fn finish_load(
        self: &Arc<Self>,
        progress: impl FnMut(u64, u64) + Send + 'static,
    ) -> Result<u64, ProjectionError> {
        let worker = Arc::clone(self);
        let rebuilt = tokio::task::spawn_blocking(move || {
            let entries = worker.rebuild(progress)?;
            worker.mark_complete()?;
            Ok::<u64, ProjectionError>(entries)
        });
        let entries = rebuilt.await.map_err(|_| StoreError::Panicked)??;
        self.delete_search_changes().await?;
        self.store.write(|tx: &mut Tx| changes::record(tx, Change::Rebuild).map_err(StoreError::from)).await?;
        Ok(entries)
    }

    /// Loads or counts the figures that were requested or have become old. A job calls it.
    pub async fn refresh_leaderboards(&self) -> Result<(), StoreError> {
        self.load_requested_tops().await?;
        self.count_requested_windows().await?;
        self.count_active_members().await
    }

    /// The live streams.
    pub fn live(&self) -> &Hub {
        &self.live
    }

    /// The search index.
    pub fn search(&self) -> &SearchIndex {
        &self.search
    }

    /// The leaderboard of players.
    pub fn players(&self) -> &Leaderboard<CachedPlayer> {
        &self.players
    }

    /// The leaderboard of guilds.
    pub fn guilds(&self) -> &Leaderboard<CachedGuild> {
        &self.guilds
    }

    /// The number of commits that changed figures: a response that was built at an older one is stale.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    fn count_commit(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// The number of times that players were hidden or shown again since the start.
    pub fn visibility_generation(&self) -> u64 {
        self.visibility_generation.load(Ordering::Acquire)
    }

    /// Reads everything about the current patch again, after another one became current without an event.
    fn replace_patch(&self) {
        self.windows.clear();
        self.patch.set();
        self.count_commit();
    }

    /// The number of effects that panicked outside of a commit's own thread.
    pub fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }

    /// Reporters with valid ingest keys by the SHA-256 of the secrets, for a few seconds.
    pub fn ingest_keys(&self) -> &moka::sync::Cache<String, Reporter> {
        &self.ingest_keys
    }

    /// Players whose page was read on request within [`REFRESH_COOLDOWN`], and when.
    pub fn refreshed(&self) -> &moka::sync::Cache<i64, Instant> {
        &self.refreshed
    }

    /// Waits for missing changes from now on, because a [`Follower`] delivers them. Must be called before this process writes.
    pub fn set_followed(&self) {
        self.sequence.set_followed();
    }

    fn is_large_site(&self) -> bool {
        self.players.count() > LARGE_SITE
    }
}

//! What is derived from the database and kept beside it: ranks, search index, live ring. Built at start and by `reindex`.

mod follow;
mod ranks;

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use crate::app::{ActiveMembers, App, Changes, DrawnCard};
use crate::cards::CardRenderer;
use crate::config::{Secret, Settings};
use crate::diagnostics::Diagnostics;
use crate::domain::tokens::TokenSigner;
use crate::error::AppError;
use crate::features::activity::names;
use crate::features::ingest::activity_message;
use crate::features::refresh::REFRESH_COOLDOWN;
use crate::features::transfer::AtomicFile;
use crate::files::{Files, FilesError, PictureProcessor};
use crate::live::{Hub, Seats};
use crate::search::{OpenOutcome, SearchError, SearchIndex};
use crate::store::{Store, StoreError, activity, database_size, ingest};
use crate::upstream::discord::{Discord, DiscordSettings};
use crate::upstream::game_site::GameSite;
use crate::upstream::signature::ReplayGuard;

pub use follow::{Follower, entry, follow_guilds, follow_players, forget_notes, rebuild_search};
use ranks::Counted;
pub use ranks::{rebuild_when_stale, recount, reload_ranks, start_anew};

/// How many of the newest events can be replayed right after a start.
const REFILL: i64 = 4_096;
/// How the other sites see us.
const USER_AGENT: &str = concat!("Apogee/", env!("CARGO_PKG_VERSION"), " (player statistics)");
/// How long the number of active members of a large guild is kept.
const ACTIVE_KEPT: Duration = Duration::from_secs(600);
/// Each holds up to 15 MB while it comes in.
const UPLOADS_AT_ONCE: usize = 4;

/// Share pictures that are kept: a thousand or so.
const DRAWN_BYTES: u64 = 48 * 1024 * 1024;
/// Each keeps a processor busy for some 30 ms.
const CARDS_AT_ONCE: usize = 2;

/// Why the program could not get ready.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the search index could not be opened: {0}")]
    Search(#[from] SearchError),
    #[error("the data directory could not be made: {0}")]
    DataDir(#[from] std::io::Error),
    #[error("the signing secret in {0} cannot be used: {1}")]
    Secret(String, std::io::Error),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error("the game-site-url or discord.api-url cannot be used: {0}")]
    Upstream(String),
}

impl From<diesel::result::Error> for OpenError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Store(StoreError::Query(error))
    }
}

/// Lies in the data directory while a bulk load runs: the search index does not follow one line by line.
pub const UNFINISHED: &str = "import.unfinished";

/// Notes that the search index is behind the database until [`mark_finished`].
pub fn mark_unfinished(app: &App) -> std::io::Result<()> {
    std::fs::File::create(app.settings.data_dir.join(UNFINISHED))?.sync_all()
}

/// Takes the note away; nothing happens when there is none.
pub fn mark_finished(app: &App) -> std::io::Result<()> {
    match std::fs::remove_file(app.settings.data_dir.join(UNFINISHED)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// How many players and guilds there are to find, hidden ones included.
pub fn findable(app: &App) -> u64 {
    let all = app.player_count.load(Ordering::Relaxed) + app.guild_count.load(Ordering::Relaxed);
    all.unsigned_abs()
}

/// Opens everything and brings what is derived up to date. Blocking.
pub fn open(settings: Settings, public_url: String) -> Result<App, OpenError> {
    std::fs::create_dir_all(&settings.data_dir)?;
    let store = Store::open(&settings.database_url)?;
    let index_dir = settings.index_dir();
    let (app, opened) = open_with(store, settings, public_url, &index_dir)?;
    // Where the counts above stand; what others commit meanwhile comes as changes.
    let last = app.live.last_event();
    follow::derive(&app, opened, last)?;
    refill_live(&app, last)?;
    app.is_ready.store(true, Ordering::Release);
    Ok(app)
}

/// Opens everything for a command that writes very much and then has the search index built anew. Until it has, a mark lies
/// in the data directory: a command that is cut off leaves nothing stale behind. Blocking.
pub fn open_for_load(settings: Settings, index_dir: &Path) -> Result<App, OpenError> {
    std::fs::create_dir_all(&settings.data_dir)?;
    let store = Store::open_for_load(&settings.database_url)?;
    let (app, opened) = open_with(store, settings, String::new(), index_dir)?;
    if !matches!(opened, OpenOutcome::Ready { .. }) {
        mark_unfinished(&app)?;
    }
    Ok(app)
}

fn open_with(
    store: Store,
    settings: Settings,
    public_url: String,
    index_dir: &Path,
) -> Result<(App, OpenOutcome), OpenError> {
    let tokens = TokenSigner::new(signing_secret(&settings)?.reveal());
    let files = Files::open(&settings.uploads_url)?;
    let upstream = |error: &dyn std::fmt::Display| OpenError::Upstream(error.to_string());
    let game_site = GameSite::new(&settings.game_site_url, USER_AGENT).map_err(|error| upstream(&error))?;
    let application = |client_id: &str, client_secret: &str| {
        let settings = DiscordSettings {
            api_url: settings.discord.api_url.clone(),
            user_agent: USER_AGENT.into(),
            client_id: client_id.into(),
            client_secret: client_secret.into(),
            bot_token: settings.discord.bot_token.as_ref().map(|token| token.reveal().to_owned()),
        };
        Discord::new(settings).map_err(|error| upstream(&error))
    };
    let (client_id, client_secret) = (&settings.discord.client_id, &settings.discord.client_secret);
    let discord = match (client_id, client_secret) {
        (Some(id), Some(secret)) => Some(application(id, secret.reveal())?),
        _ => None,
    };
    let bot = match (&discord, client_id) {
        // Clones share what is known of limits.
        (Some(discord), _) => Some(discord.clone()),
        // Slash commands and feeds need no sign-in.
        (None, Some(id)) => Some(application(id, "")?),
        (None, None) => None,
    };
    let author_avatars = super::avatars::fetcher(&settings, USER_AGENT).map_err(|error| upstream(&error))?;
    let discord_avatars = super::avatars::discord_fetcher(&settings, USER_AGENT).map_err(|error| upstream(&error))?;
    let process = if store.is_postgres() {
        super::chance::hex::<8>().map_err(std::io::Error::other)?
    } else {
        // The data directory is locked: there is no other process, and after a crash none to wait for.
        "the only process".into()
    };
    // What takes time goes side by side: the index' checksums, and the count of millions with their ranks.
    let (searched, counted) = std::thread::scope(|scope| {
        let searched = scope.spawn(|| SearchIndex::open(index_dir));
        let counted = Counted::read_first(&store);
        (searched.join(), counted)
    });
    let (search, opened) = searched.map_err(|_| SearchError::Closed)??;
    let counted = counted?;
    let live = Hub::starting_after(counted.newest.event_id);
    let app = App {
        public_url,
        live,
        live_seats: Seats::default(),
        search,
        player_ranks: RwLock::new(counted.player_ranks),
        guild_ranks: RwLock::new(counted.guild_ranks),
        player_day_start_ranks: RwLock::new(counted.player_day_start_ranks),
        guild_day_start_ranks: RwLock::new(counted.guild_day_start_ranks),
        player_count: AtomicI64::new(counted.players),
        guild_count: AtomicI64::new(counted.guilds),
        changes: Changes::after(counted.newest.id),
        generation: AtomicU64::new(0),
        following: Default::default(),
        active_members: ActiveMembers {
            large: moka::sync::Cache::builder().max_capacity(100_000).time_to_live(ACTIVE_KEPT).build(),
            counted: Default::default(),
            // Counted before anybody asks: the first page would wait for a hundred guilds.
            is_wanted: AtomicBool::new(true),
        },
        windows: Default::default(),
        player_boards: Default::default(),
        guild_boards: Default::default(),
        is_patch_stale: AtomicBool::new(false),
        are_counts_stale: AtomicBool::new(false),
        is_ready: AtomicBool::new(false),
        keys: moka::sync::Cache::builder().max_capacity(10_000).time_to_live(Duration::from_secs(5)).build(),
        viewers: moka::sync::Cache::builder().max_capacity(1_000_000).time_to_live(Duration::from_secs(86_400)).build(),
        view_salt: Mutex::default(),
        sitemap: tokio::sync::Mutex::default(),
        visibility_changes: AtomicU64::new(0),
        visit_counts: moka::sync::Cache::builder()
            .max_capacity(200_000)
            .time_to_live(Duration::from_secs(86_400))
            .build(),
        tokens,
        discord,
        bot,
        process,
        replay_guard: ReplayGuard::default(),
        bot_servers: AtomicI64::new(0),
        are_bot_boards_stale: AtomicBool::new(false),
        diagnostics: Diagnostics::default(),
        author_avatars,
        discord_avatars,
        avatar_slots: tokio::sync::Semaphore::new(2),
        game_site,
        files,
        pictures: PictureProcessor::new(2),
        upload_slots: tokio::sync::Semaphore::new(UPLOADS_AT_ONCE),
        uploads_in_progress: Default::default(),
        refreshed: moka::sync::Cache::builder().max_capacity(100_000).time_to_live(REFRESH_COOLDOWN).build(),
        sign_ins: moka::sync::Cache::builder().max_capacity(100_000).time_to_idle(Duration::from_secs(60)).build(),
        reader_tries: moka::sync::Cache::builder().max_capacity(100_000).time_to_idle(Duration::from_secs(600)).build(),
        cards: Arc::new(CardRenderer::new(settings.static_dir().join("fonts"))),
        drawn: moka::sync::Cache::builder()
            .weigher(|_, card: &Arc<DrawnCard>| u32::try_from(card.png.len()).unwrap_or(u32::MAX))
            .max_capacity(DRAWN_BYTES)
            .build(),
        card_slots: tokio::sync::Semaphore::new(CARDS_AT_ONCE),
        started_at: App::now(),
        store,
        ingest: Default::default(),
        is_derived_stale: AtomicBool::new(false),
        settings,
    };
    Ok((app, opened))
}

/// The configured secret, else the one in the data directory, which is made when there is none.
fn signing_secret(settings: &Settings) -> Result<Secret, OpenError> {
    if let Some(secret) = &settings.jwt_secret {
        return Ok(secret.clone());
    }
    let path = settings.data_dir.join("secret");
    let failed = |error| OpenError::Secret(path.display().to_string(), error);
    match std::fs::read_to_string(&path) {
        Ok(text) if text.trim().len() >= 32 => Ok(Secret::new(text.trim().to_owned())),
        Ok(_) => {
            let why = "it has fewer than 32 characters; remove it to get a new one";
            Err(failed(std::io::Error::other(why)))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let made = super::chance::hex::<32>().map_err(|error| failed(std::io::Error::other(error)))?;
            // Whoever read a torn one would sign with what can be guessed, and whoever refused it would need help by hand.
            let mut file = AtomicFile::create(&path).map_err(failed)?;
            file.file().write_all(made.as_bytes()).and_then(|()| file.finish()).map_err(failed)?;
            Ok(Secret::new(made))
        }
        Err(error) => Err(failed(error)),
    }
}

/// Fills the live ring with the newest events, so that readers who come back after a restart miss nothing.
fn refill_live(app: &App, last: i64) -> Result<(), OpenError> {
    let before = (last - REFILL).max(0);
    let messages = app.store.read_blocking(|conn| {
        let events = ingest::events_between(conn, before + 1, last)?;
        let names = names(conn, &events)?;
        let shown = events.iter().filter(|e| e.category != activity::CONNECTION_CATEGORY && names.is_visible(e));
        Ok(shown.filter_map(|e| activity_message(&names, e).map(|message| (e.id, message))).collect::<Vec<_>>())
    })?;
    app.live.refill(before, messages);
    Ok(())
}

/// Whether the database answers.
pub async fn is_database_up(app: &App) -> bool {
    app.store.read(ingest::last_id).await.is_ok()
}

/// The figures of this process in the text form of Prometheus.
pub async fn figures(app: &App) -> Result<String, AppError> {
    use std::fmt::Write;
    let last = app.store.read(ingest::last_id).await?;
    let size = |path: &std::path::Path| std::fs::metadata(path).map_or(0, |meta| meta.len() as i64);
    let database = crate::store::snapshot::sqlite_path(&app.settings.database_url);
    let log = database_size::wal_bytes(&app.settings.database_url).unwrap_or(0);
    let newest = super::backup::newest_backup_ms(&app.settings.backups_dir()).unwrap_or(0);
    let free = fs4::available_space(&app.settings.data_dir).unwrap_or(0);
    let panics = app.diagnostics.panics() + app.store.panics() + app.search.panics();
    let panics = i64::try_from(panics).unwrap_or(i64::MAX);
    let gauges: [(&str, &str, i64); 11] = [
        ("apogee_database_bytes", "Size of the SQLite database", database.as_deref().map_or(0, size)),
        ("apogee_wal_bytes", "Size of SQLite's write-ahead log", log),
        ("apogee_last_backup_seconds", "When the newest backup was made by the site itself; 0 never", newest / 1000),
        ("apogee_free_bytes", "Free space of the data directory", i64::try_from(free).unwrap_or(i64::MAX)),
        ("apogee_players", "Players known", app.player_count.load(Ordering::Relaxed)),
        ("apogee_guilds", "Guilds known", app.guild_count.load(Ordering::Relaxed)),
        ("apogee_events_total", "Events stored", last),
        ("apogee_live_readers", "Open live streams", app.live.subscriber_count() as i64),
        ("apogee_search_entries", "Entries in the search index", app.search.len() as i64),
        (
            "apogee_panics_total",
            "Handlers, transactions, effects of commits, live streams and jobs that panicked",
            panics,
        ),
        ("apogee_search_waiting", "Changed entries not yet in the index on disk", app.search.pending() as i64),
    ];
    let mut text = String::new();
    for (name, help, value) in gauges {
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}").map_err(AppError::internal)?;
    }
    Ok(text)
}

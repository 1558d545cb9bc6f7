//! What is derived from the database and kept beside it: ranks, search index, live ring. Built at start and by `reindex`.

use std::collections::HashMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use crate::app::{App, Changes};
use crate::config::{Secret, Settings};
use crate::domain::ranks::Ranks;
use crate::domain::scores::Scores;
use crate::domain::tokens::Signer;
use crate::error::AppError;
use crate::features::activity::names;
use crate::features::changes::everything;
use crate::features::ingest::{live_activity, scores_of_row};
use crate::features::refresh::REFRESH_REST;
use crate::files::{Files, FilesError, Pictures};
use crate::live::{Hub, Seats};
use crate::search::{Change, Entry, Kind, Opened, SearchError, SearchIndex};
use crate::store::conn::AnyConn;
use crate::store::{
    Store, StoreError, activity, changes, entries, guilds, ingest, leaderboard, players, search_changes,
};
use crate::upstream::discord::{Discord, DiscordSettings};
use crate::upstream::game_site::GameSite;

/// How many of the newest events can be replayed right after a start.
const REFILL: i64 = 4_096;
/// How many events are read at once while the search index catches up.
const CATCH_UP: i64 = 2_000;
/// How the other sites see us.
const USER_AGENT: &str = concat!("Apogee/", env!("CARGO_PKG_VERSION"), " (player statistics)");
/// Each holds up to 15 MB while it comes in.
const UPLOADS_AT_ONCE: usize = 4;

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

pub fn mark_finished(app: &App) -> std::io::Result<()> {
    std::fs::remove_file(app.settings.data_dir.join(UNFINISHED))
}

/// Opens everything and brings what is derived up to date. Blocking.
pub fn open(settings: Settings, public_url: String) -> Result<App, OpenError> {
    std::fs::create_dir_all(&settings.data_dir)?;
    let tokens = Signer::new(signing_secret(&settings)?.reveal());
    let files = Files::open(&settings.uploads_url)?;
    let upstream = |error: &dyn std::fmt::Display| OpenError::Upstream(error.to_string());
    let game_site = GameSite::new(&settings.game_site_url, USER_AGENT).map_err(|error| upstream(&error))?;
    let discord = match (&settings.discord.client_id, &settings.discord.client_secret) {
        (Some(client_id), Some(client_secret)) => {
            let settings = DiscordSettings {
                api_url: settings.discord.api_url.clone(),
                user_agent: USER_AGENT.into(),
                client_id: client_id.clone(),
                client_secret: client_secret.reveal().to_owned(),
                bot_token: settings.discord.bot_token.as_ref().map(|token| token.reveal().to_owned()),
            };
            Some(Discord::new(settings).map_err(|error| upstream(&error))?)
        }
        _ => None,
    };
    let store = Store::open(&settings.database_url)?;
    let (search, opened) = SearchIndex::open(&settings.index_dir())?;
    let counted = Counted::read(&store)?;
    let last = counted.newest.event_id;
    let live = Hub::starting_after(last);
    let app = App {
        public_url,
        live,
        live_seats: Seats::new(settings.live.streams, settings.live.per_address, settings.live.per_account),
        search,
        player_ranks: RwLock::new(counted.player_ranks),
        guild_ranks: RwLock::new(counted.guild_ranks),
        player_count: AtomicI64::new(counted.players),
        guild_count: AtomicI64::new(counted.guilds),
        changes: Changes::after(counted.newest.id),
        generation: AtomicU64::new(0),
        windows: Mutex::new(HashMap::new()),
        following: Mutex::new(()),
        is_patch_stale: AtomicBool::new(false),
        are_counts_stale: AtomicBool::new(false),
        is_ready: AtomicBool::new(false),
        keys: moka::sync::Cache::builder().max_capacity(10_000).time_to_live(Duration::from_secs(5)).build(),
        viewers: moka::sync::Cache::builder().max_capacity(1_000_000).time_to_live(Duration::from_secs(86_400)).build(),
        tokens,
        discord,
        game_site,
        files,
        pictures: Pictures::new(2),
        upload_slots: tokio::sync::Semaphore::new(UPLOADS_AT_ONCE),
        refreshed: moka::sync::Cache::builder().max_capacity(100_000).time_to_live(REFRESH_REST).build(),
        sign_ins: moka::sync::Cache::builder().max_capacity(100_000).time_to_idle(Duration::from_secs(60)).build(),
        started_at: App::now(),
        store,
        ingest: Default::default(),
        settings,
    };
    let unfinished = app.settings.data_dir.join(UNFINISHED);
    match opened {
        _ if unfinished.exists() => {
            tracing::warn!(
                "an import was cut off: import the file again, or run `apogee reindex` to count what came in"
            );
            rebuild_search(&app, |_| {})?;
            std::fs::remove_file(&unfinished)?;
        }
        Opened::Ready { watermark } if watermark <= last => {
            catch_up(&app, watermark)?;
            catch_up_changes(&app)?;
        }
        Opened::Ready { watermark } => {
            tracing::warn!(watermark, last, "the search index is ahead of the database and is built anew");
            rebuild_search(&app, |_| {})?;
        }
        Opened::Empty => {
            rebuild_search(&app, |_| {})?;
        }
        Opened::SetAside { to, why } => {
            tracing::warn!(to = %to.display(), why, "the search index was set aside and is built anew");
            rebuild_search(&app, |_| {})?;
        }
    }
    refill_live(&app, last)?;
    app.is_ready.store(true, Ordering::Release);
    Ok(app)
}

/// The configured secret, else the one in the data directory, which is made when there is none.
fn signing_secret(settings: &Settings) -> Result<Secret, OpenError> {
    if let Some(secret) = &settings.jwt_secret {
        return Ok(secret.clone());
    }
    let path = settings.data_dir.join("secret");
    let failed = |error| OpenError::Secret(path.display().to_string(), error);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    match options.open(&path) {
        Ok(mut file) => {
            let made = super::chance::hex::<32>().map_err(|error| failed(std::io::Error::other(error)))?;
            // A torn secret must not be left behind: whoever read it would sign with a guessable one.
            let written = file.write_all(made.as_bytes()).and_then(|()| file.sync_all());
            written.inspect_err(|_| drop(std::fs::remove_file(&path))).map_err(failed)?;
            Ok(Secret::new(made))
        }
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let text = std::fs::read_to_string(&path).map_err(failed)?.trim().to_owned();
            if text.len() < 32 {
                return Err(failed(std::io::Error::other(
                    "it has fewer than 32 characters; remove it to get a new one",
                )));
            }
            Ok(Secret::new(text))
        }
        Err(error) => Err(failed(error)),
    }
}

fn player_ranks(conn: &mut AnyConn) -> diesel::QueryResult<Ranks> {
    let mut ranks = Ranks::default();
    leaderboard::each_score(conn, |row| {
        if !row.is_hidden {
            ranks.change(&Scores::default(), &scores_of_row(&row));
        }
    })?;
    Ok(ranks)
}

fn guild_ranks(conn: &mut AnyConn) -> diesel::QueryResult<Ranks> {
    let mut ranks = Ranks::default();
    guilds::each_score(conn, |_, s| {
        let sums = Scores {
            pu_player_kills: s[0],
            pve_kills: s[1],
            vehicle_destructions: s[2],
            missions_completed: s[3],
            playtime: s[4],
        };
        ranks.change(&Scores::default(), &sums);
    })?;
    Ok(ranks)
}

/// What is counted in memory, all of one moment.
struct Counted {
    newest: changes::Place,
    player_ranks: Ranks,
    guild_ranks: Ranks,
    players: i64,
    guilds: i64,
}

impl Counted {
    fn read(store: &Store) -> Result<Self, OpenError> {
        store.snapshot_here(|conn| {
            Ok(Self {
                newest: changes::newest(conn)?,
                player_ranks: player_ranks(conn)?,
                guild_ranks: guild_ranks(conn)?,
                players: players::count(conn)?,
                guilds: guilds::count(conn)?,
            })
        })
    }
}

/// Counts ranks and numbers of players and guilds anew. Changes wait meanwhile, and those that are counted in are over.
pub fn reload_ranks(app: &App) -> Result<(), OpenError> {
    app.start_anew(|| {
        let counted = Counted::read(&app.store)?;
        *app.player_ranks.write().unwrap_or_else(PoisonError::into_inner) = counted.player_ranks;
        *app.guild_ranks.write().unwrap_or_else(PoisonError::into_inner) = counted.guild_ranks;
        app.player_count.store(counted.players, Ordering::Relaxed);
        app.guild_count.store(counted.guilds, Ordering::Relaxed);
        app.are_counts_stale.store(true, Ordering::Release);
        app.is_patch_stale.store(true, Ordering::Release);
        app.live.jump(counted.newest.event_id);
        app.count_commit();
        Ok(counted.newest.id)
    })
}

/// Builds everything derived anew while the site runs, after more was missed than can be read back.
pub fn start_anew(app: &App) -> Result<(), OpenError> {
    app.keys.invalidate_all();
    reload_ranks(app)?;
    rebuild_search(app, |_| {})?;
    Ok(())
}

/// Builds the search index from the database; `progress` gets the number of entries so far.
pub fn rebuild_search(app: &App, progress: impl FnMut(u64)) -> Result<u64, OpenError> {
    let watermark = app.store.read_here(ingest::last_id)?;
    app.store.read_here(|conn| {
        Ok(entries::each(conn, |rows| {
            app.search.rebuild(rows.map(|row| row.map(entry).map_err(OpenError::from)), watermark, progress)
        }))
    })?
}

fn entry(row: entries::EntryRow) -> Entry {
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
fn catch_up(app: &App, watermark: i64) -> Result<(), OpenError> {
    let mut place = watermark;
    loop {
        let events = app.store.read_here(|conn| activity::after(conn, place, CATCH_UP))?;
        let Some(last) = events.last() else { break };
        place = last.id;
        let mut ids: Vec<i64> = events.iter().flat_map(|e| [e.killer_id, e.victim_id, e.player_id]).flatten().collect();
        ids.sort_unstable();
        ids.dedup();
        let rows = app.store.read_here(|conn| entries::of_players(conn, &ids))?;
        app.search.apply(rows.into_iter().map(|row| Change::Put(entry(row))).collect(), place)?;
        app.search.flush()?;
    }
    Ok(())
}

/// Fills the live ring with the newest events, so that readers who come back after a restart miss nothing.
fn refill_live(app: &App, last: i64) -> Result<(), OpenError> {
    let before = (last - REFILL).max(0);
    let messages = app.store.read_here(|conn| {
        let events = ingest::events_between(conn, before + 1, last)?;
        let names = names(conn, &events)?;
        let shown = events.iter().filter(|e| e.category != activity::CONNECTION && names.is_visible(e));
        Ok(shown.filter_map(|e| live_activity(&names, e).map(|message| (e.id, message))).collect::<Vec<_>>())
    })?;
    app.live.refill(before, messages);
    Ok(())
}

/// What changed in players by anything but events: they are found anew at once. Called on the thread of the commit, so
/// that it happens even when the caller has gone away; what fails here is caught up with at the next start.
pub fn follow_players(app: &App, ids: &[i64]) {
    follow(app, |app| {
        let rows = app.store.read_here(|conn| entries::of_players(conn, ids))?;
        Ok(found(Kind::Player, ids, rows))
    });
}

/// The same for guilds.
pub fn follow_guilds(app: &App, ids: &[i64]) {
    follow(app, |app| {
        let rows = app.store.read_here(|conn| entries::of_guilds(conn, ids))?;
        Ok(found(Kind::Guild, ids, rows))
    });
}

fn follow(app: &App, read: impl FnOnce(&App) -> Result<Vec<Change>, OpenError>) {
    // Reading and applying are one step: who reads first must not apply last, or what was hidden is found again.
    let _turn = app.following.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let followed = read(app).and_then(|changes| Ok(app.search.apply(changes, 0)?));
    if let Err(error) = followed {
        tracing::error!(%error, "the search index could not follow a change; it catches up at the next start");
    }
}

/// Whoever is not among the rows is not to be found any more.
fn found(kind: Kind, ids: &[i64], rows: Vec<entries::EntryRow>) -> Vec<Change> {
    let gone = ids.iter().filter(|id| !rows.iter().any(|row| row.id == **id));
    let mut changes: Vec<Change> = gone.map(|id| Change::Remove(kind, *id)).collect();
    changes.extend(rows.into_iter().map(|row| Change::Put(entry(row))));
    changes
}

/// Takes into the search index what was changed by anything but events, whether or not it is there already.
fn catch_up_changes(app: &App) -> Result<(), OpenError> {
    let (players_noted, guilds_noted) = app.store.read_here(search_changes::all)?;
    for ids in players_noted.chunks(CATCH_UP as usize) {
        let rows = app.store.read_here(|conn| entries::of_players(conn, ids))?;
        app.search.apply(found(Kind::Player, ids, rows), 0)?;
    }
    for ids in guilds_noted.chunks(CATCH_UP as usize) {
        let rows = app.store.read_here(|conn| entries::of_guilds(conn, ids))?;
        app.search.apply(found(Kind::Guild, ids, rows), 0)?;
    }
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
    let gauges: [(&str, &str, i64); 6] = [
        ("apogee_players", "Players known", app.player_count.load(Ordering::Relaxed)),
        ("apogee_guilds", "Guilds known", app.guild_count.load(Ordering::Relaxed)),
        ("apogee_events_total", "Events stored", last),
        ("apogee_live_readers", "Open live streams", app.live.reader_count() as i64),
        ("apogee_search_entries", "Entries in the search index", app.search.len() as i64),
        ("apogee_search_waiting", "Changed entries not yet in the index on disk", app.search.waiting() as i64),
    ];
    let mut text = String::new();
    for (name, help, value) in gauges {
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}").map_err(AppError::internal)?;
    }
    Ok(text)
}

/// Counts all figures anew from the stored events; `progress` gets what is counted, how far and of how many.
pub async fn recount(
    app: &Arc<App>,
    progress: impl FnMut(&'static str, u64, u64) + Send + 'static,
) -> Result<u64, AppError> {
    let events = crate::features::ingest::recount(app, progress).await?;
    let worker = Arc::clone(app);
    tokio::task::spawn_blocking(move || reload_ranks(&worker))
        .await
        .map_err(AppError::internal)?
        .map_err(AppError::internal)?;
    everything(app).await?;
    Ok(events)
}

//! Opens everything that a process needs, and builds the [`App`] from it.

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::app::{App, DrawnCard};
use crate::cards::CardRenderer;
use crate::config::{Secret, Settings};
use crate::diagnostics::Diagnostics;
use crate::domain::tokens::TokenSigner;
use crate::features::transfer::AtomicFile;
use crate::files::{Files, FilesError, PictureProcessor};
use crate::live::Seats;
use crate::projections::{ProjectionError, Projections};
use crate::search::OpenOutcome;
use crate::store::{Store, StoreError};
use crate::upstream::discord::{Discord, DiscordSettings};
use crate::upstream::game_site::GameSite;
use crate::upstream::signature::ReplayGuard;

/// How the other sites see us.
const USER_AGENT: &str = concat!("Apogee/", env!("CARGO_PKG_VERSION"), " (player statistics)");
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
    #[error(transparent)]
    Projections(#[from] ProjectionError),
    #[error("the data directory could not be made: {0}")]
    DataDir(#[from] std::io::Error),
    #[error("the signing secret in {0} cannot be used: {1}")]
    Secret(String, std::io::Error),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error("the game-site-url or discord.api-url cannot be used: {0}")]
    Upstream(String),
}

/// Opens everything and brings what is derived up to date. Blocking.
pub fn open(settings: Settings, public_url: String) -> Result<App, OpenError> {
    std::fs::create_dir_all(&settings.data_dir)?;
    let store = Store::open(&settings.database_url)?;
    let index_dir = settings.index_dir();
    let (app, opened) = open_with(store, settings, public_url, &index_dir)?;
    app.projections.catch_up(opened)?;
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
        app.projections.mark_incomplete()?;
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
        super::secret::hex::<8>().map_err(std::io::Error::other)?
    } else {
        // The data directory is locked: there is no other process, and after a crash none to wait for.
        "the only process".into()
    };
    let (projections, opened) = Projections::open(&store, index_dir, &settings.data_dir)?;
    let app = App {
        public_url,
        live_seats: Seats::default(),
        is_ready: AtomicBool::new(false),
        viewers: moka::sync::Cache::builder().max_capacity(1_000_000).time_to_live(Duration::from_secs(86_400)).build(),
        view_salt: Mutex::default(),
        sitemap: tokio::sync::Mutex::default(),
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
        diagnostics: Diagnostics::default(),
        author_avatars,
        discord_avatars,
        avatar_slots: tokio::sync::Semaphore::new(2),
        game_site,
        files,
        pictures: PictureProcessor::new(2),
        upload_slots: tokio::sync::Semaphore::new(UPLOADS_AT_ONCE),
        uploads_in_progress: Default::default(),
        sign_ins: moka::sync::Cache::builder().max_capacity(100_000).time_to_idle(Duration::from_secs(60)).build(),
        reader_tries: moka::sync::Cache::builder().max_capacity(100_000).time_to_idle(Duration::from_secs(600)).build(),
        cards: Arc::new(CardRenderer::new(settings.static_dir().join("fonts"))),
        drawn: moka::sync::Cache::builder()
            .weigher(|_, card: &Arc<DrawnCard>| u32::try_from(card.png.len()).unwrap_or(u32::MAX))
            .max_capacity(DRAWN_BYTES)
            .build(),
        card_slots: tokio::sync::Semaphore::new(CARDS_AT_ONCE),
        started_at: App::now(),
        projections: Arc::new(projections),
        store,
        ingest: Default::default(),
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
            let made = super::secret::hex::<32>().map_err(|error| failed(std::io::Error::other(error)))?;
            // Whoever read a torn one would sign with what can be guessed, and whoever refused it would need help by hand.
            let mut file = AtomicFile::create(&path).map_err(failed)?;
            file.file().write_all(made.as_bytes()).and_then(|()| file.finish()).map_err(failed)?;
            Ok(Secret::new(made))
        }
        Err(error) => Err(failed(error)),
    }
}

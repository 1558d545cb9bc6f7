//! Opens everything that a process needs, and builds the [`App`] from it.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use crate::app::{Accounts, App, Avatars, Cards, DiscordApp, Ingest, Process, Uploads, Visitors};
use crate::config::{Secret, Settings};
use crate::diagnostics::Diagnostics;
use crate::domain::clock;
use crate::domain::quota::Quota;
use crate::domain::tokens::TokenSigner;
use crate::features::transfer::AtomicFile;
use crate::files::{Files, FilesError, PictureProcessor};
use crate::projections::{ProjectionError, Projections};
use crate::search::OpenOutcome;
use crate::store::{Store, StoreError};
use crate::upstream::game_site::GameSite;

/// How many pictures are encoded at the same time. Each takes up to 200 MB of memory.
const MAX_PICTURES: usize = 2;

/// Why the services could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Projections(#[from] ProjectionError),
    #[error("the data directory could not be created: {0}")]
    DataDir(#[from] std::io::Error),
    #[error("the signing secret in {0} cannot be used: {1}")]
    Secret(String, std::io::Error),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error("the game-site-url or discord.api-url cannot be used: {0}")]
    Upstream(String),
}

/// Opens all services and brings the projections up to date. Blocks.
pub fn open(settings: Settings, public_url: String) -> Result<App, OpenError> {
    std::fs::create_dir_all(&settings.data_dir)?;
    let store = Store::open(&settings.database_url)?;
    let index_dir = settings.index_dir();
    let (app, opened) = open_with(store, settings, public_url, &index_dir)?;
    app.projections.catch_up(opened)?;
    app.process.set_ready(true);
    Ok(app)
}

/// Opens all services for a command that writes in bulk and calls [`Projections::finish_load`]. If there is no search index yet, the
/// projections are marked incomplete until then, so that the next start after an interrupted command rebuilds them. Blocks.
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
    let secret = signing_secret(&settings)?;
    let tokens = TokenSigner::new(secret.reveal());
    let upstream = |error: &dyn std::fmt::Display| OpenError::Upstream(error.to_string());
    let authors = super::avatars::fetcher(&settings).map_err(|error| upstream(&error))?;
    let users = super::avatars::discord_fetcher(&settings).map_err(|error| upstream(&error))?;
    let pictures = PictureProcessor::new(MAX_PICTURES);
    let process = if store.is_postgres() {
        super::secret::hex::<8>().map_err(std::io::Error::other)?
    } else {
        // The data directory is locked: no other process holds leases, and after a crash there is none to wait for.
        "the only process".into()
    };
    let (projections, opened) = Projections::open(&store, index_dir, &settings.data_dir)?;
    let app = App {
        public_url,
        process: Process::new(process, clock::now()),
        projections,
        ingest: Ingest::default(),
        live_quota: Quota::new(crate::features::live::MAX_STREAMS_PER_ACCOUNT, usize::MAX),
        accounts: Accounts::new(tokens),
        discord: DiscordApp::new(&settings).map_err(|error| upstream(&error))?,
        game_site: GameSite::new(&settings.game_site_url).map_err(|error| upstream(&error))?,
        uploads: Uploads::new(Files::open(&settings.uploads_url)?, pictures.clone()),
        avatars: Avatars::new(authors, users, pictures),
        cards: Cards::new(settings.static_dir().join("fonts")),
        visitors: Visitors::default(),
        sitemap: tokio::sync::Mutex::default(),
        current_patch: Default::default(),
        diagnostics: Diagnostics::default(),
        store,
        settings: Arc::new(settings),
    };
    Ok((app, opened))
}

/// The configured secret, or the one in the data directory, which is created if it does not exist.
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
            let generated = super::secret::hex::<32>().map_err(|error| failed(std::io::Error::other(error)))?;
            // Written atomically: a partial secret could be guessed.
            let mut file = AtomicFile::create(&path).map_err(failed)?;
            file.file().write_all(generated.as_bytes()).and_then(|()| file.finish()).map_err(failed)?;
            Ok(Secret::new(generated))
        }
        Err(error) => Err(failed(error)),
    }
}

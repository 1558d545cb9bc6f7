//! The parts that everything shares, built once and passed around; what boards are made of in memory.
//! Never here: what decides who sees what, SQL, HTTP.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bytes::Bytes;

use crate::cards::{Card, CardRenderer, Kind};
use crate::config::Settings;
use crate::diagnostics::Diagnostics;
use crate::domain::events::ValidEvent;
use crate::domain::times::EpochMillis;
use crate::domain::tokens::TokenSigner;
use crate::domain::user_locks::UserLocks;
use crate::error::AppError;
use crate::files::{Files, PictureProcessor};
use crate::live::Seats;
use crate::projections::Projections;
use crate::store::Store;
use crate::upstream::avatars::AvatarClient;
use crate::upstream::discord::Discord;
use crate::upstream::game_site::GameSite;
use crate::upstream::signature::ReplayGuard;

/// A share picture as it was drawn.
#[derive(Debug)]
pub struct DrawnCard {
    pub png: Bytes,
    /// An entity tag without its quotes.
    pub tag: String,
    pub face: CardFace,
    pub card: Card,
    pub counted_at: Instant,
}

/// The name and picture that a card shows, which can be compared without reading figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardFace {
    pub name: String,
    pub plain: String,
    pub guild_id: Option<i64>,
    pub picture: Option<String>,
}

/// The sitemap as it was made.
#[derive(Debug, Clone)]
pub struct Sitemap {
    pub xml: Bytes,
    /// [`Projections::visibility_generation`] before it was built.
    pub visibility_generation: u64,
    pub made_at: Instant,
}

/// A batch of checked events that waits for the database.
pub struct WaitingBatch {
    pub key_id: i64,
    pub events: Vec<ValidEvent>,
    /// Gets `(accepted, duplicates)`.
    pub reply: tokio::sync::oneshot::Sender<Result<(usize, usize), AppError>>,
}

/// Batches that wait, oldest first, and how many transactions of them are under way.
#[derive(Default)]
pub struct IngestQueue {
    pub waiting: VecDeque<WaitingBatch>,
    pub active_workers: usize,
}

/// The shared parts. Cheap to clone as `Arc<App>`.
pub struct App {
    pub settings: Settings,
    /// Origin of the site: the setting, else the address that was bound.
    pub public_url: String,
    pub store: Store,
    /// Everything derived from the database.
    pub projections: Arc<Projections>,
    pub ingest: Mutex<IngestQueue>,
    /// Who may open one more live stream.
    pub live_seats: Seats,
    /// Database migrated, index open, ranks loaded.
    pub is_ready: AtomicBool,
    /// Who has viewed which profile on which day, as far as this process has counted it; see `features::viewers`.
    pub viewers: moka::sync::Cache<(i32, i64), ()>,
    /// The day and the salt of its viewers.
    pub view_salt: Mutex<Option<(i32, String)>>,
    /// The sitemap, made at most once an hour; see `features::pages`.
    pub sitemap: tokio::sync::Mutex<Option<Sitemap>>,
    /// How many visits a session or network has stored today; see `features::visits`.
    pub visit_counts: moka::sync::Cache<String, Arc<AtomicU64>>,
    /// Signs and reads the tokens of signed-in browsers.
    pub tokens: TokenSigner,
    /// Absent when sign-in is not configured.
    pub discord: Option<Discord>,
    /// Speaks as the bot, within the same limits; absent without an application id.
    pub bot: Option<Discord>,
    /// Under which name this process holds leases.
    pub process: String,
    /// Calls of Discord that were believed a moment ago.
    pub replay_guard: ReplayGuard,
    /// On how many servers the bot is; 0 while that is not known.
    pub bot_servers: AtomicI64,
    /// Fetches pictures of commits' authors, a few at a time.
    pub author_avatars: AvatarClient,
    /// Fetches the avatars that users have at Discord, within the same few.
    pub discord_avatars: AvatarClient,
    pub avatar_slots: tokio::sync::Semaphore,
    /// Errors and runs of jobs, for the admins' page.
    pub diagnostics: Diagnostics,
    pub game_site: GameSite,
    pub files: Files,
    pub pictures: PictureProcessor,
    /// Uploads whose bytes are held in memory at the same time.
    pub upload_slots: tokio::sync::Semaphore,
    /// Held by the one upload of a user that is in progress.
    pub uploads_in_progress: UserLocks,
    /// Sign-ins of the last minute, by address.
    pub sign_ins: moka::sync::Cache<std::net::IpAddr, Arc<Mutex<Vec<Instant>>>>,
    /// Logins of readers, wrong codes and lots of samples of the last minutes, by what and whom.
    pub reader_tries: moka::sync::Cache<String, Arc<Mutex<Vec<Instant>>>>,
    /// Draws share pictures.
    pub cards: Arc<CardRenderer>,
    /// Share pictures that were drawn, by whose they are.
    pub drawn: moka::sync::Cache<(Kind, i64), Arc<DrawnCard>>,
    pub card_slots: tokio::sync::Semaphore,
    pub started_at: EpochMillis,
}

impl App {
    /// The current time.
    pub fn now() -> EpochMillis {
        EpochMillis::now()
    }
}

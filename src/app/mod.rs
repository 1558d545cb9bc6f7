//! The services of a process, built once by `features::bootstrap` and shared as `Arc<App>`. A function that uses one service
//! takes that service instead of [`App`].
//! Never here: rules about who may see or change what, SQL, HTTP.

mod accounts;
mod avatars;
mod cards;
mod discord;
mod ingest;
mod process;
mod uploads;
mod visitors;

use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwapOption;
use bytes::Bytes;

use crate::config::Settings;
use crate::diagnostics::Diagnostics;
use crate::domain::quota::Quota;
use crate::upstream::game_site::GameSite;

pub use accounts::{Accounts, Attempts};
pub use avatars::Avatars;
pub use cards::{CardFace, Cards, DrawnCard};
pub use discord::DiscordApp;
pub use ingest::Ingest;
pub use process::Process;
pub use uploads::Uploads;
pub use visitors::Visitors;

pub use crate::projections::Projections;
pub use crate::store::Store;
use crate::store::patch::PatchRow;

/// The services of this process.
pub struct App {
    pub settings: Arc<Settings>,
    /// Origin of the site: the setting, or the address that was bound.
    pub public_url: String,
    pub process: Process,
    pub store: Store,
    /// Everything derived from the database.
    pub projections: Arc<Projections>,
    pub ingest: Ingest,
    /// Limits the live streams of each account.
    pub live_quota: Quota<i64>,
    pub accounts: Accounts,
    pub discord: DiscordApp,
    pub game_site: GameSite,
    pub uploads: Uploads,
    pub avatars: Avatars,
    pub cards: Cards,
    pub visitors: Visitors,
    /// The sitemap, see `features::pages`.
    pub sitemap: tokio::sync::Mutex<Option<Sitemap>>,
    /// See `features::patch`.
    pub current_patch: ArcSwapOption<CurrentPatch>,
    /// Errors and job runs, for the admin page.
    pub diagnostics: Diagnostics,
}

/// The current patch, as it is until the next commit.
#[derive(Debug)]
pub struct CurrentPatch {
    pub patch: Option<PatchRow>,
    /// Whether somebody visible scored in it.
    pub is_scored: bool,
    /// [`Projections::generation`] before it was read.
    pub generation: u64,
}

/// The cached sitemap.
#[derive(Debug, Clone)]
pub struct Sitemap {
    pub xml: Bytes,
    /// [`Projections::visibility_generation`] before it was built.
    pub visibility_generation: u64,
    pub created_at: Instant,
}

//! Rosters: member lists of guilds on the game's site, downloaded page by page in the background and applied to players.
//!
//! A player whom a roster lists as a main member joins the guild; a player whom it no longer lists leaves it. A player's own
//! page takes precedence if it was read later. Redacted and hidden members are unnamed, so they cannot be assigned.

mod apply;
mod download;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::App;
use crate::domain::names::GuildTag;
use crate::domain::times::DAY_MS;
use crate::error::AppError;
use crate::store::rosters::{self, RosterRow};
use crate::store::{Store, demo};
use crate::upstream::game_site::{Priority, SiteError};

use download::{Roster, RosterDownload, do_agree, is_suspicious};
use net::Backoff;

/// The name of the job and its lease.
pub const JOB: &str = "rosters";
/// Pauses of all downloads after consecutive failures.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(300), Duration::from_secs(3_600));
/// Attempts per page before the guild is postponed.
const MAX_ATTEMPTS: u32 = 3;
/// Delays of a guild after consecutive failed downloads: 6 hours to 7 days.
const GUILD_BACKOFF: Backoff = Backoff::new(Duration::from_secs(6 * 3_600), Duration::from_secs(7 * 24 * 3_600));
/// The interval for guilds that nobody has claimed or views, and for those unknown to the site. Milliseconds.
const LOW_PRIORITY_INTERVAL_MS: i64 = 7 * DAY_MS;
/// With PostgreSQL, a transaction may commit players with lower ids than those already visible, but within this distance.
const UNSETTLED_IDS: i64 = 1_000;

/// Why no rosters are read: disabled in the settings, or the invented guilds of a demo. `None` if they are read.
pub async fn disabled_reason(app: &App) -> Result<Option<&'static str>, AppError> {
    if !app.settings.rosters.enabled {
        return Ok(Some("The download of member lists is disabled in the settings."));
    }
    let is_demo = app.store.read(demo::find).await?.is_some();
    Ok(is_demo.then_some("The guilds of a demo are invented: no member lists are downloaded."))
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A page was requested.
    Read,
    /// No roster is due, or calls are paused.
    Idle,
}

/// Downloads rosters, one page per step. Runs in one process only, since calls share one budget.
#[derive(Debug, Default)]
pub struct RosterReader {
    download: Option<RosterDownload>,
    /// Failed calls in a row.
    failures: u32,
    paused_until: Option<Instant>,
    /// Players up to this id have been compared with stored rosters.
    assigned_up_to: i64,
}

impl RosterReader {
    /// Discards the current download, since another process continues.
    pub fn stop(&mut self) {
        self.download = None;
    }

    /// Assigns new players to guilds, and downloads the next page.
    pub async fn step(&mut self, app: &Arc<App>) -> Result<Outcome, AppError> {
        if disabled_reason(app).await?.is_some() {
            return Ok(Outcome::Idle);
        }
        self.assign_new_players(app).await?;
        if self.paused_until.is_some_and(|until| until > Instant::now()) {
            return Ok(Outcome::Idle);
        }
        let Some(download) = self.next_download(&app.store).await? else { return Ok(Outcome::Idle) };
        let answer = app.game_site.members(&download.tag, download.next_page, Priority::Background).await;
        match answer {
            Ok(page) => {
                self.failures = 0;
                self.handle_page(app, download, page).await?;
            }
            Err(error) => self.handle_failure(&app.store, download, &error).await?,
        }
        Ok(Outcome::Read)
    }

    /// The current download, or a new one for the next due guild.
    async fn next_download(&mut self, store: &Store) -> Result<Option<RosterDownload>, AppError> {
        if self.download.is_some() {
            return Ok(self.download.take());
        }
        loop {
            let now = store.now().0;
            let Some(guild) = store.read(move |conn| rosters::next_due(conn, now)).await? else {
                return Ok(None);
            };
            if let Ok(tag) = GuildTag::parse(&guild.tag) {
                return Ok(Some(RosterDownload::new(guild, tag, now)));
            }
            // Imported data contains tags that are invalid on the site.
            let why = "the tag is not valid on the game's site";
            self.postpone(store, guild.id, Some(LOW_PRIORITY_INTERVAL_MS), why).await?;
        }
    }

    async fn handle_page(
        &mut self,
        app: &Arc<App>,
        mut download: RosterDownload,
        page: crate::upstream::game_site::MembersPage,
    ) -> Result<(), AppError> {
        download.add_page(page);
        if !download.is_complete {
            self.download = Some(download);
            return Ok(());
        }
        if let Err(why) = download.roster.validate() {
            return self.postpone(&app.store, download.guild.id, None, why).await;
        }
        let (id, before) = (download.guild.id, download.guild.site_member_count);
        let plan = apply::plan(&app.store, id, &download.roster, download.began_at).await?;
        let known = app.store.read(move |conn| rosters::find(conn, id)).await?.unwrap_or_default();
        match &download.first {
            Some(first) if !do_agree(first, &download.roster) => {
                return self.postpone(&app.store, id, None, "two downloads of the list disagree").await;
            }
            None if is_suspicious(&download.roster, &known, before, plan.leaving, plan.present) => {
                self.download = Some(download.restart(app.store.now().0));
                return Ok(());
            }
            _ => {}
        }
        apply::move_players(app, &plan.moves).await?;
        apply::store(app, download).await
    }

    /// Pauses calls after a failure, and keeps the page for another attempt unless it was the last one.
    async fn handle_failure(
        &mut self,
        store: &Store,
        mut download: RosterDownload,
        error: &SiteError,
    ) -> Result<(), AppError> {
        tracing::info!(%error, tag = %download.tag, page = download.next_page, "a roster could not be read");
        if matches!(error, SiteError::NotFound) {
            let why = "the game's site does not know this organization";
            return self.postpone(store, download.guild.id, Some(LOW_PRIORITY_INTERVAL_MS), why).await;
        }
        let requested = match error {
            SiteError::Blocked { retry_after: Some(after) } | SiteError::Busy { retry_after: after } => *after,
            _ => Duration::ZERO,
        };
        self.failures += 1;
        let pause = BACKOFF.delay(self.failures).max(requested.min(BACKOFF.max));
        self.paused_until = Some(Instant::now() + pause);
        download.failures += 1;
        if download.failures < MAX_ATTEMPTS {
            self.download = Some(download);
            return Ok(());
        }
        self.postpone(store, download.guild.id, None, &error.to_string()).await
    }

    /// Schedules the next download after a failure, later after each one in a row unless `wait_ms` is given. The stored roster is
    /// unchanged.
    async fn postpone(&self, store: &Store, guild_id: i64, wait_ms: Option<i64>, why: &str) -> Result<(), AppError> {
        let (why, now) = (why.to_owned(), store.now().0);
        store
            .write(move |tx| {
                let known = rosters::find(tx, guild_id)?.unwrap_or_default();
                let failures = known.failures.saturating_add(1);
                let backoff_ms = GUILD_BACKOFF.delay(failures.unsigned_abs()).as_millis() as i64;
                let next_at = now + wait_ms.unwrap_or(backoff_ms);
                rosters::put(tx, &RosterRow { guild_id, failures, next_at, last_error: Some(why.clone()), ..known })
                    .map_err(AppError::from)
            })
            .await
    }

    /// Assigns players who appeared after a roster was downloaded to the guild that lists them.
    async fn assign_new_players(&mut self, app: &Arc<App>) -> Result<(), AppError> {
        let after = self.assigned_up_to;
        let (newest, found) = app
            .store
            .read(move |conn| {
                Ok((rosters::last_player_id(conn)?, rosters::unassigned(conn, after, apply::BATCH_PLAYERS)?))
            })
            .await?;
        let is_end = (found.len() as i64) < apply::BATCH_PLAYERS;
        let last = found.last().map_or(newest, |(id, ..)| *id);
        let moves: Vec<apply::GuildMove> = found
            .into_iter()
            .map(|(player_id, guild_id, rank, read_at)| apply::GuildMove {
                player_id,
                from: None,
                to: Some(guild_id),
                rank,
                read_at: read_at.unwrap_or(0),
            })
            .collect();
        apply::move_players(app, &moves).await?;
        self.assigned_up_to = if is_end { (newest - UNSETTLED_IDS).max(0) } else { last };
        Ok(())
    }
}

/// Main members of a roster: rank by folded handle.
type MainMembers = BTreeMap<String, Option<String>>;

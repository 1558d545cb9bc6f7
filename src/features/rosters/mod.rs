//! RosterReader: the member lists of guilds on the game's site, read page by page in the background and applied to players.
//!
//! A player whom a roster names as a main member joins the guild, a player whom it no longer names leaves it; the player's own
//! page wins where it was read later. Redacted and hidden members have no name in a roster, so they are in no guild here.

mod apply;
mod download;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::App;
use crate::domain::names::GuildTag;
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::error::AppError;
use crate::store::demo;
use crate::store::rosters::{self, DueGuild, RosterRow};
use crate::upstream::game_site::{Priority, SiteError};

use download::{Roster, RosterDownload, do_agree, is_suspicious};

/// The name of the job and of its lease.
pub const JOB: &str = "rosters";
/// After the first failed call; doubled with each further one.
const INITIAL_BACKOFF: Duration = Duration::from_secs(300);
const MAX_BACKOFF: Duration = Duration::from_secs(3_600);
/// How often one page is asked for before its guild is postponed.
const MAX_ATTEMPTS: u32 = 3;
/// A guild whose download failed is read again after this time; doubled with each failure in a row. Milliseconds.
const INITIAL_RETRY_DELAY_MS: i64 = DAY_MS / 4;
/// Between two readings of a guild that nobody owns or looks at, and of one that the site does not know. Milliseconds.
const LOW_PRIORITY_INTERVAL_MS: i64 = 7 * DAY_MS;
const HOUR_MS: i64 = 3_600_000;
/// With PostgreSQL, players can appear in another order than that of their ids, but never this far apart.
const UNSETTLED_IDS: i64 = 1_000;

/// Why no rosters are read, if so: the settings say so, or the guilds are those of a demo, which are invented.
pub async fn disabled_reason(app: &App) -> Result<Option<&'static str>, AppError> {
    if !app.settings.rosters.enabled {
        return Ok(Some("The settings switch the download of member lists off."));
    }
    let is_demo = app.store.read(demo::find).await?.is_some();
    Ok(is_demo.then_some("The guilds of a demo are invented: no member lists are read."))
}

/// What a step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A page was asked for.
    Read,
    /// No roster is due, or the game's site rests.
    Idle,
}

/// Reads rosters, one page a step. Only one process does, since each would use up the budget of calls.
#[derive(Debug, Default)]
pub struct RosterReader {
    download: Option<RosterDownload>,
    /// Failed calls in a row.
    failures: u32,
    paused_until: Option<Instant>,
    /// Players up to this id were compared with the stored rosters.
    assigned_up_to: i64,
}

impl RosterReader {
    /// Forgets what was being read: another process goes on.
    pub fn stop(&mut self) {
        self.download = None;
    }

    /// Assigns new players to guilds, and reads the next page of a roster.
    pub async fn step(&mut self, app: &Arc<App>) -> Result<Outcome, AppError> {
        if disabled_reason(app).await?.is_some() {
            return Ok(Outcome::Idle);
        }
        self.assign_new_players(app).await?;
        if self.paused_until.is_some_and(|until| until > Instant::now()) {
            return Ok(Outcome::Idle);
        }
        let Some(download) = self.next_download(app).await? else { return Ok(Outcome::Idle) };
        let answer = app.game_site.members(&download.tag, download.next_page, Priority::Background).await;
        match answer {
            Ok(page) => {
                self.failures = 0;
                self.handle_page(app, download, page).await?;
            }
            Err(error) => self.handle_failure(app, download, &error).await?,
        }
        Ok(Outcome::Read)
    }

    /// The download under way, else a new one of the guild that comes next.
    async fn next_download(&mut self, app: &App) -> Result<Option<RosterDownload>, AppError> {
        if self.download.is_some() {
            return Ok(self.download.take());
        }
        loop {
            let now = EpochMillis::now().0;
            let Some(guild) = app.store.read(move |conn| rosters::next_due(conn, now)).await? else {
                return Ok(None);
            };
            if let Ok(tag) = GuildTag::parse(&guild.tag) {
                return Ok(Some(RosterDownload::new(guild, tag, now)));
            }
            // A tag that no address can hold, as old imports have them.
            self.postpone(app, &guild, LOW_PRIORITY_INTERVAL_MS, "the tag is not valid on the game's site").await?;
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
            return self.postpone_after_failure(app, &download.guild, why).await;
        }
        let (id, before) = (download.guild.id, download.guild.site_member_count);
        let plan = apply::plan(app, id, &download.roster, download.began_at).await?;
        let known = app.store.read(move |conn| rosters::find(conn, id)).await?.unwrap_or_default();
        match &download.first {
            Some(first) if !do_agree(first, &download.roster) => {
                return self.postpone_after_failure(app, &download.guild, "two readings of the list disagree").await;
            }
            None if is_suspicious(&download.roster, &known, before, plan.leaving, plan.present) => {
                self.download = Some(download.restart(EpochMillis::now().0));
                return Ok(());
            }
            _ => {}
        }
        apply::move_players(app, &plan.moves).await?;
        self.store(app, download).await
    }

    /// Stores what was read and when it is to be read again.
    async fn store(&self, app: &Arc<App>, download: RosterDownload) -> Result<(), AppError> {
        let RosterDownload { guild, roster, began_at, .. } = download;
        let every = i64::from(app.settings.rosters.every_hours) * HOUR_MS;
        let own = guild.clone();
        let is_wanted = app.store.read(move |conn| rosters::has_priority(conn, &own)).await?;
        let next_at = EpochMillis::now().0 + if is_wanted { every } else { every.max(LOW_PRIORITY_INTERVAL_MS) };
        apply::store(app, &guild, roster, began_at, next_at).await
    }

    /// A call failed: the site rests, and the page is asked for again unless that was the last try.
    async fn handle_failure(
        &mut self,
        app: &App,
        mut download: RosterDownload,
        error: &SiteError,
    ) -> Result<(), AppError> {
        tracing::info!(%error, tag = %download.tag, page = download.next_page, "a roster could not be read");
        if matches!(error, SiteError::NotFound) {
            let why = "the game's site does not know this organization";
            return self.postpone(app, &download.guild, LOW_PRIORITY_INTERVAL_MS, why).await;
        }
        let asked = match error {
            SiteError::Blocked { retry_after: Some(after) } | SiteError::Busy { retry_after: after } => *after,
            _ => Duration::ZERO,
        };
        let own = (INITIAL_BACKOFF * 2u32.pow(self.failures.min(8))).min(MAX_BACKOFF);
        self.failures += 1;
        self.paused_until = Some(Instant::now() + own.max(asked.min(MAX_BACKOFF)));
        download.failures += 1;
        if download.failures < MAX_ATTEMPTS {
            self.download = Some(download);
            return Ok(());
        }
        self.postpone_after_failure(app, &download.guild, &error.to_string()).await
    }

    async fn postpone_after_failure(&self, app: &App, guild: &DueGuild, why: &str) -> Result<(), AppError> {
        let id = guild.id;
        let known = app.store.read(move |conn| rosters::find(conn, id)).await?.unwrap_or_default();
        let wait = INITIAL_RETRY_DELAY_MS << known.failures.clamp(0, 5);
        self.postpone(app, guild, wait.min(LOW_PRIORITY_INTERVAL_MS), why).await
    }

    /// What is known stays; the roster is read again after this time.
    async fn postpone(&self, app: &App, guild: &DueGuild, wait_ms: i64, why: &str) -> Result<(), AppError> {
        let (id, why, next_at) = (guild.id, why.to_owned(), EpochMillis::now().0 + wait_ms);
        app.store
            .write(move |tx| {
                let known = rosters::find(tx, id)?.unwrap_or_default();
                let failures = known.failures.saturating_add(1);
                rosters::put(tx, &RosterRow { guild_id: id, failures, next_at, last_error: Some(why.clone()), ..known })
                    .map_err(AppError::from)
            })
            .await
    }

    /// Players who came after a roster was read get the guild in which it names them.
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

/// The main members of a roster: rank by folded handle.
type MainMembers = BTreeMap<String, Option<String>>;

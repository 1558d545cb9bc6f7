//! Background refresh: reads the player or guild whose page was read longest ago, one page per step.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::App;
use crate::domain::names::{GuildTag, Handle};
use crate::domain::times::{DAY_MS, EpochMillis};
use crate::error::AppError;
use crate::store::membership;
use crate::upstream::game_site::Priority;

use super::{read_guild, read_player};

/// Pages read within this time are not stale, in milliseconds.
const STALE_MS: i64 = DAY_MS;
/// How long a player or guild is skipped after a failure.
const RETRY_DELAY: Duration = Duration::from_secs(6 * 3_600);
/// The number of stale candidates per step, of which some may be skipped.
const MAX_CANDIDATES: i64 = 200;

/// A player (by handle) or a guild (by tag), with its id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Target {
    Player(i64, String),
    Guild(i64, String),
}

/// The result of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A page was read, or does not exist.
    Read,
    /// Nothing is stale.
    Idle,
    /// The site is unavailable: wait before the next step.
    Unavailable,
}

/// The background refresh, with recent failures.
#[derive(Debug, Default)]
pub struct BackgroundRefresh {
    failed_at: HashMap<Target, Instant>,
}

impl BackgroundRefresh {
    /// Reads the next stale page: of claimed players, then of their guilds.
    pub async fn step(&mut self, app: &Arc<App>) -> Result<Outcome, AppError> {
        self.failed_at.retain(|_, since| since.elapsed() < RETRY_DELAY);
        let before = EpochMillis::now().0 - STALE_MS;
        let stale = app
            .store
            .read(move |conn| {
                let players = membership::stalest_players(conn, before, MAX_CANDIDATES)?;
                let guilds = membership::stalest_guilds(conn, before, MAX_CANDIDATES)?;
                Ok((players, guilds))
            })
            .await?;
        let players = stale.0.into_iter().map(|(id, handle)| Target::Player(id, handle));
        let mut all = players.chain(stale.1.into_iter().map(|(id, tag)| Target::Guild(id, tag)));
        let Some(target) = all.find(|target| !self.failed_at.contains_key(target)) else { return Ok(Outcome::Idle) };
        let read = match &target {
            Target::Player(_, handle) => match Handle::parse(handle) {
                Ok(handle) => read_player(app, &handle, Priority::Background).await.map(drop),
                Err(_) => Err(AppError::player_not_found(handle)),
            },
            Target::Guild(_, tag) => match GuildTag::parse(tag) {
                Ok(tag) => read_guild(app, &tag, Priority::Background).await.map(drop),
                Err(_) => Err(AppError::guild_not_found()),
            },
        };
        let Err(error) = read else { return Ok(Outcome::Read) };
        tracing::info!(%error, ?target, "a page of the game's site could not be read; stored data is unchanged");
        self.failed_at.insert(target, Instant::now());
        match error {
            AppError::NotFound(_) | AppError::Conflict(_) => Ok(Outcome::Read),
            AppError::Upstream(_) => Ok(Outcome::Unavailable),
            error => Err(error),
        }
    }
}

//! The rounds of the background: whoever was read longest ago comes next, one page at a time.

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

/// What was read within this time is not stale, in milliseconds.
const STALE_MS: i64 = DAY_MS;
/// Whoever could not be read is left alone for this long, so that others come to their turn.
const RETRY_DELAY: Duration = Duration::from_secs(6 * 3_600);
/// How many of the stalest are looked at to find one that is not failed_at.
const MAX_CANDIDATES: i64 = 200;

/// A player (by handle) or a guild (by tag), with its id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Target {
    Player(i64, String),
    Guild(i64, String),
}

/// How a step went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A page was read, or turned out not to be there.
    Read,
    /// Nobody is stale.
    Idle,
    /// The site does not answer now: better leave it alone for a while.
    Unavailable,
}

/// Who could not be read lately.
#[derive(Debug, Default)]
pub struct BackgroundRefresh {
    failed_at: HashMap<Target, Instant>,
}

impl BackgroundRefresh {
    /// Reads the next claimed player or guild of claimed players that nobody has read for a day.
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
        tracing::info!(%error, ?target, "what is known stays: the game's site could not be read");
        self.failed_at.insert(target, Instant::now());
        match error {
            AppError::NotFound(_) | AppError::Conflict(_) => Ok(Outcome::Read),
            AppError::Upstream(_) => Ok(Outcome::Unavailable),
            error => Err(error),
        }
    }
}

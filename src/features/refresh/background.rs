//! Background refresh: reads the player or guild whose page was read longest ago, one page per step.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::App;
use crate::domain::names::{GuildTag, Handle};
use crate::domain::times::DAY_MS;
use crate::error::AppError;
use crate::store::{membership, players};
use crate::upstream::game_site::Priority;

use super::{read_guild, read_player};

/// Pages read within this time are not stale, in milliseconds.
const STALE_MS: i64 = DAY_MS;
/// How long a player or guild is skipped after a failure.
const RETRY_DELAY: Duration = Duration::from_secs(6 * 3_600);
/// The number of stale candidates per step, of which some may be skipped.
const MAX_CANDIDATES: i64 = 200;

/// A name that the game's site does not know is asked about again after this time, in milliseconds.
const NAME_RETRY_MS: i64 = 7 * DAY_MS;

/// A player or a name that is not listed (by handle), or a guild (by tag), with its id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Target {
    Player(i64, String),
    Name(i64, String),
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
    /// Whether the last step preferred names that are not listed. Every second step does, so that many names delay no claimed player.
    was_name_turn: bool,
}

impl BackgroundRefresh {
    /// Reads the next page: of a name that is not listed in every second step, then the stalest of claimed players, then of their guilds.
    pub async fn step(&mut self, app: &Arc<App>) -> Result<Outcome, AppError> {
        self.failed_at.retain(|_, since| since.elapsed() < RETRY_DELAY);
        let now = app.store.now().0;
        let before = now - STALE_MS;
        let stale = app
            .store
            .read(move |conn| {
                let claimed = membership::stalest_players(conn, before, MAX_CANDIDATES)?;
                let guilds = membership::stalest_guilds(conn, before, MAX_CANDIDATES)?;
                let names = players::unlisted(conn, now - NAME_RETRY_MS, 1)?;
                Ok((claimed, guilds, names))
            })
            .await?;
        let players = stale.0.into_iter().map(|(id, handle)| Target::Player(id, handle));
        let names = stale.2.into_iter().map(|(id, handle)| Target::Name(id, handle));
        let others = players.chain(stale.1.into_iter().map(|(id, tag)| Target::Guild(id, tag)));
        self.was_name_turn = !self.was_name_turn;
        let mut all: Vec<Target> =
            if self.was_name_turn { names.chain(others).collect() } else { others.chain(names).collect() };
        all.retain(|target| !self.failed_at.contains_key(target));
        let Some(target) = all.into_iter().next() else { return Ok(Outcome::Idle) };
        if let Target::Name(id, _) = target {
            app.store.write(move |tx| players::set_site_asked(tx, id, now).map_err(AppError::from)).await?;
        }
        let read = match &target {
            Target::Player(_, handle) | Target::Name(_, handle) => match Handle::parse(handle) {
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

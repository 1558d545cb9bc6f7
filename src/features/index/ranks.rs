//! Ranks as they are loaded and counted anew, and what they were when the day began.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::{OpenError, rebuild_search};
use crate::app::App;
use crate::domain::day_start_ranks::DayStartRanks;
use crate::domain::ranks::Ranks;
use crate::domain::scores::Scores;
use crate::domain::times::Day;
use crate::domain::windows::GuildSums;
use crate::error::AppError;
use crate::features::changes::everything;
use crate::features::guilds::scores as guild_scores;
use crate::features::ingest::scores_of_row;
use crate::features::leaderboard::scores_of_window;
use crate::store::conn::AnyConn;
use crate::store::{Store, StoreError, changes, guilds, leaderboard, players};

/// How many rows are asked for by id at once.
const READ_AT_ONCE: usize = 1_000;

fn player_ranks(conn: &mut AnyConn, ids: (i64, i64)) -> diesel::QueryResult<Ranks> {
    let mut ranks = Ranks::default();
    leaderboard::for_each_visible(conn, ids, |five| ranks.change(&Scores::default(), &scores(five)))?;
    Ok(ranks)
}

/// Half of the players on a thread and connection of its own: only where nobody writes meanwhile.
fn player_ranks_by_halves(store: &Store, conn: &mut AnyConn) -> Result<Ranks, OpenError> {
    let half = leaderboard::last_id(conn)? / 2;
    std::thread::scope(|scope| {
        let first = scope.spawn(|| store.read_blocking(|conn| player_ranks(conn, (0, half))));
        let mut ranks = player_ranks(conn, (half + 1, i64::MAX))?;
        let first = first.join().map_err(|_| StoreError::Closed)??;
        ranks.merge(&first);
        Ok(ranks)
    })
}

fn guild_ranks(conn: &mut AnyConn) -> diesel::QueryResult<Ranks> {
    let mut ranks = Ranks::default();
    guilds::for_each_score(conn, |_, five| ranks.change(&Scores::default(), &scores(five)))?;
    Ok(ranks)
}

fn scores([pu_player_kills, pve_kills, vehicle_destructions, missions_completed, playtime]: [i64; 5]) -> Scores {
    Scores { pu_player_kills, pve_kills, vehicle_destructions, missions_completed, playtime }
}

/// The ranks as they stood when the day began: those of now, less what was done since.
fn day_start_ranks(conn: &mut AnyConn, day: Day, ranks: [&Ranks; 2]) -> diesel::QueryResult<[DayStartRanks; 2]> {
    let mut done: HashMap<i64, Scores> = HashMap::new();
    let mut of_guilds = GuildSums::default();
    leaderboard::for_each_since_day(conn, day.0, |row| {
        let scores = scores_of_window(&row);
        if let Some(guild_id) = row.guild_id {
            of_guilds.add(guild_id, scores);
        }
        if !row.is_hidden {
            done.insert(row.player_id, scores);
        }
    })?;
    let ids: Vec<i64> = done.keys().copied().collect();
    let mut changed = Vec::with_capacity(ids.len());
    for ids in ids.chunks(READ_AT_ONCE) {
        let rows = leaderboard::scores_of(conn, ids)?;
        changed.extend(rows.iter().map(scores_of_row).zip(&rows).map(|(now, row)| (row.player_id, now)));
    }
    let changed = changed.into_iter().filter_map(|(id, now)| Some((id, now - *done.get(&id)?, now)));
    let players = DayStartRanks::new(day, ranks[0], changed);
    let guild_rows = guilds::find_many(conn, &of_guilds.ids())?;
    let changed = guild_rows.iter().map(|row| (row.id, guild_scores(row)));
    let guilds = DayStartRanks::new(day, ranks[1], changed.map(|(id, now)| (id, now - of_guilds.get(id), now)));
    Ok([players, guilds])
}

/// What is counted in memory, all of one moment.
pub(super) struct Counted {
    pub newest: changes::ChangePosition,
    pub player_ranks: Ranks,
    pub guild_ranks: Ranks,
    pub player_day_start_ranks: DayStartRanks,
    pub guild_day_start_ranks: DayStartRanks,
    pub players: i64,
    pub guilds: i64,
}

impl Counted {
    /// While others may write.
    pub fn read(store: &Store) -> Result<Self, OpenError> {
        Self::read_with(store, |conn| Ok(player_ranks(conn, (0, i64::MAX))?))
    }

    /// At the start, when on SQLite nobody else has the database: in half the time.
    pub fn read_first(store: &Store) -> Result<Self, OpenError> {
        if store.is_postgres() {
            return Self::read(store);
        }
        Self::read_with(store, |conn| player_ranks_by_halves(store, conn))
    }

    fn read_with(
        store: &Store,
        player_ranks: impl FnOnce(&mut AnyConn) -> Result<Ranks, OpenError>,
    ) -> Result<Self, OpenError> {
        let day = App::now().day();
        store.read_snapshot(|conn| {
            let (player_ranks, guild_ranks) = (player_ranks(conn)?, guild_ranks(conn)?);
            let [player_day_start_ranks, guild_day_start_ranks] =
                day_start_ranks(conn, day, [&player_ranks, &guild_ranks])?;
            Ok(Self {
                newest: changes::newest(conn)?,
                player_ranks,
                guild_ranks,
                player_day_start_ranks,
                guild_day_start_ranks,
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
        *app.player_day_start_ranks.write().unwrap_or_else(PoisonError::into_inner) = counted.player_day_start_ranks;
        *app.guild_day_start_ranks.write().unwrap_or_else(PoisonError::into_inner) = counted.guild_day_start_ranks;
        *app.player_ranks.write().unwrap_or_else(PoisonError::into_inner) = counted.player_ranks;
        *app.guild_ranks.write().unwrap_or_else(PoisonError::into_inner) = counted.guild_ranks;
        app.player_count.store(counted.players, Ordering::Relaxed);
        app.guild_count.store(counted.guilds, Ordering::Relaxed);
        app.are_counts_stale.store(true, Ordering::Release);
        app.is_patch_stale.store(true, Ordering::Release);
        app.visibility_changes.fetch_add(1, Ordering::AcqRel);
        app.live.reset_to(counted.newest.event_id);
        app.forget_windows();
        app.player_boards.forget();
        app.guild_boards.forget();
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

/// Builds everything derived again when an effect of a commit is missing from it; whether it did.
pub async fn rebuild_when_stale(app: &Arc<App>) -> Result<bool, AppError> {
    if !app.is_derived_stale.swap(false, Ordering::AcqRel) {
        return Ok(false);
    }
    tracing::warn!("an effect of a commit is missing: ranks, boards and search are built again");
    let worker = Arc::clone(app);
    let rebuilt = tokio::task::spawn_blocking(move || start_anew(&worker)).await.map_err(AppError::internal);
    rebuilt.and_then(|done| done.map_err(AppError::internal)).inspect_err(|_| {
        app.is_derived_stale.store(true, Ordering::Release);
    })?;
    Ok(true)
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

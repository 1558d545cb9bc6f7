//! Ranks as they are loaded and counted anew, and what they were when the day began.

use std::collections::HashMap;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use super::OpenError;
use crate::app::App;
use crate::domain::ranks::Ranks;
use crate::domain::scores::Scores;
use crate::domain::times::Day;
use crate::domain::windows::GuildSums;
use crate::domain::yesterday::Yesterday;
use crate::error::AppError;
use crate::features::guilds::scores as guild_scores;
use crate::features::ingest::scores_of_row;
use crate::features::leaderboard::scores_of_window;
use crate::store::conn::AnyConn;
use crate::store::{guilds, leaderboard, players};

/// How many rows are asked for by id at once.
const READ_AT_ONCE: usize = 1_000;

pub(super) fn player_ranks(conn: &mut AnyConn) -> diesel::QueryResult<Ranks> {
    let mut ranks = Ranks::default();
    leaderboard::each_visible(conn, |five| ranks.change(&Scores::default(), &scores(five)))?;
    Ok(ranks)
}

pub(super) fn guild_ranks(conn: &mut AnyConn) -> diesel::QueryResult<Ranks> {
    let mut ranks = Ranks::default();
    guilds::each_score(conn, |_, five| ranks.change(&Scores::default(), &scores(five)))?;
    Ok(ranks)
}

fn scores([pu_player_kills, pve_kills, vehicle_destructions, missions_completed, playtime]: [i64; 5]) -> Scores {
    Scores { pu_player_kills, pve_kills, vehicle_destructions, missions_completed, playtime }
}

/// The ranks as they stood when the day began: those of now, less what was done since.
pub(super) fn yesterdays(conn: &mut AnyConn, day: Day, ranks: [&Ranks; 2]) -> diesel::QueryResult<[Yesterday; 2]> {
    let mut done: HashMap<i64, Scores> = HashMap::new();
    let mut of_guilds = GuildSums::default();
    leaderboard::each_since_day(conn, day.0, |row| {
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
    let players = Yesterday::new(day, ranks[0], changed);
    let guild_rows = guilds::find_many(conn, &of_guilds.ids())?;
    let changed = guild_rows.iter().map(|row| (row.id, guild_scores(row)));
    let guilds = Yesterday::new(day, ranks[1], changed.map(|(id, now)| (id, now - of_guilds.get(id), now)));
    Ok([players, guilds])
}

/// Counts ranks and numbers of players and guilds anew.
pub fn reload_ranks(app: &App) -> Result<(), OpenError> {
    let day = App::now().day();
    let (players_now, guilds_now, [players_then, guilds_then]) = app.store.read_here(|conn| {
        let (players, guilds) = (player_ranks(conn)?, guild_ranks(conn)?);
        let yesterdays = yesterdays(conn, day, [&players, &guilds])?;
        Ok((players, guilds, yesterdays))
    })?;
    // Nothing else is written meanwhile, so the two need not change at one moment.
    *app.player_yesterday.write().unwrap_or_else(PoisonError::into_inner) = players_then;
    *app.guild_yesterday.write().unwrap_or_else(PoisonError::into_inner) = guilds_then;
    *app.player_ranks.write().unwrap_or_else(PoisonError::into_inner) = players_now;
    *app.guild_ranks.write().unwrap_or_else(PoisonError::into_inner) = guilds_now;
    let (player_count, guild_count) = app.store.read_here(|conn| Ok((players::count(conn)?, guilds::count(conn)?)))?;
    app.player_count.store(player_count, Ordering::Relaxed);
    app.guild_count.store(guild_count, Ordering::Relaxed);
    app.count_commit();
    Ok(())
}

/// Counts all figures anew from the stored events; `progress` gets what is counted, how far and of how many.
pub async fn recount(
    app: &std::sync::Arc<App>,
    progress: impl FnMut(&'static str, u64, u64) + Send + 'static,
) -> Result<u64, AppError> {
    let events = crate::features::ingest::recount(app, progress).await?;
    let worker = std::sync::Arc::clone(app);
    tokio::task::spawn_blocking(move || reload_ranks(&worker))
        .await
        .map_err(AppError::internal)?
        .map_err(AppError::internal)?;
    Ok(events)
}

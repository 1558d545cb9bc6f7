//! Boards of players and guilds, over all time or a window.

mod active;
mod windows;

use std::collections::HashMap;

pub use windows::{Window, scores_of_window};

use crate::app::App;
use crate::domain::scores::{Metric, Scores};
use crate::domain::windows::Place;
use crate::error::AppError;
use crate::features::guilds::board_row;
use crate::features::ingest::scores_of_row;
use crate::store::conn::AnyConn;
use crate::store::guilds::{self, GuildRow as StoredGuild};
use crate::store::leaderboard;
use crate::store::players::{self, PlayerRow as StoredPlayer};
use crate::views::guilds::GuildRow;
use crate::views::players::PlayerRow;
use crate::views::{OffsetPagination, secs_or_none};

/// Which part of a board is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardQuery {
    pub metric: Metric,
    pub is_desc: bool,
    pub window: Window,
    pub limit: i64,
    pub offset: i64,
}

/// One player of a page, before names are looked up.
struct Placed {
    player_id: i64,
    scores: Scores,
    last_active_at: i64,
    rank: i64,
}

/// Counts anew what somebody asked for and what has grown old. A timer calls it.
pub async fn keep(app: &App) -> Result<(), AppError> {
    windows::keep(app).await?;
    active::keep(app).await
}

/// A page of players and how many there are.
pub async fn players(app: &App, query: BoardQuery) -> Result<(Vec<PlayerRow>, i64), AppError> {
    let (placed, total) = match query.window {
        Window::All => all_time(app, query).await?,
        window => in_window(app, query, window).await?,
    };
    let ids: Vec<i64> = placed.iter().map(|p| p.player_id).collect();
    let is_over_all = query.window == Window::All;
    let (people, tags, seen) = app
        .store
        .read(move |conn| {
            let people = players::find_many(conn, &ids)?;
            let tags = guild_names(conn, &people)?;
            // Boards over all time have read it with the figures.
            let seen = if is_over_all { Vec::new() } else { leaderboard::scores_of(conn, &ids)? };
            Ok((people, tags, seen))
        })
        .await?;
    let people: HashMap<i64, StoredPlayer> = people.into_iter().map(|p| (p.id, p)).collect();
    let seen: HashMap<i64, i64> = seen.into_iter().map(|s| (s.player_id, s.last_active_at)).collect();
    let rows = placed.into_iter().filter_map(|place| {
        // Who was hidden while a window was counted is in that count, and must not be named.
        let player = people.get(&place.player_id).filter(|player| !player.is_hidden)?;
        let last_active_at = seen.get(&place.player_id).copied().unwrap_or(place.last_active_at);
        let movement = app.player_movement(query.metric, place.player_id, &place.scores);
        let movement = movement.filter(|_| is_over_all);
        Some(row(player, &place, movement, last_active_at, &tags))
    });
    Ok((rows.collect(), total))
}

fn guild_names(conn: &mut AnyConn, people: &[StoredPlayer]) -> diesel::QueryResult<HashMap<i64, (String, String)>> {
    let mut ids: Vec<i64> = people.iter().filter_map(|p| p.guild_id).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(guilds::find_many(conn, &ids)?.into_iter().map(|g| (g.id, (g.tag, g.name))).collect())
}

fn row(
    player: &StoredPlayer,
    place: &Placed,
    movement: Option<i64>,
    last_active_at: i64,
    tags: &HashMap<i64, (String, String)>,
) -> PlayerRow {
    let guild = player.guild_id.and_then(|id| tags.get(&id));
    PlayerRow {
        rank: place.rank,
        movement,
        id: player.id.to_string(),
        player_name: player.player_name.clone(),
        handle: player.handle.clone(),
        player_geid: player.player_geid.clone(),
        org_short: guild.map(|g| g.0.clone()),
        org_name: guild.map(|g| g.1.clone()),
        overall: place.scores.overall(),
        pu_player_kills: place.scores.pu_player_kills,
        pve_kills: place.scores.pve_kills,
        vehicle_destructions: place.scores.vehicle_destructions,
        missions_completed: place.scores.missions_completed,
        playtime: place.scores.playtime,
        last_active: secs_or_none(last_active_at),
        profile_image: player.profile_image.clone(),
        banner_image: player.banner_image.clone(),
        stickers: player.stickers.as_deref().and_then(|json| serde_json::from_str(json).ok()),
    }
}

async fn all_time(app: &App, query: BoardQuery) -> Result<(Vec<Placed>, i64), AppError> {
    let BoardQuery { metric, is_desc, limit, offset, .. } = query;
    let rows = app.store.read(move |conn| leaderboard::page(conn, metric, is_desc, limit, offset)).await?;
    let ranks = app.player_ranks.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    let placed = rows.into_iter().map(|row| {
        let scores = scores_of_row(&row);
        // A commit between the two reads may have moved the score; the row then counts itself in.
        let rank = ranks.rank(metric, scores.get(metric)).unwrap_or(1);
        Placed { player_id: row.player_id, scores, last_active_at: row.last_active_at, rank }
    });
    Ok((placed.collect(), ranks.ranked(metric)))
}

async fn in_window(app: &App, query: BoardQuery, window: Window) -> Result<(Vec<Placed>, i64), AppError> {
    let counted = windows::counted(app, window).await?;
    let (places, total) = counted.board.players(query.metric, query.is_desc, query.offset, query.limit);
    let placed =
        places.into_iter().map(|Place { id, scores, rank }| Placed { player_id: id, scores, last_active_at: 0, rank });
    Ok((placed.collect(), total))
}

/// A page of guilds and where it stands.
pub async fn guilds(app: &App, query: BoardQuery) -> Result<(Vec<GuildRow>, OffsetPagination), AppError> {
    let (placed, total) = match query.window {
        Window::All => guilds_all_time(app, query).await?,
        window => guilds_in_window(app, query, window).await?,
    };
    let active = active::members(app, placed.iter().map(|(guild, ..)| guild)).await?;
    let rows = placed.iter().map(|(guild, sums, rank)| {
        let movement = app.guild_movement(query.metric, guild.id, sums).filter(|_| query.window == Window::All);
        board_row(guild, sums, (*rank, movement), &active)
    });
    let rows = rows.collect();
    Ok((rows, OffsetPagination::new(query.limit, query.offset, total)))
}

type PlacedGuild = (StoredGuild, Scores, i64);

async fn guilds_all_time(app: &App, query: BoardQuery) -> Result<(Vec<PlacedGuild>, i64), AppError> {
    let BoardQuery { metric, is_desc, limit, offset, .. } = query;
    let rows = app.store.read(move |conn| guilds::page(conn, metric, is_desc, limit, offset)).await?;
    let ranks = app.guild_ranks.read().unwrap_or_else(std::sync::PoisonError::into_inner);
    let placed = rows.into_iter().map(|guild| {
        let sums = super::guilds::scores(&guild);
        let rank = ranks.rank(metric, sums.get(metric)).unwrap_or(1);
        (guild, sums, rank)
    });
    Ok((placed.collect(), ranks.ranked(metric)))
}

async fn guilds_in_window(app: &App, query: BoardQuery, window: Window) -> Result<(Vec<PlacedGuild>, i64), AppError> {
    let counted = windows::counted(app, window).await?;
    let (places, total) = counted.board.guilds(query.metric, query.is_desc, query.offset, query.limit);
    let ids: Vec<i64> = places.iter().map(|place| place.id).collect();
    let found = app.store.read(move |conn| guilds::find_many(conn, &ids)).await?;
    let mut found: HashMap<i64, StoredGuild> = found.into_iter().map(|guild| (guild.id, guild)).collect();
    let placed = places.into_iter().filter_map(|place| Some((found.remove(&place.id)?, place.scores, place.rank)));
    Ok((placed.collect(), total))
}

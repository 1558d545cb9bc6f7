//! What a line of a board shows of a player or guild: kept in memory until it changes, read for a whole page otherwise.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::app::{App, GuildLine, PlayerLine};
use crate::domain::scores::Scores;
use crate::error::AppError;
use crate::features::guilds::{member_count, scores as guild_scores};
use crate::features::ingest::scores_of_row;
use crate::store::guilds::{self, GuildRow as StoredGuild};
use crate::store::ingest::ScoreRow;
use crate::store::leaderboard;
use crate::store::players::{self, PlayerRow as StoredPlayer};
use crate::views::guilds::GuildRow;
use crate::views::players::PlayerRow;
use crate::views::secs_or_none;

/// The lines of these players, in their order; `None` for who is not there.
pub async fn players(app: &App, ids: &[i64]) -> Result<Vec<Option<Arc<PlayerLine>>>, AppError> {
    let (mut found, read_at) = app.player_boards.lines.find(ids);
    let missing = missing(ids, &found);
    if missing.is_empty() {
        return Ok(found);
    }
    let act = move |conn: &mut crate::store::conn::AnyConn| {
        Ok((players::find_many(conn, &missing)?, leaderboard::scores_of(conn, &missing)?))
    };
    let (people, scores) = app.store.read(act).await?;
    let scores: FxHashMap<i64, ScoreRow> = scores.into_iter().map(|row| (row.player_id, row)).collect();
    let read = people.into_iter().map(|player| (player.id, Arc::new(player_line(&player, scores.get(&player.id)))));
    let read: FxHashMap<_, _> = read.collect();
    app.player_boards.lines.keep(read_at, read.iter().map(|(id, line)| (*id, Arc::clone(line))));
    fill(ids, &mut found, &read);
    Ok(found)
}

/// The lines of these guilds, in their order; `None` for what is not there.
pub async fn guilds(app: &App, ids: &[i64]) -> Result<Vec<Option<Arc<GuildLine>>>, AppError> {
    let (mut found, read_at) = app.guild_boards.lines.find(ids);
    let missing = missing(ids, &found);
    if missing.is_empty() {
        return Ok(found);
    }
    let stored = app.store.read(move |conn| guilds::find_many(conn, &missing)).await?;
    let read: FxHashMap<_, _> = stored.iter().map(|guild| (guild.id, Arc::new(guild_line(guild)))).collect();
    app.guild_boards.lines.keep(read_at, read.iter().map(|(id, line)| (*id, Arc::clone(line))));
    fill(ids, &mut found, &read);
    Ok(found)
}

fn missing<L>(ids: &[i64], found: &[Option<L>]) -> Vec<i64> {
    ids.iter().zip(found).filter(|(_, line)| line.is_none()).map(|(id, _)| *id).collect()
}

fn fill<L>(ids: &[i64], found: &mut [Option<Arc<L>>], read: &FxHashMap<i64, Arc<L>>) {
    for (id, line) in ids.iter().zip(found) {
        if line.is_none() {
            *line = read.get(id).map(Arc::clone);
        }
    }
}

fn player_line(player: &StoredPlayer, stored: Option<&ScoreRow>) -> PlayerLine {
    let scores = stored.map(scores_of_row).unwrap_or_default();
    let row = PlayerRow {
        rank: 0,
        movement: None,
        id: player.id.to_string().into(),
        player_name: player.player_name.as_str().into(),
        handle: player.handle.as_str().into(),
        player_geid: player.player_geid.as_deref().map(Arc::from),
        org_short: None,
        org_name: None,
        overall: scores.overall(),
        pu_player_kills: scores.pu_player_kills,
        pve_kills: scores.pve_kills,
        vehicle_destructions: scores.vehicle_destructions,
        missions_completed: scores.missions_completed,
        playtime: scores.playtime,
        last_active: secs_or_none(stored.map_or(0, |row| row.last_active_at)),
        profile_image: player.profile_image.as_deref().map(Arc::from),
        banner_image: player.banner_image.as_deref().map(Arc::from),
        stickers: player.stickers.as_deref().and_then(|json| serde_json::from_str(json).ok()),
    };
    PlayerLine { guild_id: player.guild_id, is_hidden: player.is_hidden, scores, row }
}

fn guild_line(guild: &StoredGuild) -> GuildLine {
    let scores = guild_scores(guild);
    let row = GuildRow {
        rank: 0,
        movement: None,
        org_short: guild.tag.as_str().into(),
        org_name: guild.name.as_str().into(),
        guild_image: guild.guild_image.as_deref().map(Arc::from),
        banner_image: guild.banner_image.as_deref().map(Arc::from),
        pu_player_kills: scores.pu_player_kills,
        pu_npc_kills: scores.pve_kills,
        pu_vehicle_destruction_caused: scores.vehicle_destructions,
        overall: scores.overall(),
        missions_completed: scores.missions_completed,
        playtime: scores.playtime,
        active_member_count: 0,
        total_member_count: guild.known_members,
        member_count: member_count(guild),
    };
    GuildLine { id: guild.id, known_members: guild.known_members, scores, row }
}

/// A player's line with the figures of a window in the place of all.
pub fn with_figures(row: PlayerRow, scores: &Scores) -> PlayerRow {
    PlayerRow {
        overall: scores.overall(),
        pu_player_kills: scores.pu_player_kills,
        pve_kills: scores.pve_kills,
        vehicle_destructions: scores.vehicle_destructions,
        missions_completed: scores.missions_completed,
        playtime: scores.playtime,
        ..row
    }
}

/// The same for a guild.
pub fn with_sums(row: GuildRow, sums: &Scores) -> GuildRow {
    GuildRow {
        pu_player_kills: sums.pu_player_kills,
        pu_npc_kills: sums.pve_kills,
        pu_vehicle_destruction_caused: sums.vehicle_destructions,
        overall: sums.overall(),
        missions_completed: sums.missions_completed,
        playtime: sums.playtime,
        ..row
    }
}

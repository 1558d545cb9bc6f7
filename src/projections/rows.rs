//! Rows of leaderboards: cached ones from memory, the others of a page in one query.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::store::conn::AnyConn;
use crate::store::guilds::{self, GuildRow as StoredGuild};
use crate::store::ingest::ScoreRow;
use crate::store::players::{self, PlayerRow as StoredPlayer};
use crate::store::{StoreError, leaderboard};
use crate::views::guilds::GuildRow;
use crate::views::players::PlayerRow;
use crate::views::secs_or_none;

use super::Projections;
use super::cache::{CachedGuild, CachedPlayer};

impl Projections {
    /// The rows of these players, in their order; `None` for an id that does not exist.
    pub async fn player_rows(&self, ids: &[i64]) -> Result<Vec<Option<Arc<CachedPlayer>>>, StoreError> {
        let cache = &self.players.cache.rows;
        let (found, found_at) = cache.find(ids);
        let missing = missing(ids, &found);
        if missing.is_empty() {
            return Ok(found);
        }
        let read = move |conn: &mut AnyConn| {
            Ok((players::find_many(conn, &missing)?, leaderboard::scores_of(conn, &missing)?))
        };
        let (players, scores) = self.store.read(read).await?;
        let scores: FxHashMap<i64, ScoreRow> = scores.into_iter().map(|row| (row.player_id, row)).collect();
        let read = players.into_iter().map(|player| (player.id, player_row(&player, scores.get(&player.id))));
        Ok(cache.complete(ids, found, found_at, read))
    }

    /// The rows of these guilds, in their order; `None` for an id that does not exist.
    pub async fn guild_rows(&self, ids: &[i64]) -> Result<Vec<Option<Arc<CachedGuild>>>, StoreError> {
        let cache = &self.guilds.cache.rows;
        let (found, found_at) = cache.find(ids);
        let missing = missing(ids, &found);
        if missing.is_empty() {
            return Ok(found);
        }
        let stored = self.store.read(move |conn| guilds::find_many(conn, &missing)).await?;
        Ok(cache.complete(ids, found, found_at, stored.iter().map(|guild| (guild.id, guild_row(guild)))))
    }
}

fn missing<E>(ids: &[i64], found: &[Option<E>]) -> Vec<i64> {
    ids.iter().zip(found).filter(|(_, row)| row.is_none()).map(|(id, _)| *id).collect()
}

fn player_row(player: &StoredPlayer, stored: Option<&ScoreRow>) -> CachedPlayer {
    let scores = stored.map(|row| row.scores).unwrap_or_default();
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
        career: scores.career,
        ships_flown: scores.ships_flown,
        universe_time: scores.universe_time,
        last_active: secs_or_none(stored.map_or(0, |row| row.last_active_at)),
        profile_image: player.profile_image.as_deref().map(Arc::from),
        banner_image: player.banner_image.as_deref().map(Arc::from),
        stickers: player.stickers.as_deref().and_then(|json| serde_json::from_str(json).ok()),
    };
    CachedPlayer { guild_id: player.guild_id, is_hidden: player.is_hidden, scores, row }
}

fn guild_row(guild: &StoredGuild) -> CachedGuild {
    let scores = guild.scores;
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
        career: scores.career,
        ships_flown: scores.ships_flown,
        universe_time: scores.universe_time,
        active_member_count: 0,
        total_member_count: guild.known_members,
        member_count: guild.member_count(),
    };
    CachedGuild { id: guild.id, known_members: guild.known_members, scores, row }
}

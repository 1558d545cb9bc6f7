//! Settings of players and guilds, and granted stickers.

use diesel::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

use super::conn::{AnyConn, bulk};
use super::schema::*;
use super::writer::Tx;
use super::{activity, distinct, ingest};
use crate::domain::events::OptIn;
use crate::domain::json::as_secs;

/// Changes of a player; `None` keeps a value, `Some(None)` clears it.
#[derive(Debug, Clone, Default, PartialEq, Eq, AsChangeset)]
#[diesel(table_name = players)]
pub struct PlayerChange {
    pub profile_image: Option<Option<String>>,
    pub banner_image: Option<Option<String>>,
    pub is_hidden: Option<bool>,
    /// JSON list of sticker ids.
    pub stickers: Option<Option<String>>,
    pub shares_pay: Option<bool>,
    pub shares_places: Option<bool>,
}

/// Changes of a guild; `None` keeps a value, `Some(None)` clears it.
#[derive(Debug, Clone, Default, PartialEq, Eq, AsChangeset)]
#[diesel(table_name = guilds)]
pub struct GuildChange {
    pub guild_image: Option<Option<String>>,
    pub banner_image: Option<Option<String>>,
    pub discord_link: Option<Option<String>>,
}

/// Writes a change, updates the copies of `is_hidden` that leaderboards and feeds read, and deletes what is shared no longer.
pub fn change_player(tx: &mut Tx, player_id: i64, change: &PlayerChange) -> QueryResult<()> {
    if *change == PlayerChange::default() {
        return Ok(());
    }
    diesel::update(players::table.find(player_id)).set(change).execute(&mut **tx)?;
    for (kind, shares) in [(OptIn::Pay, change.shares_pay), (OptIn::Places, change.shares_places)] {
        if shares == Some(false) {
            ingest::delete_opt_in(tx, player_id, kind)?;
        }
    }
    if let Some(is_hidden) = change.is_hidden {
        diesel::update(player_scores::table.find(player_id))
            .set(player_scores::is_hidden.eq(is_hidden))
            .execute(&mut **tx)?;
        // A job updates the older events, because hundreds of thousands of them would block all other writers.
        let player = diesel::update(players::table.find(player_id));
        if activity::apply_visibility(tx, player_id, None)?.is_some() {
            player.set(players::feed_changes.eq(players::feed_changes + 1)).execute(&mut **tx)?;
        } else {
            player.set(players::feed_changes.eq(0)).execute(&mut **tx)?;
        }
    }
    Ok(())
}

pub fn change_guild(tx: &mut Tx, guild_id: i64, change: &GuildChange) -> QueryResult<()> {
    if *change != GuildChange::default() {
        diesel::update(guilds::table.find(guild_id)).set(change).execute(&mut **tx)?;
    }
    Ok(())
}

/// Players who use one of these pictures. One query per path, because only then do the databases use the partial indexes.
pub fn players_showing(conn: &mut AnyConn, paths: &[String]) -> QueryResult<Vec<i64>> {
    let mut ids: Vec<i64> = Vec::new();
    for path in paths {
        let (profile, banner) = (players::profile_image.eq(path), players::banner_image.eq(path));
        ids.extend(players::table.filter(profile).select(players::id).load::<i64>(conn)?);
        ids.extend(players::table.filter(banner).select(players::id).load::<i64>(conn)?);
    }
    Ok(distinct(ids.into_iter()))
}

/// Guilds that use one of these pictures.
pub fn guilds_showing(conn: &mut AnyConn, paths: &[String]) -> QueryResult<Vec<i64>> {
    let mut ids: Vec<i64> = Vec::new();
    for path in paths {
        let (logo, banner) = (guilds::guild_image.eq(path), guilds::banner_image.eq(path));
        ids.extend(guilds::table.filter(logo).select(guilds::id).load::<i64>(conn)?);
        ids.extend(guilds::table.filter(banner).select(guilds::id).load::<i64>(conn)?);
    }
    Ok(distinct(ids.into_iter()))
}

/// The stickers granted to a player: `(id, time)`.
pub fn grants(conn: &mut AnyConn, player_id: i64) -> QueryResult<Vec<(String, i64)>> {
    sticker_grants::table
        .filter(sticker_grants::player_id.eq(player_id))
        .order(sticker_grants::granted_at)
        .select((sticker_grants::sticker_id, sticker_grants::granted_at))
        .load(conn)
}

/// Grants stickers; an existing grant is unchanged. Returns the number of new grants.
pub fn grant(tx: &mut Tx, player_id: i64, sticker_ids: &[String], at: i64) -> QueryResult<usize> {
    bulk!(sticker_grants, sticker_ids, |id| { player_id: player_id, sticker_id: id.as_str(), granted_at: at })
        .on_conflict("sticker_grants", &["player_id", "sticker_id"], &[])
        .execute(tx)
}

/// Revokes a sticker; returns whether the player had it.
pub fn revoke(tx: &mut Tx, player_id: i64, sticker_id: &str) -> QueryResult<bool> {
    let gone = diesel::delete(sticker_grants::table.find((player_id, sticker_id))).execute(&mut **tx)?;
    Ok(gone > 0)
}

/// A player with a granted sticker.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Serialize, ToSchema)]
#[schema(as = StickerHolder)]
pub struct HolderRow {
    pub handle: String,
    /// Epoch seconds.
    #[serde(serialize_with = "as_secs")]
    pub granted_at: i64,
}

/// Up to `limit` players with a granted sticker, newest first.
pub fn holders(conn: &mut AnyConn, sticker_id: &str, limit: i64) -> QueryResult<Vec<HolderRow>> {
    use sticker_grants as g;
    g::table
        .inner_join(players::table)
        .filter(g::sticker_id.eq(sticker_id))
        .select((players::handle, g::granted_at))
        .order((g::granted_at.desc(), players::handle_folded))
        .limit(limit)
        .load(conn)
}

/// Number of players with each granted sticker.
pub fn grant_counts(conn: &mut AnyConn) -> QueryResult<Vec<(String, i64)>> {
    use sticker_grants as g;
    g::table.group_by(g::sticker_id).select((g::sticker_id, diesel::dsl::count_star())).load(conn)
}

/// Distinct vehicles that a player has used.
pub fn vehicles(conn: &mut AnyConn, player_id: i64) -> QueryResult<Vec<String>> {
    vehicle_use::table.filter(vehicle_use::player_id.eq(player_id)).select(vehicle_use::vehicle).distinct().load(conn)
}

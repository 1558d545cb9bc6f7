//! Rosters: the members that the game's site lists for a guild, how fresh the list is, and which guild is read next.

use std::collections::BTreeMap;

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::guilds::GuildRow;
use super::in_chunks;
use super::players::PlayerRow;
use super::schema::*;
use super::writer::Tx;

/// State of a roster; times in epoch milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = guild_rosters, primary_key(guild_id), treat_none_as_null = true)]
pub struct RosterRow {
    pub guild_id: i64,
    /// When the reading of the current roster began.
    pub read_at: Option<i64>,
    pub main_members: i64,
    pub affiliates: i64,
    pub unnamed: i64,
    /// Number of all members according to the site.
    pub total: i64,
    pub is_partial: bool,
    pub next_at: i64,
    /// Number of consecutive failed readings.
    pub failures: i32,
    pub last_error: Option<String>,
}

/// The guild whose roster is due at `now`: claimed guilds first, then the most viewed, then those never read.
pub fn next_due(conn: &mut AnyConn, now: i64) -> QueryResult<Option<GuildRow>> {
    let is_claimed = diesel::dsl::exists(users::table.filter(users::guild_id.eq(guilds::id.nullable())));
    guilds::table
        .left_join(guild_rosters::table)
        .filter(guild_rosters::next_at.is_null().or(guild_rosters::next_at.le(now)))
        .order((
            is_claimed.desc(),
            guilds::views.desc(),
            guild_rosters::read_at.is_not_null(),
            guild_rosters::read_at,
            guilds::id,
        ))
        .select(GuildRow::as_select())
        .first(conn)
        .optional()
}

pub fn find(conn: &mut AnyConn, guild_id: i64) -> QueryResult<Option<RosterRow>> {
    guild_rosters::table.find(guild_id).select(RosterRow::as_select()).first(conn).optional()
}

/// All players of a guild.
pub fn list_members(conn: &mut AnyConn, guild_id: i64) -> QueryResult<Vec<PlayerRow>> {
    players::table.filter(players::guild_id.eq(guild_id)).select(PlayerRow::as_select()).load(conn)
}

/// The existing players with these folded handles.
pub fn find_players_by_handle(conn: &mut AnyConn, folded: &[String]) -> QueryResult<Vec<PlayerRow>> {
    in_chunks(folded, |folded| {
        players::table.filter(players::handle_folded.eq_any(folded)).select(PlayerRow::as_select()).load(conn)
    })
}

/// A player without a guild who is in a roster: `(player, guild, rank, when the roster was read)`.
pub type Unassigned = (i64, i64, Option<String>, Option<i64>);

/// Players with an id above `after` and without a guild whom a roster lists that is newer than their own page.
pub fn unassigned(conn: &mut AnyConn, after: i64, limit: i64) -> QueryResult<Vec<Unassigned>> {
    players::table
        .inner_join(roster_members::table.on(roster_members::handle_folded.eq(players::handle_folded)))
        .inner_join(guild_rosters::table.on(guild_rosters::guild_id.eq(roster_members::guild_id)))
        .filter(players::id.gt(after))
        .filter(players::guild_id.is_null())
        .filter(players::site_read_at.is_null().or(players::site_read_at.lt(guild_rosters::read_at)))
        .order(players::id)
        .limit(limit)
        .select((players::id, roster_members::guild_id, roster_members::guild_rank, guild_rosters::read_at))
        .load(conn)
}

/// The newest player's id; 0 if there is none.
pub fn last_player_id(conn: &mut AnyConn) -> QueryResult<i64> {
    let newest: Option<i64> = players::table.select(diesel::dsl::max(players::id)).first(conn)?;
    Ok(newest.unwrap_or(0))
}

/// Replaces the members of a guild's roster, given as rank by folded handle. A member of another roster moves to this one.
pub fn replace_members(tx: &mut Tx, guild_id: i64, members: &BTreeMap<String, Option<String>>) -> QueryResult<()> {
    use roster_members as m;
    diesel::delete(m::table.filter(m::guild_id.eq(guild_id))).execute(&mut **tx)?;
    bulk!(roster_members, members, |(handle_folded, guild_rank)| {
        handle_folded: handle_folded.as_str(),
        guild_id: guild_id,
        guild_rank: guild_rank.as_deref(),
    })
    .on_conflict("roster_members", &["handle_folded"], &[("guild_id", Merge::Replace), ("guild_rank", Merge::Replace)])
    .execute(tx)?;
    Ok(())
}

/// Stores all columns of a roster's state.
pub fn put(tx: &mut Tx, row: &RosterRow) -> QueryResult<()> {
    if diesel::update(guild_rosters::table.find(row.guild_id)).set(row).execute(&mut **tx)? == 0 {
        diesel::insert_into(guild_rosters::table).values(row).execute(&mut **tx)?;
    }
    Ok(())
}

pub fn set_rank(tx: &mut Tx, player_id: i64, guild_rank: Option<&str>) -> QueryResult<()> {
    diesel::update(players::table.find(player_id)).set(players::guild_rank.eq(guild_rank)).execute(&mut **tx)?;
    Ok(())
}

/// Number of rosters by age and state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Freshness {
    pub guilds: i64,
    /// Number of rosters read since each of the two requested times.
    pub since: [i64; 2],
    pub read: i64,
    pub due: i64,
    pub failing: i64,
    /// When the least recently read roster was read.
    pub oldest: Option<i64>,
}

/// Counts rosters by age; all times in epoch milliseconds.
pub fn freshness(conn: &mut AnyConn, now: i64, since: [i64; 2]) -> QueryResult<Freshness> {
    use guild_rosters as r;
    let mut counts = [0; 2];
    for (count, moment) in counts.iter_mut().zip(since) {
        *count = r::table.filter(r::read_at.ge(moment)).count().get_result(conn)?;
    }
    let guilds: i64 = guilds::table.count().get_result(conn)?;
    let resting: i64 = r::table.filter(r::next_at.gt(now)).count().get_result(conn)?;
    Ok(Freshness {
        guilds,
        since: counts,
        read: r::table.filter(r::read_at.is_not_null()).count().get_result(conn)?,
        due: guilds - resting,
        failing: r::table.filter(r::failures.gt(0)).count().get_result(conn)?,
        oldest: r::table.select(diesel::dsl::min(r::read_at)).first(conn)?,
    })
}

/// The tags of guilds with their rosters: failing ones first, then the most recently read.
pub fn newest(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<(String, RosterRow)>> {
    use guild_rosters as r;
    r::table
        .inner_join(guilds::table)
        .order((r::failures.desc(), r::read_at.is_null(), r::read_at.desc(), r::guild_id))
        .limit(limit)
        .select((guilds::tag, RosterRow::as_select()))
        .load(conn)
}

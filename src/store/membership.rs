//! Facts that the game's site publishes about players and guilds, and moves of players between guilds.

use std::collections::BTreeMap;

use diesel::prelude::*;

use super::activity;
use super::conn::AnyConn;
use super::ingest::add_guild_scores;
use super::leaderboard;
use super::schema::*;
use super::writer::Tx;
use crate::domain::scores::Scores;

/// Facts from the page of a player.
#[derive(Debug, Clone, AsChangeset)]
#[diesel(table_name = players, treat_none_as_null = true)]
pub struct SiteFacts {
    pub handle: String,
    pub player_name: String,
    pub citizen_record: Option<String>,
    pub guild_rank: Option<String>,
    pub site_avatar_url: Option<String>,
    /// Epoch milliseconds.
    pub site_read_at: Option<i64>,
}

pub fn set_facts(tx: &mut Tx, player_id: i64, facts: &SiteFacts) -> QueryResult<()> {
    diesel::update(players::table.find(player_id)).set(facts).execute(&mut **tx)?;
    Ok(())
}

/// Facts from the page of a guild; `None` keeps the stored value. All of them may be missing.
#[derive(Debug, Clone, AsChangeset)]
#[diesel(table_name = guilds)]
pub struct GuildFacts {
    pub site_member_count: Option<i64>,
    pub site_logo_url: Option<String>,
    pub site_read_at: Option<i64>,
}

pub fn set_guild_facts(tx: &mut Tx, guild_id: i64, facts: &GuildFacts) -> QueryResult<()> {
    diesel::update(guilds::table.find(guild_id)).set(facts).execute(&mut **tx).optional_empty_changeset()?;
    Ok(())
}

/// Moves a locked player to another guild, or to none, with membership, totals, member counts and feeds. Returns the totals of each
/// affected guild before and after.
pub fn move_player(
    tx: &mut Tx,
    player_id: i64,
    from: Option<i64>,
    to: Option<i64>,
) -> QueryResult<Vec<(i64, Scores, Scores)>> {
    if from == to {
        return Ok(Vec::new());
    }
    diesel::update(players::table.find(player_id)).set(players::guild_id.eq(to)).execute(&mut **tx)?;
    activity::reassign_guild(tx, player_id)?;
    let own = leaderboard::scores_of(tx, &[player_id])?.into_iter().next().map(|row| row.scores).unwrap_or_default();
    let mut steps: Vec<(i64, i64, Scores)> =
        from.map(|id| (id, -1, own * -1)).into_iter().chain(to.map(|id| (id, 1, own))).collect();
    // In order of ids, so that two players who swap guilds do not deadlock.
    steps.sort_unstable_by_key(|(guild_id, ..)| *guild_id);
    let mut changes = Vec::with_capacity(2);
    for (guild_id, members, gained) in steps {
        diesel::update(guilds::table.find(guild_id))
            .set(guilds::known_members.eq(guilds::known_members + members))
            .execute(&mut **tx)?;
        for (id, now) in add_guild_scores(tx, &BTreeMap::from([(guild_id, gained)]))? {
            changes.push((id, now - gained, now));
        }
    }
    Ok(changes)
}

/// The claimed players whose page was read longest ago, before a time: `(id, handle)`.
pub fn stalest_players(conn: &mut AnyConn, before: i64, limit: i64) -> QueryResult<Vec<(i64, String)>> {
    players::table
        .inner_join(users::table.on(users::player_id.eq(players::id.nullable())))
        .filter(players::site_read_at.is_null().or(players::site_read_at.lt(before)))
        .order((players::site_read_at.is_null().desc(), players::site_read_at.asc(), players::id.asc()))
        .limit(limit)
        .select((players::id, players::handle))
        .load(conn)
}

/// The guilds that are claimed or have a claimed member and whose page was read longest ago, before a time: `(id, tag)`.
pub fn stalest_guilds(conn: &mut AnyConn, before: i64, limit: i64) -> QueryResult<Vec<(i64, String)>> {
    use diesel::dsl::exists;
    let is_owned = exists(users::table.filter(users::guild_id.eq(guilds::id.nullable())));
    let has_member = exists(
        players::table
            .inner_join(users::table.on(users::player_id.eq(players::id.nullable())))
            .filter(players::guild_id.eq(guilds::id.nullable())),
    );
    guilds::table
        .filter(guilds::site_read_at.is_null().or(guilds::site_read_at.lt(before)))
        .filter(is_owned.or(has_member))
        .order((guilds::site_read_at.is_null().desc(), guilds::site_read_at.asc(), guilds::id.asc()))
        .limit(limit)
        .select((guilds::id, guilds::tag))
        .load(conn)
}

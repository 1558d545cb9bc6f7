//! What the game's site says of players and guilds, and what moves when a player changes guilds.

use diesel::prelude::*;

use super::ingest::{FiveScores, add_guild_scores};
use super::leaderboard;
use super::schema::*;
use super::writer::Tx;

/// What the page of a player said.
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

/// What the page of a guild said; what it did not say stays.
#[derive(Debug, Clone, AsChangeset)]
#[diesel(table_name = guilds)]
pub struct GuildFacts {
    pub site_member_count: Option<i64>,
    pub site_logo_url: Option<String>,
    pub site_read_at: Option<i64>,
}

pub fn set_guild_facts(tx: &mut Tx, guild_id: i64, facts: &GuildFacts) -> QueryResult<()> {
    diesel::update(guilds::table.find(guild_id)).set(facts).execute(&mut **tx)?;
    Ok(())
}

/// Hides a locked player or shows it again; boards carry a copy of the mark.
pub fn set_hidden(tx: &mut Tx, player_id: i64, is_hidden: bool) -> QueryResult<()> {
    diesel::update(players::table.find(player_id)).set(players::is_hidden.eq(is_hidden)).execute(&mut **tx)?;
    diesel::update(player_scores::table.find(player_id))
        .set(player_scores::is_hidden.eq(is_hidden))
        .execute(&mut **tx)?;
    Ok(())
}

/// Moves a locked player into another guild, or out of any: membership, sums, member counts and feeds. Gives each touched
/// guild's sums before and after.
pub fn move_player(
    tx: &mut Tx,
    player_id: i64,
    from: Option<i64>,
    to: Option<i64>,
) -> QueryResult<Vec<(i64, FiveScores, FiveScores)>> {
    if from == to {
        return Ok(Vec::new());
    }
    diesel::update(players::table.find(player_id)).set(players::guild_id.eq(to)).execute(&mut **tx)?;
    diesel::update(event_players::table.filter(event_players::player_id.eq(player_id)))
        .set(event_players::guild_id.eq(to))
        .execute(&mut **tx)?;
    let own = leaderboard::scores_of(tx, &[player_id])?
        .into_iter()
        .next()
        .map_or([0; 5], |s| [s.pu_player_kills, s.pve_kills, s.vehicle_destructions, s.missions_completed, s.playtime]);
    let mut steps: Vec<(i64, i64)> = from.map(|id| (id, -1)).into_iter().chain(to.map(|id| (id, 1))).collect();
    // In order, so that two players that change places do not wait for each other.
    steps.sort_unstable();
    let mut changes = Vec::with_capacity(2);
    for (guild_id, sign) in steps {
        diesel::update(guilds::table.find(guild_id))
            .set(guilds::known_members.eq(guilds::known_members + sign))
            .execute(&mut **tx)?;
        let moved = own.map(|figure| figure * sign);
        for (id, now) in add_guild_scores(tx, &[(guild_id, moved)])? {
            let before = std::array::from_fn(|i| now[i] - moved[i]);
            changes.push((id, before, now));
        }
    }
    Ok(changes)
}

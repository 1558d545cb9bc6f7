//! Players and guilds as entries of the search index.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_types::Bool;

use super::conn::AnyConn;
use super::in_chunks;
use super::schema::*;
use crate::domain::scores::search_order;

/// A player or guild to be indexed.
#[derive(Debug, Clone)]
pub struct EntryRow {
    pub is_guild: bool,
    pub id: i64,
    /// Handle or tag.
    pub key: String,
    pub name: String,
    pub former: Vec<String>,
    pub org_short: Option<String>,
    pub score: i64,
    pub member_count: i64,
    pub is_claimed: bool,
}

type PlayerColumns = (i64, String, String, Option<String>, Option<i64>, Option<i64>, Option<i64>);
type FormerHandles = HashMap<i64, Vec<String>>;

fn player((id, key, name, org_short, overall, career, owner): PlayerColumns, former: &FormerHandles) -> EntryRow {
    EntryRow {
        is_guild: false,
        id,
        key,
        name,
        former: former.get(&id).cloned().unwrap_or_default(),
        org_short,
        score: search_order(overall.unwrap_or(0), career.unwrap_or(0)),
        member_count: 0,
        is_claimed: owner.is_some(),
    }
}

/// `player_query!("SQL")`: players that meet a condition.
macro_rules! player_query {
    ($condition:literal) => {
        players::table
            .left_join(guilds::table.on(guilds::id.nullable().eq(players::guild_id)))
            .left_join(player_scores::table.on(player_scores::player_id.eq(players::id)))
            .left_join(users::table.on(users::player_id.eq(players::id.nullable())))
            .filter(diesel::dsl::sql::<Bool>($condition))
            .select((
                players::id,
                players::handle,
                players::player_name,
                guilds::tag.nullable(),
                player_scores::overall.nullable(),
                player_scores::career.nullable(),
                users::id.nullable(),
            ))
    };
}

fn by_player(rows: Vec<(i64, String)>) -> FormerHandles {
    let mut by_player = FormerHandles::new();
    for (player_id, handle) in rows {
        by_player.entry(player_id).or_default().push(handle);
    }
    by_player
}

fn with_former_handles(conn: &mut AnyConn, rows: Vec<PlayerColumns>) -> QueryResult<Vec<EntryRow>> {
    use former_handles as f;
    let ids: Vec<i64> = rows.iter().map(|row| row.0).collect();
    let former =
        in_chunks(&ids, |ids| f::table.filter(f::player_id.eq_any(ids)).select((f::player_id, f::handle)).load(conn))?;
    let former = by_player(former);
    Ok(rows.into_iter().map(|row| player(row, &former)).collect())
}

/// The visible players with these ids.
pub fn find_players(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<EntryRow>> {
    let rows = in_chunks(ids, |ids| {
        player_query!("NOT players.is_hidden AND players.is_listed").filter(players::id.eq_any(ids)).load(conn)
    })?;
    with_former_handles(conn, rows)
}

/// The hidden players, all of them or one.
pub fn hidden_players(conn: &mut AnyConn, only: Option<i64>) -> QueryResult<Vec<EntryRow>> {
    let rows = match only {
        Some(id) => player_query!("players.is_hidden").filter(players::id.eq(id)).load(conn)?,
        None => player_query!("players.is_hidden").load(conn)?,
    };
    with_former_handles(conn, rows)
}

const GUILD_COLUMNS: (guilds::id, guilds::tag, guilds::name, guilds::overall, guilds::career, guilds::known_members) =
    (guilds::id, guilds::tag, guilds::name, guilds::overall, guilds::career, guilds::known_members);

/// The guilds with these ids.
pub fn find_guilds(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<EntryRow>> {
    let rows = guilds::table.filter(guilds::id.eq_any(ids)).select(GUILD_COLUMNS).load(conn)?;
    Ok(rows.into_iter().map(guild).collect())
}

type GuildColumns = (i64, String, String, i64, i64, i64);

fn guild((id, key, name, overall, career, member_count): GuildColumns) -> EntryRow {
    EntryRow {
        is_guild: true,
        id,
        key,
        name,
        former: Vec::new(),
        org_short: None,
        score: search_order(overall, career),
        member_count,
        is_claimed: false,
    }
}

/// Passes an iterator over all visible players, then all guilds, to `consume`, each by score, highest first.
pub fn for_each<T>(
    conn: &mut AnyConn,
    consume: impl FnOnce(&mut dyn Iterator<Item = QueryResult<EntryRow>>) -> T,
) -> QueryResult<T> {
    let former = former_handles::table.select((former_handles::player_id, former_handles::handle)).load(conn)?;
    let former = by_player(former);
    let guild_rows = guilds::table.order((guilds::overall.desc(), guilds::career.desc())).select(GUILD_COLUMNS);
    let guild_entries = guild_rows.load(conn)?.into_iter().map(|row| Ok(guild(row)));
    let rows = player_query!("NOT players.is_hidden AND players.is_listed")
        .order((player_scores::overall.desc(), player_scores::career.desc()))
        .load_iter::<PlayerColumns, diesel::connection::DefaultLoadingMode>(conn)?;
    Ok(consume(&mut rows.map(|row| row.map(|row| player(row, &former))).chain(guild_entries)))
}

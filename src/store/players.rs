//! Players; their scores are in `ingest` and `leaderboard`.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::query_builder::QueryFragment;
use diesel::sql_types::Bool;
use serde::Serialize;
use utoipa::ToSchema;

use super::conn::{AnyConn, Bulk, Merge, MultiBackend, NumberOf, bulk};
use super::in_chunks;
use super::schema::*;
use super::scores::score_columns;
use super::writer::Tx;
use crate::domain::counters::{Counters, CountersByMode};
use crate::domain::events::{GameMode, OptIn, mode_from_code};
use crate::domain::play_sessions::SessionKind;
use crate::domain::scores::Scores;

/// A player; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable)]
#[diesel(table_name = players)]
pub struct PlayerRow {
    pub id: i64,
    pub handle: String,
    pub handle_folded: String,
    pub player_name: String,
    pub player_geid: Option<String>,
    pub citizen_record: Option<String>,
    pub guild_id: Option<i64>,
    pub guild_rank: Option<String>,
    pub is_hidden: bool,
    pub profile_image: Option<String>,
    pub banner_image: Option<String>,
    /// JSON list of sticker ids.
    pub stickers: Option<String>,
    #[diesel(embed)]
    pub sharing: Sharing,
    pub site_avatar_url: Option<String>,
    pub site_read_at: Option<i64>,
    pub views: i64,
    pub created_at: i64,
}

/// What the owner of a player shares beside the public events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Queryable, Selectable, Serialize, ToSchema)]
#[diesel(table_name = players)]
#[schema(as = SharingView)]
pub struct Sharing {
    #[serde(rename = "pay")]
    pub shares_pay: bool,
    #[serde(rename = "places")]
    pub shares_places: bool,
}

impl Sharing {
    pub fn includes(self, kind: OptIn) -> bool {
        match kind {
            OptIn::Pay => self.shares_pay,
            OptIn::Places => self.shares_places,
        }
    }
}

/// The columns of a player that ingest needs.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = players)]
pub struct PlayerRef {
    pub id: i64,
    pub handle: String,
    pub handle_folded: String,
    pub guild_id: Option<i64>,
    pub is_hidden: bool,
    pub profile_image: Option<String>,
    /// Whether the player is claimed, named by the operator, or known to the game's site. Other names stand in events as text only.
    pub is_listed: bool,
}

impl PlayerRef {
    /// Whether leaderboards and search leave the player out.
    pub fn is_off_boards(&self) -> bool {
        self.is_hidden || !self.is_listed
    }
}

/// A listed player; other names are not found.
pub fn find_by_handle(conn: &mut AnyConn, folded: &str) -> QueryResult<Option<PlayerRow>> {
    let known = players::table.filter(players::handle_folded.eq(folded)).filter(players::is_listed.eq(true));
    known.select(PlayerRow::as_select()).first(conn).optional()
}

pub fn find_by_id(conn: &mut AnyConn, id: i64) -> QueryResult<Option<PlayerRow>> {
    players::table.find(id).select(PlayerRow::as_select()).first(conn).optional()
}

pub fn find_many(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<PlayerRow>> {
    in_chunks(ids, |ids| players::table.filter(players::id.eq_any(ids)).select(PlayerRow::as_select()).load(conn))
}

/// The existing players with these folded handles.
pub fn find_refs(conn: &mut AnyConn, folded: &[String]) -> QueryResult<Vec<PlayerRef>> {
    in_chunks(folded, |folded| {
        players::table.filter(players::handle_folded.eq_any(folded)).select(PlayerRef::as_select()).load(conn)
    })
}

/// What the owners of players share, by folded handle.
pub fn sharing(conn: &mut AnyConn, folded: &[String]) -> QueryResult<HashMap<String, Sharing>> {
    let found = in_chunks(folded, |folded| {
        let rows = players::table.filter(players::handle_folded.eq_any(folded));
        rows.select((players::handle_folded, Sharing::as_select())).load(conn)
    })?;
    Ok(found.into_iter().collect())
}

pub fn find_refs_by_id(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<PlayerRef>> {
    in_chunks(ids, |ids| players::table.filter(players::id.eq_any(ids)).select(PlayerRef::as_select()).load(conn))
}

/// A player to insert.
#[derive(Debug, Clone)]
pub struct NewPlayer {
    pub handle: String,
    pub handle_folded: String,
    pub player_name: String,
    pub player_geid: Option<String>,
    pub guild_id: Option<i64>,
    pub created_at: i64,
    pub is_listed: bool,
}

/// Locks players until the end of the transaction (PostgreSQL; SQLite has one writer).
pub fn lock(tx: &mut Tx, ids: &[i64]) -> QueryResult<()> {
    if let AnyConn::Postgres(conn) = &mut **tx {
        players::table
            .filter(players::id.eq_any(ids))
            .order(players::id)
            .select(players::id)
            .for_no_key_update()
            .load::<i64>(conn)?;
    }
    Ok(())
}

/// Inserts the players that do not exist; returns the inserted ones.
pub fn insert_missing(tx: &mut Tx, new: &[NewPlayer]) -> QueryResult<Vec<PlayerRef>> {
    new_rows(new).on_conflict("players", &["handle_folded"], &[]).returning(PlayerRef::as_returning()).get_results(tx)
}

/// Inserts or updates players; returns all of them with their current values.
pub fn upsert(tx: &mut Tx, new: &[NewPlayer]) -> QueryResult<Vec<PlayerRef>> {
    let replaced = ["handle", "player_name", "player_geid", "guild_id", "is_listed"].map(|c| (c, Merge::Replace));
    let rows = new_rows(new).on_conflict("players", &["handle_folded"], &replaced);
    rows.returning(PlayerRef::as_returning()).get_results(tx)
}

fn new_rows(new: &[NewPlayer]) -> Bulk<impl QueryFragment<MultiBackend>> {
    bulk!(players, new, |n| {
        handle: n.handle.as_str(),
        handle_folded: n.handle_folded.as_str(),
        player_name: n.player_name.as_str(),
        player_geid: n.player_geid.as_deref(),
        guild_id: n.guild_id,
        created_at: n.created_at,
        is_listed: n.is_listed,
    })
}

/// Sets the entity id of a player; a newer one replaces an older one.
pub fn set_geid(tx: &mut Tx, player_id: i64, geid: &str) -> QueryResult<()> {
    diesel::update(players::table.find(player_id))
        .filter(players::player_geid.is_null().or(players::player_geid.ne(geid)))
        .set(players::player_geid.eq(geid))
        .execute(&mut **tx)?;
    Ok(())
}

/// Lists players; returns those that were not listed. Their figures appear on leaderboards from now on.
pub fn list(tx: &mut Tx, ids: &[i64]) -> QueryResult<Vec<i64>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let unlisted = players::table.filter(players::id.eq_any(ids)).filter(players::is_listed.eq(false));
    let listed: Vec<i64> =
        diesel::update(unlisted).set(players::is_listed.eq(true)).returning(players::id).get_results(&mut **tx)?;
    let is_hidden =
        diesel::dsl::sql::<Bool>("(SELECT players.is_hidden FROM players WHERE players.id = player_scores.player_id)");
    diesel::update(player_scores::table.filter(player_scores::player_id.eq_any(&listed)))
        .set(player_scores::is_hidden.eq(is_hidden))
        .execute(&mut **tx)?;
    Ok(listed)
}

/// Takes a player off the lists.
pub fn unlist(tx: &mut Tx, id: i64) -> QueryResult<()> {
    diesel::update(players::table.find(id)).set(players::is_listed.eq(false)).execute(&mut **tx)?;
    diesel::update(player_scores::table.find(id)).set(player_scores::is_hidden.eq(true)).execute(&mut **tx)?;
    Ok(())
}

/// Gives a player another handle.
pub fn rename(tx: &mut Tx, id: i64, handle: &str, folded: &str) -> QueryResult<()> {
    let names = (players::handle.eq(handle), players::handle_folded.eq(folded));
    diesel::update(players::table.find(id)).set(names).execute(&mut **tx)?;
    diesel::update(player_scores::table.find(id)).set(player_scores::handle_folded.eq(folded)).execute(&mut **tx)?;
    Ok(())
}

/// Records that a player had a handle before.
pub fn add_former_handle(tx: &mut Tx, id: i64, handle: &str, at: i64) -> QueryResult<()> {
    let folded = handle.to_ascii_lowercase();
    bulk!(former_handles, [(handle, folded.as_str())], |(handle, folded)| {
        handle_folded: folded,
        player_id: id,
        handle: handle,
        replaced_at: at,
    })
    .on_conflict("former_handles", &["handle_folded", "player_id"], &[])
    .execute(tx)?;
    Ok(())
}

pub fn remove_former_handle(tx: &mut Tx, id: i64, folded: &str) -> QueryResult<()> {
    diesel::delete(former_handles::table.find((folded, id))).execute(&mut **tx)?;
    Ok(())
}

/// The names that are not listed and of which the game's site was asked least recently, and not after `before`: `(player, handle)`.
pub fn unlisted(conn: &mut AnyConn, before: i64, limit: i64) -> QueryResult<Vec<(i64, String)>> {
    players::table
        .filter(diesel::dsl::sql::<Bool>("NOT players.is_listed"))
        .filter(players::site_asked_at.lt(before))
        .order((players::site_asked_at, players::id))
        .limit(limit)
        .select((players::id, players::handle))
        .load(conn)
}

/// Records that the game's site was asked about a name.
pub fn set_site_asked(tx: &mut Tx, player_id: i64, at: i64) -> QueryResult<()> {
    diesel::update(players::table.find(player_id)).set(players::site_asked_at.eq(at)).execute(&mut **tx)?;
    Ok(())
}

/// The number of listed players.
pub fn count(conn: &mut AnyConn) -> QueryResult<i64> {
    let all: i64 = players::table.count().get_result(conn)?;
    let unlisted = players::table.filter(diesel::dsl::sql::<Bool>("NOT players.is_listed"));
    Ok(all - unlisted.count().get_result::<i64>(conn)?)
}

/// Whether a user has claimed the player.
pub fn is_claimed(conn: &mut AnyConn, player_id: i64) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(users::table.filter(users::player_id.eq(player_id)))).get_result(conn)
}

/// Adds a view; returns the new count.
pub fn add_view(tx: &mut Tx, player_id: i64) -> QueryResult<i64> {
    diesel::update(players::table.find(player_id))
        .set(players::views.eq(players::views + 1))
        .returning(players::views)
        .get_result(&mut **tx)
}

/// `counters!(condition)`: `(player, mode, counters)` of the players that meet a condition.
macro_rules! counters {
    ($condition:expr) => {{
        use player_counters as c;
        c::table.filter($condition).select((
            c::player_id,
            c::game_mode,
            (
                c::player_kills,
                c::player_deaths,
                c::npc_kills,
                c::npc_deaths,
                c::vehicle_soft_death_caused,
                c::vehicle_soft_death_received,
                c::vehicle_destruction_caused,
                c::vehicle_destruction_received,
                c::vehicle_instant_destruction_caused,
                c::vehicle_instant_destruction_received,
            ),
        ))
    }};
}

/// The counters of a player.
pub fn counters(conn: &mut AnyConn, player_id: i64) -> QueryResult<CountersByMode> {
    // Unlike a list of one, an equal id is a statement that is prepared once.
    let rows = counters!(c::player_id.eq(player_id)).load(conn)?;
    Ok(counters_by_player(rows).remove(&player_id).unwrap_or_default())
}

/// The counters of several players, without players that have none.
pub fn list_counters(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<HashMap<i64, CountersByMode>> {
    Ok(counters_by_player(in_chunks(ids, |ids| counters!(c::player_id.eq_any(ids)).load(conn))?))
}

fn counters_by_player(rows: Vec<(i64, i16, Counters)>) -> HashMap<i64, CountersByMode> {
    let mut found: HashMap<i64, CountersByMode> = HashMap::with_capacity(rows.len());
    for (player_id, mode, counters) in rows {
        let by_mode = found.entry(player_id).or_default();
        match mode_from_code(mode) {
            Some(GameMode::Pu) => by_mode.pu = counters,
            Some(GameMode::Ac) => by_mode.ac = counters,
            // Events without a game mode change no counter.
            None => {}
        }
    }
    found
}

/// Daily scores from a day on: `(day, scores)`, oldest first.
pub fn days(conn: &mut AnyConn, player_id: i64, from_day: i32) -> QueryResult<Vec<(i32, Scores)>> {
    use player_days as d;
    let days = d::table.filter(d::player_id.eq(player_id)).filter(d::day.ge(from_day)).order(d::day);
    days.select((d::day, score_columns!(player_days))).load(conn)
}

/// Number of matches in Arena Commander that a player entered, plus sessions that entered the persistent universe. Both come from
/// the game mode in the log.
pub fn match_count(conn: &mut AnyConn, player_id: i64) -> QueryResult<i64> {
    // Codes of category and mode are those of `domain::events`.
    let sql = "SELECT (SELECT COUNT(*) FROM events WHERE category = 7 AND player_id = ? AND game_mode = 2 AND state = 0 AND sides & 4 <> 0) \
        + (SELECT COUNT(*) FROM play_sessions s WHERE s.player_id = ? AND s.kind = 1 AND EXISTS (SELECT 1 FROM events e \
        WHERE e.category = 7 AND e.player_id = s.player_id AND e.game_mode = 1 AND e.state = 0 AND e.sides & 4 <> 0 \
        AND e.event_time BETWEEN s.login_at AND s.last_seen_at))";
    NumberOf { sql, id: player_id }.get_result(conn)
}

/// Number of logins of the player.
pub fn session_count(conn: &mut AnyConn, player_id: i64) -> QueryResult<i64> {
    let of_player = play_sessions::table.filter(play_sessions::player_id.eq(player_id));
    of_player.filter(play_sessions::kind.eq(SessionKind::Play.code())).count().get_result(conn)
}

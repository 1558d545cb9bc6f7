//! Leaderboards: players by a score, over all time or since a time.

use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use super::conn::{AnyConn, MultiBackend};
use super::in_chunks;
use super::ingest::ScoreRow;
use super::schema::*;
use super::scores::{ColumnGroup, score_columns};
use crate::domain::scores::{Metric, Scores};

fn column(metric: Metric) -> SqlLiteral<BigInt> {
    sql(&format!("player_scores.{}", metric.as_str()))
}

// Written as text: with a bound value, SQLite could not use the partial index.
fn ranked(metric: Metric) -> SqlLiteral<Bool> {
    sql(&format!("(player_scores.{} > 0 AND NOT player_scores.is_hidden)", metric.as_str()))
}

/// The start of a page: the first row with this score, plus `skip` rows. Rows before it are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageStart {
    pub score: i64,
    pub skip: i64,
}

/// The ids of one page of visible players with a score above 0, best first (or last first), ties by handle.
pub fn page(conn: &mut AnyConn, metric: Metric, is_desc: bool, start: PageStart, limit: i64) -> QueryResult<Vec<i64>> {
    let query =
        player_scores::table.filter(ranked(metric)).select(player_scores::player_id).into_boxed::<MultiBackend>();
    let ordered = if is_desc {
        let begun = query.filter(column(metric).le(start.score));
        begun.order((column(metric).desc(), player_scores::handle_folded.asc()))
    } else {
        let begun = query.filter(column(metric).ge(start.score));
        begun.order((column(metric).asc(), player_scores::handle_folded.asc()))
    };
    ordered.limit(limit).offset(start.skip).load(conn)
}

/// The best visible players: id, score, folded handle.
pub fn top(conn: &mut AnyConn, metric: Metric, limit: i64) -> QueryResult<Vec<(i64, i64, String)>> {
    player_scores::table
        .filter(ranked(metric))
        .select((player_scores::player_id, column(metric), player_scores::handle_folded))
        .into_boxed::<MultiBackend>()
        .order((column(metric).desc(), player_scores::handle_folded.asc()))
        .limit(limit)
        .load(conn)
}

/// The handles of the best visible players.
pub fn top_handles(conn: &mut AnyConn, metric: Metric, limit: i64) -> QueryResult<Vec<String>> {
    player_scores::table
        .inner_join(players::table)
        .filter(ranked(metric))
        .select(players::handle)
        .into_boxed::<MultiBackend>()
        .order((column(metric).desc(), player_scores::handle_folded.asc()))
        .limit(limit)
        .load(conn)
}

pub fn score_of(conn: &mut AnyConn, player_id: i64) -> QueryResult<Option<ScoreRow>> {
    player_scores::table.find(player_id).select(ScoreRow::as_select()).first(conn).optional()
}

pub fn scores_of(conn: &mut AnyConn, player_ids: &[i64]) -> QueryResult<Vec<ScoreRow>> {
    in_chunks(player_ids, |ids| {
        player_scores::table.filter(player_scores::player_id.eq_any(ids)).select(ScoreRow::as_select()).load(conn)
    })
}

/// Visits the scores of all visible players in a range of ids.
pub fn for_each_visible(conn: &mut AnyConn, (first, last): (i64, i64), visit: impl FnMut(Scores)) -> QueryResult<()> {
    use player_scores as s;
    let rows = s::table
        .filter(s::player_id.between(first, last).and(s::is_hidden.eq(false)))
        .select(score_columns!(player_scores))
        .load_iter::<Scores, diesel::connection::DefaultLoadingMode>(conn)?;
    visit_all(rows, visit)
}

/// The highest id of a player with scores; 0 without any.
pub fn last_id(conn: &mut AnyConn) -> QueryResult<i64> {
    let last: Option<i64> = player_scores::table.select(diesel::dsl::max(player_scores::player_id)).first(conn)?;
    Ok(last.unwrap_or(0))
}

/// Scores of a player within a window.
#[derive(Debug, Clone, PartialEq, QueryableByName)]
pub struct WindowRow {
    #[diesel(sql_type = BigInt)]
    pub player_id: i64,
    #[diesel(sql_type = diesel::sql_types::Nullable<BigInt>)]
    pub guild_id: Option<i64>,
    #[diesel(sql_type = Bool)]
    pub is_hidden: bool,
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub handle_folded: String,
    #[diesel(embed)]
    pub scores: Scores,
}

/// The start of a query for [`WindowRow`]s: sums over the rows of `w`.
fn select_sums() -> String {
    let sums = Scores::columns().into_iter().map(|c| format!("CAST(SUM(w.{c}) AS BIGINT) AS {c}"));
    let sums = sums.collect::<Vec<_>>().join(", ");
    format!("SELECT w.player_id, p.guild_id, (p.is_hidden OR NOT p.is_listed) AS is_hidden, p.handle_folded, {sums}")
}

/// What an event adds for its killer, in the order of [`Scores::columns`]. Identifier and mode codes are those of `domain`; the rules repeat `domain::counters`.
const EVENT_SCORES: &str = "pvp, pve, vehicle, 0, 0, 0, 0, 0 FROM (SELECT killer_id, \
    CASE WHEN identifier BETWEEN 1 AND 4 AND victim_id IS NOT NULL THEN 1 ELSE 0 END AS pvp, \
    CASE WHEN identifier BETWEEN 1 AND 4 AND victim_npc IS NOT NULL THEN 1 ELSE 0 END AS pve, \
    CASE WHEN identifier IN (11, 12) THEN 1 ELSE 0 END AS vehicle \
    FROM events WHERE state = 0 AND sides & 1 <> 0 AND game_mode = 1 AND killer_id IS NOT NULL \
      AND identifier IN (1, 2, 3, 4, 11, 12) AND (victim_id IS NULL OR victim_id <> killer_id)";

/// Visits the totals of all players since `from` (epoch milliseconds), in any order.
///
/// Whole days come from the daily totals. The day of `from` is counted from its events and sessions, so that the totals are exact
/// to the millisecond; career, ships and universe time are sums of days, so that the whole day counts.
pub fn for_each_since(
    conn: &mut AnyConn,
    from: i64,
    from_day: i32,
    next_day_start: i64,
    visit: impl FnMut(WindowRow),
) -> QueryResult<()> {
    let (select, columns) = (select_sums(), Scores::columns().join(", "));
    let sql = format!(
        "{select} FROM ( \
           SELECT player_id, {columns} FROM player_days WHERE day > $1 \
           UNION ALL \
           SELECT player_id, 0, 0, 0, 0, 0, career, ships_flown, universe_time FROM player_days WHERE day = $1 \
           UNION ALL \
           SELECT killer_id, {EVENT_SCORES} AND event_time >= $2 AND event_time < $3) gained \
           UNION ALL \
           SELECT player_id, 0, 0, 0, 1, 0, 0, 0, 0 \
             FROM events WHERE event_time >= $2 AND event_time < $3 AND state = 0 AND sides & 4 <> 0 AND player_id IS NOT NULL AND identifier IN (32, 33) \
           UNION ALL \
           SELECT player_id, 0, 0, 0, 0, \
                  ((CASE WHEN COALESCE(logout_at, last_seen_at) > login_at + 86400000 THEN login_at + 86400000 \
                         ELSE COALESCE(logout_at, last_seen_at) END) - login_at) / 1000, 0, 0, 0 \
             FROM play_sessions WHERE kind = 1 AND last_seen_at >= $2 AND \
                  (CASE WHEN COALESCE(logout_at, last_seen_at) > login_at + 86400000 THEN login_at + 86400000 \
                        ELSE COALESCE(logout_at, last_seen_at) END) BETWEEN $2 AND $3 - 1 \
         ) w JOIN players p ON p.id = w.player_id GROUP BY w.player_id, p.guild_id, p.is_hidden, p.is_listed, p.handle_folded"
    );
    let query = diesel::sql_query(sql)
        .bind::<diesel::sql_types::Integer, _>(from_day)
        .bind::<BigInt, _>(from)
        .bind::<BigInt, _>(next_day_start);
    let rows = query.load_iter::<WindowRow, diesel::connection::DefaultLoadingMode>(conn)?;
    visit_all(rows, visit)
}

/// Visits the totals of all players since a UTC day, in any order.
pub fn for_each_since_day(conn: &mut AnyConn, from_day: i32, visit: impl FnMut(WindowRow)) -> QueryResult<()> {
    let select = select_sums();
    let sql = format!(
        "{select} FROM player_days w JOIN players p ON p.id = w.player_id \
         WHERE w.day >= $1 GROUP BY w.player_id, p.guild_id, p.is_hidden, p.is_listed, p.handle_folded"
    );
    let query = diesel::sql_query(sql).bind::<diesel::sql_types::Integer, _>(from_day);
    let rows = query.load_iter::<WindowRow, diesel::connection::DefaultLoadingMode>(conn)?;
    visit_all(rows, visit)
}

/// Visits the totals of all players over one patch, in any order.
pub fn for_each_in_patch(conn: &mut AnyConn, version: i64, visit: impl FnMut(WindowRow)) -> QueryResult<()> {
    let select = select_sums();
    let sql = format!(
        "{select} FROM player_patches w JOIN players p ON p.id = w.player_id \
         WHERE w.patch_version = $1 GROUP BY w.player_id, p.guild_id, p.is_hidden, p.is_listed, p.handle_folded"
    );
    let query = diesel::sql_query(sql).bind::<BigInt, _>(version);
    let rows = query.load_iter::<WindowRow, diesel::connection::DefaultLoadingMode>(conn)?;
    visit_all(rows, visit)
}

pub(super) fn visit_all<T>(rows: impl Iterator<Item = QueryResult<T>>, mut visit: impl FnMut(T)) -> QueryResult<()> {
    for row in rows {
        visit(row?);
    }
    Ok(())
}

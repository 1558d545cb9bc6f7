//! Guilds, their totals, and their members.

use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::conn::{AnyConn, Merge, MultiBackend, bulk};
use super::in_chunks;
use super::ingest::ScoreRow;
use super::leaderboard::{PageStart, visit_all};
use super::schema::*;
use super::scores::score_columns;
use super::writer::Tx;
use crate::domain::scores::{Metric, Scores};

/// A guild; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable)]
#[diesel(table_name = guilds)]
pub struct GuildRow {
    pub id: i64,
    pub tag: String,
    pub name: String,
    #[diesel(select_expression = score_columns!(guilds), select_expression_type = score_columns!(guilds))]
    pub scores: Scores,
    pub known_members: i64,
    pub site_member_count: Option<i64>,
    pub site_logo_url: Option<String>,
    pub site_read_at: Option<i64>,
    pub guild_image: Option<String>,
    pub banner_image: Option<String>,
    pub discord_link: Option<String>,
    pub views: i64,
    pub created_at: i64,
}

impl GuildRow {
    /// The number of members: the larger of what the game's site states and the members that are players here.
    pub fn member_count(&self) -> i64 {
        self.site_member_count.unwrap_or(0).max(self.known_members)
    }
}

pub fn find_by_tag(conn: &mut AnyConn, tag: &str) -> QueryResult<Option<GuildRow>> {
    guilds::table.filter(guilds::tag.eq(tag)).select(GuildRow::as_select()).first(conn).optional()
}

pub fn find_by_id(conn: &mut AnyConn, id: i64) -> QueryResult<Option<GuildRow>> {
    guilds::table.find(id).select(GuildRow::as_select()).first(conn).optional()
}

pub fn find_many(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<GuildRow>> {
    in_chunks(ids, |ids| guilds::table.filter(guilds::id.eq_any(ids)).select(GuildRow::as_select()).load(conn))
}

/// `(id, tag)` of the guilds with these ids.
pub fn tags(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<(i64, String)>> {
    in_chunks(ids, |ids| guilds::table.filter(guilds::id.eq_any(ids)).select((guilds::id, guilds::tag)).load(conn))
}

/// A guild to insert or rename.
#[derive(Debug, Clone)]
pub struct NewGuild {
    pub tag: String,
    pub name: String,
    pub created_at: i64,
}

/// Inserts or renames guilds; returns `(tag, id)` of all of them.
pub fn upsert(tx: &mut Tx, new: &[NewGuild]) -> QueryResult<Vec<(String, i64)>> {
    let rows = bulk!(guilds, new, |g| {
        tag: g.tag.as_str(),
        name: g.name.as_str(),
        name_folded: g.name.to_lowercase(),
        created_at: g.created_at,
    });
    rows.on_conflict("guilds", &["tag"], &[("name", Merge::Replace), ("name_folded", Merge::Replace)])
        .returning((guilds::tag, guilds::id))
        .get_results(tx)
}

/// Locks a guild until the end of the transaction (PostgreSQL; SQLite has one writer).
pub fn lock(tx: &mut Tx, id: i64) -> QueryResult<()> {
    if let AnyConn::Postgres(conn) = &mut **tx {
        guilds::table.find(id).select(guilds::id).for_no_key_update().first::<i64>(conn).optional()?;
    }
    Ok(())
}

pub fn count(conn: &mut AnyConn) -> QueryResult<i64> {
    guilds::table.count().get_result(conn)
}

fn column(metric: Metric) -> SqlLiteral<BigInt> {
    sql(&format!("guilds.{}", metric.as_str()))
}

/// A page of the guilds with a score above 0, ties by tag.
pub fn page(conn: &mut AnyConn, metric: Metric, is_desc: bool, start: PageStart, limit: i64) -> QueryResult<Vec<i64>> {
    let query = guilds::table.filter(column(metric).gt(0)).select(guilds::id).into_boxed::<MultiBackend>();
    let ordered = if is_desc {
        query.filter(column(metric).le(start.score)).order((column(metric).desc(), guilds::tag.asc()))
    } else {
        query.filter(column(metric).ge(start.score)).order((column(metric).asc(), guilds::tag.asc()))
    };
    ordered.limit(limit).offset(start.skip).load(conn)
}

/// The best guilds: id, score, tag.
pub fn top(conn: &mut AnyConn, metric: Metric, limit: i64) -> QueryResult<Vec<(i64, i64, String)>> {
    guilds::table
        .filter(column(metric).gt(0))
        .select((guilds::id, column(metric), guilds::tag))
        .into_boxed::<MultiBackend>()
        .order((column(metric).desc(), guilds::tag.asc()))
        .limit(limit)
        .load(conn)
}

/// The guilds after an id, by id.
pub fn after(conn: &mut AnyConn, id: i64, limit: i64) -> QueryResult<Vec<GuildRow>> {
    guilds::table.filter(guilds::id.gt(id)).order(guilds::id).limit(limit).select(GuildRow::as_select()).load(conn)
}

/// Visits the scores of all guilds.
pub fn for_each_score(conn: &mut AnyConn, visit: impl FnMut(Scores)) -> QueryResult<()> {
    let rows = guilds::table
        .select(score_columns!(guilds))
        .load_iter::<Scores, diesel::connection::DefaultLoadingMode>(conn)?;
    visit_all(rows, visit)
}

/// Number of members of these guilds that were active since `since`: `(guild, active)`.
pub fn active_members(conn: &mut AnyConn, guild_ids: &[i64], since: i64) -> QueryResult<Vec<(i64, i64)>> {
    let rows: Vec<(Option<i64>, i64)> = players::table
        .inner_join(player_scores::table.on(player_scores::player_id.eq(players::id)))
        .filter(players::guild_id.eq_any(guild_ids.iter().copied().map(Some)))
        .filter(player_scores::last_active_at.ge(since))
        .group_by(players::guild_id)
        .select((players::guild_id, diesel::dsl::count_star()))
        .load(conn)?;
    Ok(rows.into_iter().filter_map(|(guild, count)| guild.map(|g| (g, count))).collect())
}

/// Like [`active_members`] for all guilds with active members; takes a second at 2.7 million players.
pub fn all_active_members(conn: &mut AnyConn, since: i64) -> QueryResult<Vec<(i64, i64)>> {
    // The plus keeps SQLite from using the index on the guild: reading both tables in their own order is six times faster.
    let counts = format!(
        "SELECT +p.guild_id, COUNT(*) FROM players p JOIN player_scores s ON s.player_id = p.id \
         WHERE s.last_active_at >= {since} AND +p.guild_id IS NOT NULL GROUP BY +p.guild_id"
    );
    sql::<(BigInt, BigInt)>(&counts).load(conn)
}

/// A page of a guild's visible members, best first, ties by handle; players without scores count as 0.
pub fn members(
    conn: &mut AnyConn,
    guild_id: i64,
    metric: Metric,
    limit: i64,
    offset: i64,
) -> QueryResult<Vec<(super::players::PlayerRow, Option<ScoreRow>)>> {
    // Players without scores have no row in `player_scores`.
    let score = sql::<BigInt>(&format!("COALESCE(player_scores.{}, 0)", metric.as_str()));
    players::table
        .left_join(player_scores::table.on(player_scores::player_id.eq(players::id)))
        .filter(players::guild_id.eq(guild_id))
        .filter(players::is_hidden.eq(false))
        .select((super::players::PlayerRow::as_select(), Option::<ScoreRow>::as_select()))
        .order((score.desc(), players::handle_folded.asc()))
        .limit(limit)
        .offset(offset)
        .load(conn)
}

/// Contracts of one giver that members of a guild ended.
#[derive(Debug, Clone, QueryableByName)]
pub struct GiverRow {
    /// Empty if unknown.
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub giver: String,
    #[diesel(sql_type = BigInt)]
    pub completed: i64,
    #[diesel(sql_type = BigInt)]
    pub failed: i64,
    #[diesel(sql_type = BigInt)]
    pub abandoned: i64,
}

/// Contracts of a guild's visible members by giver, most completed first.
pub fn givers(conn: &mut AnyConn, guild_id: i64, limit: i64) -> QueryResult<Vec<GiverRow>> {
    let columns = ["completed", "failed", "abandoned"];
    let sums = columns.map(|c| format!("CAST(SUM(g.{c}) AS BIGINT) AS {c}")).join(", ");
    let sql = format!(
        "SELECT g.giver, {sums} FROM giver_use g JOIN players p ON p.id = g.player_id \
         WHERE p.guild_id = $1 AND NOT p.is_hidden GROUP BY g.giver \
         HAVING SUM(g.completed + g.failed + g.abandoned) > 0 ORDER BY 2 DESC, g.giver LIMIT $2"
    );
    diesel::sql_query(sql).bind::<BigInt, _>(guild_id).bind::<BigInt, _>(limit).load(conn)
}

/// Number of visible members of a guild.
pub fn count_members(conn: &mut AnyConn, guild_id: i64) -> QueryResult<i64> {
    players::table.filter(players::guild_id.eq(guild_id)).filter(players::is_hidden.eq(false)).count().get_result(conn)
}

/// Adds a view; returns the new count.
pub fn add_view(tx: &mut Tx, guild_id: i64) -> QueryResult<i64> {
    diesel::update(guilds::table.find(guild_id))
        .set(guilds::views.eq(guilds::views + 1))
        .returning(guilds::views)
        .get_result(&mut **tx)
}

/// Recomputes member counts and totals of all guilds from their players.
pub fn recount(tx: &mut Tx) -> QueryResult<()> {
    use diesel::connection::SimpleConnection;
    let scores = || ["overall"].into_iter().chain(Scores::NAMES);
    let zero = scores().map(|f| format!("{f} = 0")).collect::<Vec<_>>().join(", ");
    let take = scores().map(|f| format!("{f} = m.{f}")).collect::<Vec<_>>().join(", ");
    let sum =
        scores().map(|f| format!("COALESCE(CAST(SUM(s.{f}) AS BIGINT), 0) AS {f}")).collect::<Vec<_>>().join(", ");
    tx.batch_execute(&format!(
        "UPDATE guilds SET known_members = 0, {zero}; \
         UPDATE guilds SET known_members = m.members, {take} FROM (\
         SELECT p.guild_id AS guild_id, COUNT(*) AS members, {sum} FROM players p \
         LEFT JOIN player_scores s ON s.player_id = p.id WHERE p.guild_id IS NOT NULL GROUP BY p.guild_id) AS m \
         WHERE m.guild_id = guilds.id;"
    ))
}

/// Whether a user has claimed the guild.
pub fn is_claimed(conn: &mut AnyConn, guild_id: i64) -> QueryResult<bool> {
    diesel::select(diesel::dsl::exists(users::table.filter(users::guild_id.eq(guild_id)))).get_result(conn)
}

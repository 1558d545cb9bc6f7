//! The events and sessions behind a score of a player.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, SmallInt};

use super::activity::FeedCursor;
use super::conn::{AnyConn, MultiBackend};
use super::ingest::PlaySessionRow;
use super::schema::*;
use crate::domain::scores::Metric;

/// The events that a receipt is about.
#[derive(Debug, Clone, Copy)]
pub struct ReceiptScope {
    pub player_id: i64,
    pub metric: Metric,
    /// Epoch milliseconds.
    pub from: i64,
    /// Only events of this patch.
    pub patch_version: Option<i64>,
}

/// How many events have a grade and reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, QueryableByName)]
pub struct GradeCount {
    #[diesel(sql_type = SmallInt)]
    pub grade: i16,
    #[diesel(sql_type = Integer)]
    pub reasons: i32,
    #[diesel(sql_type = BigInt)]
    pub events: i64,
}

/// Which events a metric counts for their actor. The codes and rules are those of `domain::counters`; playtime counts sessions.
fn condition(metric: Metric) -> String {
    const FIGHT: &str = "e.killer_id = $1 AND e.game_mode = 1 AND (e.victim_id IS NULL OR e.victim_id <> $1)";
    const VEHICLE: &str = "e.identifier IN (11, 12)";
    match metric {
        Metric::Overall => format!(
            "{FIGHT} AND ({VEHICLE} OR e.identifier BETWEEN 1 AND 4 AND (e.victim_id IS NOT NULL OR e.victim_npc IS NOT NULL))"
        ),
        Metric::PuPlayerKills => format!("{FIGHT} AND e.identifier BETWEEN 1 AND 4 AND e.victim_id IS NOT NULL"),
        Metric::PveKills => format!("{FIGHT} AND e.identifier BETWEEN 1 AND 4 AND e.victim_npc IS NOT NULL"),
        Metric::VehicleDestructions => format!("{FIGHT} AND {VEHICLE}"),
        Metric::MissionsCompleted => "e.player_id = $1 AND e.identifier IN (32, 33)".to_owned(),
        Metric::Playtime => "1 = 0".to_owned(),
    }
}

/// The condition of a scope; `$1` is the player, `$2` the first time, `$3` the patch or -1.
fn scoped(metric: Metric) -> String {
    format!("{} AND e.event_time >= $2 AND ($3 = -1 OR e.patch_version = $3)", condition(metric))
}

/// The column of the player whose score the metric is.
fn actor(metric: Metric) -> &'static str {
    if metric == Metric::MissionsCompleted { "player_id" } else { "killer_id" }
}

/// Counts the events that stand, by grade and reasons.
pub fn count_standing(conn: &mut AnyConn, scope: ReceiptScope) -> QueryResult<Vec<GradeCount>> {
    let sql = format!(
        "SELECT e.grade, e.reasons, COUNT(*) AS events FROM event_players ep JOIN events e ON e.id = ep.event_id \
         WHERE ep.player_id = $1 AND {} GROUP BY e.grade, e.reasons ORDER BY e.grade, e.reasons",
        scoped(scope.metric)
    );
    load_counts(conn, sql, scope)
}

/// Counts the events that do not stand, by grade and reasons. Feeds do not contain them.
pub fn count_withheld(conn: &mut AnyConn, scope: ReceiptScope) -> QueryResult<Vec<GradeCount>> {
    // The condition on the reasons is that of the partial indexes; the number has all bits except that of repeated kills.
    let sql = format!(
        "SELECT e.grade, e.reasons, COUNT(*) AS events FROM events e \
         WHERE e.{} = $1 AND e.reasons <> 0 AND e.reasons & 2147482623 <> 0 AND {} \
         GROUP BY e.grade, e.reasons ORDER BY e.grade, e.reasons",
        actor(scope.metric),
        scoped(scope.metric)
    );
    load_counts(conn, sql, scope)
}

fn load_counts(conn: &mut AnyConn, sql: String, scope: ReceiptScope) -> QueryResult<Vec<GradeCount>> {
    diesel::sql_query(sql)
        .bind::<BigInt, _>(scope.player_id)
        .bind::<BigInt, _>(scope.from)
        .bind::<BigInt, _>(scope.patch_version.unwrap_or(-1))
        .load(conn)
}

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// The ids of the events that stand, newest first.
pub fn list_standing(
    conn: &mut AnyConn,
    scope: ReceiptScope,
    before: Option<FeedCursor>,
    limit: i64,
) -> QueryResult<Vec<i64>> {
    let sql = format!(
        "SELECT e.id FROM event_players ep JOIN events e ON e.id = ep.event_id \
         WHERE ep.player_id = $1 AND {} AND (ep.event_time, ep.event_id) < ($4, $5) \
         ORDER BY ep.event_time DESC, ep.event_id DESC LIMIT $6",
        scoped(scope.metric)
    );
    let before = before.unwrap_or(FeedCursor { event_time: i64::MAX, event_id: i64::MAX });
    let ids: Vec<Id> = diesel::sql_query(sql)
        .bind::<BigInt, _>(scope.player_id)
        .bind::<BigInt, _>(scope.from)
        .bind::<BigInt, _>(scope.patch_version.unwrap_or(-1))
        .bind::<BigInt, _>(before.event_time)
        .bind::<BigInt, _>(before.event_id)
        .bind::<BigInt, _>(limit)
        .load(conn)?;
    Ok(ids.into_iter().map(|row| row.id).collect())
}

/// The sessions of a player that may end after `from`, newest first. The time of a session counts at its end.
pub fn list_sessions(conn: &mut AnyConn, scope: ReceiptScope) -> QueryResult<Vec<PlaySessionRow>> {
    let mut query = play_sessions::table
        .filter(play_sessions::player_id.eq(scope.player_id))
        .filter(play_sessions::last_seen_at.ge(scope.from))
        .select(PlaySessionRow::as_select())
        .into_boxed::<MultiBackend>();
    if let Some(version) = scope.patch_version {
        query = query.filter(play_sessions::patch_version.eq(version));
    }
    query.order(play_sessions::login_at.desc()).load(conn)
}

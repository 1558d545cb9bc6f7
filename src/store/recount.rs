//! Clears derived tables, and stores figures that no event backs.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;

/// Clears every derived table; patches keep their names. A job marks the events of hidden players again.
pub fn clear_derived(tx: &mut Tx) -> QueryResult<()> {
    tx.batch_execute(
        "DELETE FROM player_scores; DELETE FROM player_counters; DELETE FROM player_days; DELETE FROM player_patches; \
         DELETE FROM weapon_use; DELETE FROM vehicle_use; DELETE FROM mission_use; DELETE FROM giver_use; DELETE FROM play_sessions; \
         DELETE FROM ships_flown; DELETE FROM patch_use; UPDATE patches SET npc_kills = 0, player_kills = 0, vehicle_destructions = 0; \
         UPDATE guilds SET overall = 0, pu_player_kills = 0, pve_kills = 0, vehicle_destructions = 0, \
         missions_completed = 0, playtime = 0, career = 0, ships_flown = 0, universe_time = 0; \
         UPDATE players SET feed_changes = feed_changes + 1 WHERE is_hidden;",
    )
}

/// Drops the indexes of `player_scores` while its rows are rewritten; [`create_indexes`] sorts each of them once, which is many
/// times faster than updating them row by row. Does nothing on PostgreSQL, where it would block readers.
pub fn drop_indexes(tx: &mut Tx) -> QueryResult<Vec<String>> {
    if tx.is_postgres() {
        return Ok(Vec::new());
    }
    let indexes =
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'player_scores' AND sql IS NOT NULL";
    let found: Vec<(String, String)> = diesel::dsl::sql::<(Text, Text)>(indexes).load(&mut **tx)?;
    for (name, _) in &found {
        tx.batch_execute(&format!("DROP INDEX {name}"))?;
    }
    Ok(found.into_iter().map(|(_, sql)| sql).collect())
}

/// Creates the indexes that [`drop_indexes`] returned.
pub fn create_indexes(tx: &mut Tx, dropped: &[String]) -> QueryResult<()> {
    dropped.iter().try_for_each(|sql| tx.batch_execute(sql))
}

/// Figures without events of players with ids above `player_id`: `(player, JSON)`.
pub fn list_baselines(conn: &mut AnyConn, player_id: i64, limit: i64) -> QueryResult<Vec<(i64, String)>> {
    use player_baselines as b;
    b::table
        .filter(b::player_id.gt(player_id))
        .order(b::player_id)
        .limit(limit)
        .select((b::player_id, b::figures))
        .load(conn)
}

/// Figures without events of a player, as JSON.
pub fn baseline(conn: &mut AnyConn, player_id: i64) -> QueryResult<Option<String>> {
    player_baselines::table.find(player_id).select(player_baselines::figures).first(conn).optional()
}

/// Number of players with figures without events.
pub fn count_baselines(conn: &mut AnyConn) -> QueryResult<i64> {
    player_baselines::table.count().get_result(conn)
}

/// Stores figures without events.
pub fn upsert_baselines(tx: &mut Tx, rows: &[(i64, String)]) -> QueryResult<()> {
    bulk!(player_baselines, rows, |(player, figures)| { player_id: *player, figures: figures.as_str() })
        .on_conflict("player_baselines", &["player_id"], &[("figures", Merge::Replace)])
        .execute(tx)?;
    Ok(())
}

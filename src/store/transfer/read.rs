//! Reads tables as JSON lines, all as of one moment.
//! Called by exports and backups.
//! Never here: the meaning of columns, which is in `tables`.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use diesel::connection::DefaultLoadingMode;
use diesel::pg::PgRowByRowLoadingMode;
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::{ColumnType, Table};
use crate::store::conn::AnyConn;
use crate::store::schema::*;

#[derive(QueryableByName)]
pub(super) struct Line {
    #[diesel(sql_type = Text)]
    pub line: String,
}

/// Passes the rows of a table to `consume` as JSON objects, one at a time.
pub fn for_each_row<E: From<diesel::result::Error>>(
    conn: &mut AnyConn,
    table: &Table,
    mut consume: impl FnMut(String) -> Result<(), E>,
) -> Result<(), E> {
    let is_postgres = conn.is_postgres();
    let (object, as_text) = if is_postgres { ("json_build_object", "::text") } else { ("json_object", "") };
    let mut sql = format!("SELECT {object}(");
    let exported = table.columns.iter().filter(|c| c.column_type != ColumnType::Folded);
    for (i, column) in exported.enumerate() {
        let c = column.column;
        let value = match (column.column_type, column.column_type.reference()) {
            (_, Some((table, name))) => format!("(SELECT r.{name} FROM {table} r WHERE r.id = t.{c})"),
            (ColumnType::Bool, _) if !is_postgres => format!("json(CASE WHEN t.{c} THEN 'true' ELSE 'false' END)"),
            (ColumnType::GuildName, _) => format!("(SELECT r.name FROM guilds r WHERE r.id = t.{c})"),
            (ColumnType::Ordinal, _) => {
                let others = table.columns.iter().filter(|other| other.column_type != ColumnType::Ordinal);
                let all: Vec<String> = others.map(|other| format!("t.{}", other.column)).collect();
                format!("ROW_NUMBER() OVER (PARTITION BY {} ORDER BY t.{c})", all.join(", "))
            }
            _ => format!("t.{c}"),
        };
        // Writing to a String cannot fail.
        let _ = write!(sql, "{}'{}', {value}", if i > 0 { ", " } else { "" }, column.name);
    }
    let filter = if table.filter.is_empty() { "" } else { " WHERE " };
    // SQLite orders text by bytes already.
    let order = if is_postgres { table.order.to_owned() } else { table.order.replace(" COLLATE \"C\"", "") };
    let _ = write!(sql, "){as_text} AS line FROM {} t{filter}{} ORDER BY {order}", table.table, table.filter);
    let query = diesel::sql_query(sql);
    match conn {
        AnyConn::Sqlite(conn) => {
            query.load_iter::<Line, DefaultLoadingMode>(conn)?.try_for_each(|row| consume(row?.line))
        }
        AnyConn::Postgres(conn) => {
            query.load_iter::<Line, PgRowByRowLoadingMode>(conn)?.try_for_each(|row| consume(row?.line))
        }
    }
}

/// The hashes of ingest keys, by id.
pub fn key_hashes(conn: &mut AnyConn, ids: &BTreeSet<i64>) -> QueryResult<HashMap<i64, String>> {
    let keys = ingest_keys::table.filter(ingest_keys::id.eq_any(ids));
    Ok(keys.select((ingest_keys::id, ingest_keys::key_hash)).load(conn)?.into_iter().collect())
}

/// The readers' ids of logs, by id.
pub fn log_names(conn: &mut AnyConn, ids: &BTreeSet<i64>) -> QueryResult<HashMap<i64, String>> {
    let named = logs::table.filter(logs::id.eq_any(ids));
    Ok(named.select((logs::id, logs::log)).load(conn)?.into_iter().collect())
}

/// Number of players, guilds, events and users, by which a backup is verified.
pub fn counts(conn: &mut AnyConn) -> QueryResult<[i64; 4]> {
    Ok([
        players::table.count().get_result(conn)?,
        guilds::table.count().get_result(conn)?,
        events::table.count().get_result(conn)?,
        users::table.count().get_result(conn)?,
    ])
}

#[cfg(test)]
mod tests {
    use super::super::{AFTER_EVENTS, BEFORE_EVENTS};
    use super::*;
    use crate::domain::scores::Scores;

    /// Tables without exported data: recomputed, filled from events, read again from the game's site, or valid for a running
    /// server only.
    const DERIVED: &[&str] = &[
        "player_scores",
        "player_counters",
        "player_days",
        "player_patches",
        "weapon_use",
        "vehicle_use",
        "mission_use",
        "giver_use",
        "ships_flown",
        "play_sessions",
        "patch_use",
        "event_players",
        "key_days",
        "merged_reports",
        "event_clock",
        "leases",
        "demo_universe",
        "reader_logins",
        "unknown_lines",
        "guild_rosters",
        "roster_members",
        "search_changes",
        "changes",
        "statsfeed_outbox",
        "github_deliveries",
        "webhook_positions",
        "webhook_deliveries",
        "view_salts",
        "profile_viewers",
    ];

    /// The delivery state of a feed.
    const DELIVERY: [&str; 7] =
        ["next_at", "failures", "last_error", "posted_at", "board_due_at", "board_count", "board_digest"];

    #[test]
    fn every_table_and_column_is_exported_or_known_to_be_derived() {
        let url = format!("sqlite:{}", tempfile::tempdir().unwrap().keep().join("t.db").display());
        let store = crate::store::Store::open(&url).unwrap();
        let sql = "SELECT m.name || '.' || c.name AS line FROM sqlite_master m, pragma_table_info(m.name) c \
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE '\\_\\_%' ESCAPE '\\'";
        let there: BTreeSet<String> = store
            .read_blocking(|conn| diesel::sql_query(sql).load::<Line>(conn))
            .unwrap()
            .into_iter()
            .map(|row| row.line)
            .collect();
        let mut exported: BTreeSet<String> = BTreeSet::new();
        for table in BEFORE_EVENTS.iter().chain(AFTER_EVENTS) {
            exported.extend(table.columns.iter().map(|c| format!("{}.{}", table.table, c.column)));
        }
        let is_derived = |name: &str| {
            let (table, column) = name.split_once('.').unwrap();
            DERIVED.contains(&table)
                || column == "id"
                || ["players.feed_changes", "players.site_asked_at"].contains(&name)
                || (table == "guilds"
                    && (Scores::NAMES.contains(&column) || ["overall", "known_members"].contains(&column)))
                || (table == "patches" && ["npc_kills", "player_kills", "vehicle_destructions"].contains(&column))
                || (table == "statsfeed_channels" && DELIVERY.contains(&column))
                || table == "events"
        };
        let lost: Vec<&String> = there.iter().filter(|name| !exported.contains(*name) && !is_derived(name)).collect();
        assert!(lost.is_empty(), "an export would lose {lost:?}");
    }
}

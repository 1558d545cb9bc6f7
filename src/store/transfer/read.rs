//! Reads tables as JSON lines, all as of one moment.
//! Called by exports and backups.
//! Never here: the meaning of columns, which is in `tables`.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use diesel::connection::{DefaultLoadingMode, SimpleConnection};
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::{ColumnType, Table};
use crate::store::conn::AnyConn;
use crate::store::schema::*;

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// Reads many tables in one snapshot, without blocking writers.
pub fn snapshot<T, E: From<diesel::result::Error>>(
    conn: &mut AnyConn,
    act: impl FnOnce(&mut AnyConn) -> Result<T, E>,
) -> Result<T, E> {
    let (begin, end) = match conn {
        AnyConn::Sqlite(_) => ("BEGIN", "COMMIT"),
        AnyConn::Postgres(_) => {
            ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0", "COMMIT")
        }
    };
    conn.batch_execute(begin)?;
    let outcome = act(conn);
    conn.batch_execute(if outcome.is_ok() { end } else { "ROLLBACK" })?;
    outcome
}

/// Passes the rows of a table to `consume` as JSON objects, holding a few thousand at most; called inside [`snapshot`].
pub fn for_each_row<E: From<diesel::result::Error>>(
    conn: &mut AnyConn,
    table: &Table,
    consume: impl FnMut(String) -> Result<(), E>,
) -> Result<(), E> {
    let mut sql = String::from("SELECT json_build_object(");
    let is_postgres = conn.is_postgres();
    let exported = table.columns.iter().filter(|c| c.column_type != ColumnType::Folded);
    for (i, column) in exported.enumerate() {
        let c = column.column;
        let value = match column.column_type {
            ColumnType::Bool if !is_postgres => format!("json(CASE WHEN t.{c} THEN 'true' ELSE 'false' END)"),
            ColumnType::Player => format!("(SELECT r.handle FROM players r WHERE r.id = t.{c})"),
            ColumnType::Guild => format!("(SELECT r.tag FROM guilds r WHERE r.id = t.{c})"),
            ColumnType::GuildName => format!("(SELECT r.name FROM guilds r WHERE r.id = t.{c})"),
            ColumnType::User => format!("(SELECT r.discord_id FROM users r WHERE r.id = t.{c})"),
            ColumnType::Key => format!("(SELECT r.key_hash FROM ingest_keys r WHERE r.id = t.{c})"),
            ColumnType::Ordinal => {
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
    let _ = write!(sql, ")::text AS line FROM {} t{filter}{} ORDER BY {}", table.table, table.filter, table.order);
    stream(conn, &sql, consume)
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

fn stream<E: From<diesel::result::Error>>(
    conn: &mut AnyConn,
    sql: &str,
    mut consume: impl FnMut(String) -> Result<(), E>,
) -> Result<(), E> {
    match conn {
        AnyConn::Sqlite(c) => {
            // SQLite orders text by bytes already.
            let sql = sql.replace(" COLLATE \"C\"", "");
            let sql = sql.replace("json_build_object(", "json_object(").replace("::text AS line", " AS line");
            for row in diesel::sql_query(sql).load_iter::<Line, DefaultLoadingMode>(c)? {
                consume(row?.line)?;
            }
        }
        AnyConn::Postgres(c) => {
            c.batch_execute(&format!("DECLARE lines NO SCROLL CURSOR FOR {sql}"))?;
            loop {
                let rows: Vec<Line> = diesel::sql_query("FETCH 2000 FROM lines").load(c)?;
                if rows.is_empty() {
                    break;
                }
                rows.into_iter().try_for_each(|row| consume(row.line))?;
            }
            c.batch_execute("CLOSE lines")?;
        }
    }
    Ok(())
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
    use super::super::{AFTER_EVENTS, BEFORE_EVENTS, DERIVED};
    use super::*;
    use crate::domain::scores::Scores;

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
                || table == "events"
        };
        let lost: Vec<&String> = there.iter().filter(|name| !exported.contains(*name) && !is_derived(name)).collect();
        assert!(lost.is_empty(), "an export would lose {lost:?}");
        let wrong: Vec<&String> = exported.iter().filter(|name| !there.contains(*name)).collect();
        assert!(wrong.is_empty(), "an export asks for {wrong:?}");
    }
}

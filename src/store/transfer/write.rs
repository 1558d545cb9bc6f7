//! Writes rows from JSON lines, and refreshes copies of their columns.
//! Called by imports and restores.
//! Never here: the meaning of columns, which is in `tables`.

use std::collections::HashSet;
use std::fmt::Write;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::read::Line;
use super::{Column, ColumnType, Table};
use crate::store::conn::{AnyConn, bulk};
use crate::store::schema::*;
use crate::store::writer::Tx;

/// Ends of keys and sessions; a line without one does not clear it.
const PERMANENT_ENDS: [&str; 2] = ["revoked_at", "ended_at"];

/// Writes rows, given as a JSON array of objects with external names. `given` columns replace stored values, `filled` columns are
/// written to new rows only.
pub fn import_rows(tx: &mut Tx, table: &Table, given: &[usize], filled: &[usize], rows: &str) -> QueryResult<usize> {
    let is_postgres = tx.is_postgres();
    let stored =
        |place: &&usize| !matches!(table.columns[**place].column_type, ColumnType::GuildName | ColumnType::Ordinal);
    let places: Vec<usize> = given.iter().chain(filled).filter(stored).copied().collect();
    let names: Vec<&str> = places.iter().map(|place| table.columns[*place].column).collect();
    let values: Vec<String> = places.iter().map(|place| value(&table.columns[*place], is_postgres)).collect();
    let from = if is_postgres { "json_array_elements($1::json) AS j(value)" } else { "json_each($1) AS j" };
    let mut sql =
        format!("INSERT INTO {} ({}) SELECT {} FROM {from} WHERE ", table.table, names.join(", "), values.join(", "));
    if table.keys.is_empty() {
        let same: Vec<String> = names.iter().zip(&values).map(|(n, v)| format!("t.{n} = {v}")).collect();
        // Equal rows are distinguished by their number: the third of three is inserted if fewer than three are stored.
        let nth = if is_postgres { "(j.value ->> 'nth')::bigint" } else { "CAST(j.value ->> 'nth' AS INTEGER)" };
        let stored_rows = format!("SELECT COUNT(*) FROM {} t WHERE {}", table.table, same.join(" AND "));
        let _ = write!(sql, "({stored_rows}) < COALESCE({nth}, 1)");
    } else {
        let replaced: Vec<String> = given
            .iter()
            .filter(stored)
            .map(|place| table.columns[*place].column)
            .filter(|column| !table.keys.contains(column))
            .map(|column| {
                if PERMANENT_ENDS.contains(&column) {
                    format!("{column} = COALESCE({}.{column}, excluded.{column})", table.table)
                } else {
                    format!("{column} = excluded.{column}")
                }
            })
            .collect();
        let act = if replaced.is_empty() { "NOTHING".into() } else { format!("UPDATE SET {}", replaced.join(", ")) };
        let _ = write!(sql, "true ON CONFLICT ({}) DO {act}", table.keys.join(", "));
    }
    diesel::sql_query(sql).bind::<Text, _>(rows).execute(&mut **tx)
}

fn value(column: &Column, is_postgres: bool) -> String {
    let text = format!("(j.value ->> '{}')", column.name);
    match (column.column_type, column.column_type.reference()) {
        (holds, Some((table, name))) => format!("(SELECT r.id FROM {table} r WHERE {})", is_named(holds, name, &text)),
        (ColumnType::Int, _) if is_postgres => format!("{text}::bigint"),
        (ColumnType::Bool, _) if is_postgres => format!("{text}::boolean"),
        _ => text,
    }
}

/// The condition under which a row `r` of a referenced table has this external name.
fn is_named(holds: ColumnType, column: &str, text: &str) -> String {
    match holds {
        ColumnType::Player => format!("r.handle_folded = lower({text})"),
        _ => format!("r.{column} = {text}"),
    }
}

/// Those of the external names that a column of this type cannot refer to.
pub fn unknown_names(conn: &mut AnyConn, holds: ColumnType, names: &[String]) -> QueryResult<HashSet<String>> {
    let Some((table, column)) = holds.reference() else { return Ok(HashSet::new()) };
    let from = if conn.is_postgres() { "json_array_elements_text($1::json) AS j(value)" } else { "json_each($1) AS j" };
    let known = format!("SELECT 1 FROM {table} r WHERE {}", is_named(holds, column, "j.value"));
    let rows = diesel::sql_query(format!("SELECT j.value AS line FROM {from} WHERE NOT EXISTS ({known})"))
        .bind::<Text, _>(serde_json::Value::from(names).to_string())
        .load::<Line>(conn)?;
    Ok(rows.into_iter().map(|row| row.line).collect())
}

/// The hash of the key of imported events. No key has this hash, so nobody can upload with it.
pub const IMPORT_KEY_HASH: &str = "import";

/// `(hash, id)` of these keys; an unknown hash becomes a key that is revoked from the start.
pub fn keys_by_hash(tx: &mut Tx, hashes: &[String], now: i64) -> QueryResult<Vec<(String, i64)>> {
    bulk!(ingest_keys, hashes, |hash| {
        name: "imported",
        key_hash: hash.as_str(),
        created_at: now,
        revoked_at: Some(now),
        is_operator: hash == IMPORT_KEY_HASH,
    })
    .on_conflict("ingest_keys", &["key_hash"], &[])
    .execute(tx)?;
    ingest_keys::table
        .filter(ingest_keys::key_hash.eq_any(hashes))
        .select((ingest_keys::key_hash, ingest_keys::id))
        .load(&mut **tx)
}

/// Updates copies of player columns in other tables: guilds in feeds, hidden profiles in leaderboards.
pub fn refresh_copies(tx: &mut Tx) -> QueryResult<()> {
    disable_statement_timeout(tx)?;
    tx.batch_execute(
        "UPDATE event_players SET guild_id = (SELECT CASE WHEN p.is_hidden THEN NULL ELSE p.guild_id END \
         FROM players p WHERE p.id = event_players.player_id) \
         WHERE guild_id IS DISTINCT FROM (SELECT CASE WHEN p.is_hidden THEN NULL ELSE p.guild_id END \
         FROM players p WHERE p.id = event_players.player_id); \
         UPDATE players SET feed_changes = feed_changes + 1 WHERE is_hidden OR EXISTS \
         (SELECT 1 FROM player_scores s WHERE s.player_id = players.id AND s.is_hidden); \
         UPDATE player_scores SET is_hidden = (SELECT p.is_hidden FROM players p WHERE p.id = player_scores.player_id) \
         WHERE is_hidden <> (SELECT p.is_hidden FROM players p WHERE p.id = player_scores.player_id);",
    )
}

/// Disables the timeout of single statements in a long transaction (PostgreSQL).
pub fn disable_statement_timeout(conn: &mut AnyConn) -> QueryResult<()> {
    if conn.is_postgres() {
        conn.batch_execute("SET LOCAL statement_timeout = 0")?;
    }
    Ok(())
}

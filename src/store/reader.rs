//! Logins of log readers, and log lines that readers could not parse.

use diesel::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;
use crate::domain::device_login::LoginState;
use crate::domain::json::as_secs;

/// A login that waits for a decision or was decided recently; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Insertable)]
#[diesel(table_name = reader_logins)]
pub struct LoginRow {
    pub key_hash: String,
    pub code: String,
    pub name: String,
    pub network: String,
    pub state: i16,
    pub created_at: i64,
}

/// An unknown line that readers reported.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Serialize, ToSchema)]
#[diesel(table_name = unknown_lines)]
#[schema(as = SampleView)]
pub struct UnknownLineRow {
    pub line: String,
    pub patch: String,
    #[serde(rename = "told")]
    pub report_count: i64,
    /// Epoch seconds.
    #[serde(rename = "first_at", serialize_with = "as_secs")]
    pub first_reported_at: i64,
    #[serde(rename = "last_at", serialize_with = "as_secs")]
    pub last_reported_at: i64,
}

/// Inserts a login; false if its code is in use.
pub fn insert(tx: &mut Tx, login: &LoginRow) -> QueryResult<bool> {
    let is_taken =
        reader_logins::table.filter(reader_logins::code.eq(&login.code)).count().get_result::<i64>(&mut **tx)?;
    if is_taken > 0 {
        return Ok(false);
    }
    diesel::insert_into(reader_logins::table).values(login).execute(&mut **tx)?;
    Ok(true)
}

/// Deletes logins that were created before `before`.
pub fn delete_before(tx: &mut Tx, before: i64) -> QueryResult<()> {
    diesel::delete(reader_logins::table.filter(reader_logins::created_at.lt(before))).execute(&mut **tx)?;
    Ok(())
}

pub fn find_by_key(conn: &mut AnyConn, key_hash: &str) -> QueryResult<Option<LoginRow>> {
    reader_logins::table.find(key_hash).select(LoginRow::as_select()).first(conn).optional()
}

pub fn find_by_code(conn: &mut AnyConn, code: &str) -> QueryResult<Option<LoginRow>> {
    reader_logins::table.filter(reader_logins::code.eq(code)).select(LoginRow::as_select()).first(conn).optional()
}

/// Confirms or denies a waiting login that was created after `after`; false if there is none.
pub fn set_state(tx: &mut Tx, code: &str, state: LoginState, after: i64) -> QueryResult<bool> {
    let waiting = reader_logins::table
        .filter(reader_logins::code.eq(code))
        .filter(reader_logins::state.eq(LoginState::Waiting.code()))
        .filter(reader_logins::created_at.gt(after));
    let changed = diesel::update(waiting).set(reader_logins::state.eq(state.code())).execute(&mut **tx)?;
    Ok(changed > 0)
}

/// Adds reports of unknown lines. New lines are dropped once the table holds `max` lines.
pub fn add_unknown_lines(tx: &mut Tx, rows: &[UnknownLineRow], max: i64) -> QueryResult<()> {
    let stored: i64 = unknown_lines::table.count().get_result(&mut **tx)?;
    let lines: Vec<&str> = rows.iter().map(|row| row.line.as_str()).collect();
    let known: Vec<String> =
        unknown_lines::table.filter(unknown_lines::line.eq_any(&lines)).select(unknown_lines::line).load(&mut **tx)?;
    let mut capacity = max - stored;
    let accepted: Vec<&UnknownLineRow> = rows
        .iter()
        .filter(|row| {
            let is_known = known.contains(&row.line);
            capacity -= i64::from(!is_known);
            is_known || capacity >= 0
        })
        .collect();
    bulk!(unknown_lines, accepted, |row| {
        line: &row.line,
        patch: &row.patch,
        report_count: row.report_count,
        first_reported_at: row.first_reported_at,
        last_reported_at: row.last_reported_at,
    })
    .on_conflict(
        "unknown_lines",
        &["line"],
        &[("report_count", Merge::Add), ("patch", Merge::Replace), ("last_reported_at", Merge::Replace)],
    )
    .execute(tx)?;
    Ok(())
}

/// The most reported lines, at most `limit`.
pub fn unknown_lines(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<UnknownLineRow>> {
    unknown_lines::table
        .order((unknown_lines::report_count.desc(), unknown_lines::line))
        .limit(limit)
        .select(UnknownLineRow::as_select())
        .load(conn)
}

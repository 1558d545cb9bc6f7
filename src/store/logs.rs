//! The logs of the game that events come from, as readers name them.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use serde::Serialize;
use utoipa::ToSchema;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;
use crate::domain::json::as_secs;
use crate::domain::log_header::{LIVE_CHANNELS, LogHeader, LogText};
use crate::domain::names::Handle;

// A log; times in epoch milliseconds, which its JSON has in seconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Serialize, ToSchema)]
#[diesel(table_name = logs)]
#[schema(as = LogExport)]
pub struct LogRow {
    /// The id that the log reader gave the log.
    pub log: String,
    /// The handle that the log names as the local player's.
    pub handle: Option<String>,
    /// The changelist number of the game's build.
    pub build: Option<String>,
    pub branch: Option<String>,
    pub channel: Option<String>,
    /// Name and version of the log reader.
    pub reader: Option<String>,
    /// First timestamp of the log.
    #[serde(serialize_with = "as_secs")]
    pub first_at: i64,
    /// Last timestamp of the log that an upload has named.
    #[serde(serialize_with = "as_secs")]
    pub last_at: i64,
    /// When the first events of the log arrived.
    #[serde(serialize_with = "as_secs")]
    pub received_at: i64,
}

/// Inserts a log of a key or extends the known one; returns its id. What is known of a log stands, except that the newest version of
/// the reader replaces the one before, and that a channel other than LIVE stands.
pub fn upsert(tx: &mut Tx, key_id: i64, header: &LogHeader, now: i64) -> QueryResult<i64> {
    let text = |text: &Option<LogText>| text.as_ref().map(|text| text.as_str().to_owned());
    let fill = ["handle", "handle_folded", "build", "branch"].map(|column| (column, Merge::Fill));
    let channel = if header.is_live() { Merge::Fill } else { Merge::Replace };
    let others = [("channel", channel), ("reader", Merge::Replace), ("first_at", Merge::Min), ("last_at", Merge::Max)];
    let merges = [&fill[..], &others].concat();
    bulk!(logs, [header], |header| {
        ingest_key_id: key_id,
        log: header.id.as_str(),
        handle: header.handle.as_ref().map(Handle::as_str),
        handle_folded: header.handle.as_ref().map(Handle::folded),
        build: text(&header.build),
        branch: text(&header.branch),
        channel: text(&header.channel),
        reader: text(&header.reader),
        first_at: header.first.0,
        last_at: header.last.0,
        received_at: now,
    })
    .on_conflict("logs", &["ingest_key_id", "log"], &merges)
    .returning(logs::id)
    .get_result(tx)
}

/// The stored log of a header that did not name another channel than LIVE so far.
pub fn live_log(conn: &mut AnyConn, key_id: i64, header: &LogHeader) -> QueryResult<Option<i64>> {
    let is_live = logs::channel.is_null().or(logs::channel.eq_any(LIVE_CHANNELS));
    let named = logs::table.filter(logs::ingest_key_id.eq(key_id)).filter(logs::log.eq(header.id.as_str()));
    named.filter(is_live).select(logs::id).first(conn).optional()
}

/// Events of a log whose reports count, or will after a patch is adopted or an action is undone. There is no index by log: the times
/// of the log bound the search.
pub fn counted_events(conn: &mut AnyConn, log_id: i64, limit: i64) -> QueryResult<Vec<i64>> {
    let (first, last): (i64, i64) =
        logs::table.filter(logs::id.eq(log_id)).select((logs::first_at, logs::last_at)).first(conn)?;
    events::table
        .filter(events::event_time.between(first, last))
        .filter(events::log_id.eq(log_id))
        .filter(sql::<Bool>("events.state % 4 < 2"))
        .limit(limit)
        .select(sql::<BigInt>("COALESCE(events.fight_of, events.id)"))
        .load(conn)
}

/// The ids of logs by key and the reader's id of the log: `((key, log), id)`.
pub fn ids_of_keys(conn: &mut AnyConn, names: &[(i64, String)]) -> QueryResult<Vec<((i64, String), i64)>> {
    let key_ids: Vec<i64> = names.iter().map(|(key_id, _)| *key_id).collect();
    let texts: Vec<&str> = names.iter().map(|(_, log)| log.as_str()).collect();
    let found = logs::table.filter(logs::ingest_key_id.eq_any(key_ids)).filter(logs::log.eq_any(texts));
    found.select(((logs::ingest_key_id, logs::log), logs::id)).load(conn)
}

/// The build of the game that wrote a log.
#[derive(Debug, Clone, PartialEq, Eq, Default, Queryable)]
pub struct LogBuild {
    pub build: Option<String>,
    pub branch: Option<String>,
    pub channel: Option<String>,
}

/// The builds of these logs, by id.
pub fn builds(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<(i64, LogBuild)>> {
    let named = logs::table.filter(logs::id.eq_any(ids));
    named.select((logs::id, (logs::build, logs::branch, logs::channel))).load(conn)
}

/// The logs of all keys of a user, oldest first.
pub fn list_by_user(conn: &mut AnyConn, user_id: i64) -> QueryResult<Vec<LogRow>> {
    let keys = ingest_keys::table.filter(ingest_keys::user_id.eq(user_id)).select(ingest_keys::id);
    let own = logs::table.filter(logs::ingest_key_id.eq_any(keys));
    own.order((logs::first_at, logs::id)).select(LogRow::as_select()).load(conn)
}

/// Deletes the logs of all keys of a user. Their events remain, without a log.
pub fn delete_by_user(tx: &mut Tx, user_id: i64) -> QueryResult<()> {
    let keys = ingest_keys::table.filter(ingest_keys::user_id.eq(user_id)).select(ingest_keys::id);
    diesel::delete(logs::table.filter(logs::ingest_key_id.eq_any(keys))).execute(&mut **tx)?;
    Ok(())
}

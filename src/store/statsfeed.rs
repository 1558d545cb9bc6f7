//! Channels that get a feed.

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;

/// A channel as it lies in the database.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = statsfeed_channels)]
pub struct ChannelRow {
    pub id: i64,
    pub server_id: String,
    pub channel_id: String,
    pub kind: String,
    /// JSON.
    pub filter: String,
    /// Everything up to this event was posted or passed over.
    pub last_event_id: i64,
    pub disabled_reason: Option<String>,
}

/// Makes a channel a feed or changes what it gets.
pub fn put(
    tx: &mut Tx,
    server: &str,
    channel: &str,
    kind: &str,
    filter: &str,
    last_event_id: i64,
    now: i64,
) -> QueryResult<()> {
    bulk!(statsfeed_channels, [()], |_| {
        server_id: server,
        channel_id: channel,
        kind: kind,
        filter: filter,
        last_event_id: last_event_id,
        disabled_reason: None::<String>,
        created_at: now,
    })
    .on_conflict(
        "statsfeed_channels",
        &["channel_id"],
        &[
            ("kind", Merge::Replace),
            ("filter", Merge::Replace),
            ("last_event_id", Merge::Replace),
            ("disabled_reason", Merge::Replace),
        ],
    )
    .execute(tx)?;
    Ok(())
}

pub fn remove(tx: &mut Tx, server: &str, channel: &str) -> QueryResult<usize> {
    use statsfeed_channels as c;
    diesel::delete(c::table.filter(c::server_id.eq(server)).filter(c::channel_id.eq(channel))).execute(&mut **tx)
}

pub fn of_server(conn: &mut AnyConn, server: &str) -> QueryResult<Vec<ChannelRow>> {
    use statsfeed_channels as c;
    c::table.filter(c::server_id.eq(server)).order(c::id).select(ChannelRow::as_select()).load(conn)
}

pub fn enabled(conn: &mut AnyConn) -> QueryResult<Vec<ChannelRow>> {
    use statsfeed_channels as c;
    c::table.filter(c::disabled_reason.is_null()).order(c::id).select(ChannelRow::as_select()).load(conn)
}

/// Moves a channel on, unless somebody else did meanwhile.
pub fn advance(tx: &mut Tx, id: i64, from: i64, to: i64) -> QueryResult<usize> {
    use statsfeed_channels as c;
    diesel::update(c::table.find(id).filter(c::last_event_id.eq(from))).set(c::last_event_id.eq(to)).execute(&mut **tx)
}

pub fn disable(tx: &mut Tx, id: i64, why: &str) -> QueryResult<()> {
    use statsfeed_channels as c;
    diesel::update(c::table.find(id)).set(c::disabled_reason.eq(why)).execute(&mut **tx)?;
    Ok(())
}

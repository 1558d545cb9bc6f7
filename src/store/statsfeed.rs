//! Discord channels with a feed, and messages to be sent.

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;

/// A channel with a feed, and its delivery state; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = statsfeed_channels)]
pub struct ChannelRow {
    pub id: i64,
    pub server_id: String,
    pub channel_id: String,
    pub kind: String,
    /// JSON.
    pub filter: String,
    pub board_message_id: Option<String>,
    /// Events up to this id are in messages or were skipped.
    pub last_event_id: i64,
    pub disabled_reason: Option<String>,
    pub next_at: i64,
    pub failures: i32,
    pub last_error: Option<String>,
    pub posted_at: Option<i64>,
    pub board_due_at: i64,
    pub board_count: i64,
    /// SHA-256 of the text in the leaderboard message.
    pub board_digest: Option<String>,
}

/// A message to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = statsfeed_outbox)]
pub struct OutboxRow {
    pub id: i64,
    pub feed_id: i64,
    /// JSON array of event ids; the message is rendered when it is sent.
    pub event_ids: String,
    pub created_at: i64,
    pub attempted_at: Option<i64>,
}

/// Adds a feed to a channel or changes its settings; drops messages that are not sent yet.
pub fn upsert_channel(
    tx: &mut Tx,
    server: &str,
    channel: &str,
    kind: &str,
    filter: &str,
    last_event_id: i64,
    now: i64,
) -> QueryResult<()> {
    // The leaderboard message remains and is compared again.
    let replaced = [
        "kind",
        "filter",
        "last_event_id",
        "disabled_reason",
        "next_at",
        "failures",
        "last_error",
        "board_due_at",
        "board_digest",
    ];
    let id: i64 = bulk!(statsfeed_channels, [()], |_| {
        server_id: server,
        channel_id: channel,
        kind: kind,
        filter: filter,
        last_event_id: last_event_id,
        created_at: now,
    })
    .on_conflict("statsfeed_channels", &["channel_id"], &replaced.map(|column| (column, Merge::Replace)))
    .returning(statsfeed_channels::id)
    .get_result(tx)?;
    diesel::delete(statsfeed_outbox::table.filter(statsfeed_outbox::feed_id.eq(id))).execute(&mut **tx)?;
    Ok(())
}

pub fn remove(tx: &mut Tx, server: &str, channel: &str) -> QueryResult<usize> {
    use statsfeed_channels as c;
    diesel::delete(c::table.filter(c::server_id.eq(server)).filter(c::channel_id.eq(channel))).execute(&mut **tx)
}

pub fn list_by_server(conn: &mut AnyConn, server: &str) -> QueryResult<Vec<ChannelRow>> {
    use statsfeed_channels as c;
    c::table.filter(c::server_id.eq(server)).order(c::id).select(ChannelRow::as_select()).load(conn)
}

/// A feed, and the message to be sent.
pub type FeedRow = (ChannelRow, Option<OutboxRow>);

/// All feeds with their messages, oldest first.
pub fn list(conn: &mut AnyConn) -> QueryResult<Vec<FeedRow>> {
    use statsfeed_channels as c;
    c::table
        .left_join(statsfeed_outbox::table)
        .order(c::id)
        .select((ChannelRow::as_select(), Option::<OutboxRow>::as_select()))
        .load(conn)
}

/// Advances feeds without matching events, unless their position has changed.
pub fn skip_events(tx: &mut Tx, ids: &[i64], from: i64, to: i64) -> QueryResult<()> {
    use statsfeed_channels as c;
    for chunk in ids.chunks(1_000) {
        diesel::update(c::table.filter(c::id.eq_any(chunk)).filter(c::last_event_id.eq(from)))
            .set(c::last_event_id.eq(to))
            .execute(&mut **tx)?;
    }
    Ok(())
}

/// Adds a message and advances its feed in one step; returns whether it did.
pub fn enqueue(tx: &mut Tx, feed_id: i64, from: i64, to: i64, event_ids: &str, now: i64) -> QueryResult<bool> {
    use statsfeed_channels as c;
    let moved =
        diesel::update(c::table.find(feed_id).filter(c::last_event_id.eq(from)).filter(c::disabled_reason.is_null()))
            .set(c::last_event_id.eq(to))
            .execute(&mut **tx)?;
    if moved == 1 {
        bulk!(statsfeed_outbox, [()], |_| { feed_id: feed_id, event_ids: event_ids, created_at: now }).execute(tx)?;
    }
    Ok(moved == 1)
}

/// Records that a message is about to be sent for the first time.
pub fn mark_attempted(tx: &mut Tx, outbox_id: i64, now: i64) -> QueryResult<()> {
    use statsfeed_outbox as o;
    diesel::update(o::table.find(outbox_id).filter(o::attempted_at.is_null()))
        .set(o::attempted_at.eq(now))
        .execute(&mut **tx)?;
    Ok(())
}

/// Clears the attempt of a message that is known not to have arrived.
pub fn clear_attempted(tx: &mut Tx, outbox_id: i64) -> QueryResult<()> {
    use statsfeed_outbox as o;
    diesel::update(o::table.find(outbox_id)).set(o::attempted_at.eq(None::<i64>)).execute(&mut **tx)?;
    Ok(())
}

/// Deletes a message of which nothing remains to be sent.
pub fn discard(tx: &mut Tx, outbox_id: i64) -> QueryResult<usize> {
    diesel::delete(statsfeed_outbox::table.find(outbox_id)).execute(&mut **tx)
}

/// Deletes a delivered message; the next one may be sent at `next_at`.
pub fn mark_delivered(tx: &mut Tx, outbox: &OutboxRow, now: i64, next_at: i64) -> QueryResult<()> {
    use statsfeed_channels as c;
    diesel::delete(statsfeed_outbox::table.find(outbox.id)).execute(&mut **tx)?;
    diesel::update(c::table.find(outbox.feed_id))
        .set((c::next_at.eq(next_at), c::failures.eq(0), c::last_error.eq(None::<String>), c::posted_at.eq(Some(now))))
        .execute(&mut **tx)?;
    Ok(())
}

/// Delays a feed until `next_at`; `is_failure` distinguishes a failure from a rate limit.
pub fn postpone(tx: &mut Tx, feed_id: i64, next_at: i64, why: &str, is_failure: bool) -> QueryResult<()> {
    use statsfeed_channels as c;
    diesel::update(c::table.find(feed_id))
        .set((c::next_at.eq(next_at), c::failures.eq(c::failures + i32::from(is_failure)), c::last_error.eq(Some(why))))
        .execute(&mut **tx)?;
    Ok(())
}

/// Disables a feed.
pub fn disable(tx: &mut Tx, id: i64, why: &str) -> QueryResult<usize> {
    use statsfeed_channels as c;
    diesel::update(c::table.find(id)).set(c::disabled_reason.eq(why)).execute(&mut **tx)
}

/// Enables a feed; it continues at its position.
pub fn enable(tx: &mut Tx, id: i64) -> QueryResult<usize> {
    use statsfeed_channels as c;
    diesel::update(c::table.find(id))
        .set((c::disabled_reason.eq(None::<String>), c::next_at.eq(0), c::failures.eq(0)))
        .execute(&mut **tx)
}

/// Has a leaderboard message with the next number posted, because the current one was deleted.
pub fn forget_board(tx: &mut Tx, feed_id: i64) -> QueryResult<()> {
    update_board(tx, feed_id, None, None, 0)?;
    let board_count = statsfeed_channels::board_count;
    diesel::update(statsfeed_channels::table.find(feed_id)).set(board_count.eq(board_count + 1)).execute(&mut **tx)?;
    Ok(())
}

/// Stores the leaderboard message, the digest of its text, and when it is due again.
pub fn update_board(
    tx: &mut Tx,
    feed_id: i64,
    message_id: Option<&str>,
    digest: Option<&str>,
    board_due_at: i64,
) -> QueryResult<()> {
    use statsfeed_channels as c;
    diesel::update(c::table.find(feed_id))
        .set((c::board_message_id.eq(message_id), c::board_digest.eq(digest), c::board_due_at.eq(board_due_at)))
        .execute(&mut **tx)?;
    Ok(())
}

//! Feeds: the newest events of everybody, of a player, of a guild.

use diesel::prelude::*;

use super::conn::{AnyConn, MultiBackend};
use super::ingest::EventRow;
use super::schema::*;

/// The category of events that no list shows.
pub const CONNECTION: i16 = 7;

/// A place in a feed: rows at or after it (newest first) were seen already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before {
    pub event_time: i64,
    pub event_id: i64,
}

/// Where an event stands in the feeds.
pub fn place_of(conn: &mut AnyConn, event_id: i64) -> QueryResult<Option<Before>> {
    let found = events::table.find(event_id).select((events::event_time, events::id)).first(conn).optional()?;
    Ok(found.map(|(event_time, event_id)| Before { event_time, event_id }))
}

/// The newest events of everybody by time, then id.
pub fn newest(
    conn: &mut AnyConn,
    category: Option<i16>,
    before: Option<Before>,
    limit: i64,
) -> QueryResult<Vec<EventRow>> {
    let mut query = events::table.select(EventRow::as_select()).into_boxed::<MultiBackend>();
    query = match category {
        Some(category) => query.filter(events::category.eq(category)),
        None => query.filter(events::category.ne(CONNECTION)),
    };
    if let Some(b) = before {
        query = query.filter(
            events::event_time.lt(b.event_time).or(events::event_time.eq(b.event_time).and(events::id.lt(b.event_id))),
        );
        // Lets both databases start in the index where the last page ended.
        query = query.filter(events::event_time.le(b.event_time));
    }
    query.order((events::event_time.desc(), events::id.desc())).limit(limit).load(conn)
}

/// Which page of a feed is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub struct FeedPage {
    pub category: Option<i16>,
    pub before: Option<Before>,
    pub limit: i64,
    pub offset: i64,
}

/// The newest events of one player.
pub fn of_player(conn: &mut AnyConn, player_id: i64, page: FeedPage) -> QueryResult<Vec<EventRow>> {
    use event_players as ep;
    let mut query = ep::table.filter(ep::player_id.eq(player_id)).select(ep::event_id).into_boxed::<MultiBackend>();
    query = match page.category {
        Some(category) => query.filter(ep::category.eq(category)),
        None => query.filter(ep::category.ne(CONNECTION)),
    };
    if let Some(b) = page.before {
        query = query.filter(
            ep::event_time.lt(b.event_time).or(ep::event_time.eq(b.event_time).and(ep::event_id.lt(b.event_id))),
        );
    }
    let ids: Vec<i64> =
        query.order((ep::event_time.desc(), ep::event_id.desc())).limit(page.limit).offset(page.offset).load(conn)?;
    by_ids(conn, &ids)
}

/// How many events the feed of a player holds.
pub fn count_of_player(conn: &mut AnyConn, player_id: i64, category: Option<i16>) -> QueryResult<i64> {
    use event_players as ep;
    let mut query = ep::table.filter(ep::player_id.eq(player_id)).into_boxed::<MultiBackend>();
    query = match category {
        Some(category) => query.filter(ep::category.eq(category)),
        None => query.filter(ep::category.ne(CONNECTION)),
    };
    query.count().get_result(conn)
}

/// The newest events of a guild's members; a hidden member brings none in.
pub fn of_guild(conn: &mut AnyConn, guild_id: i64, page: FeedPage) -> QueryResult<Vec<EventRow>> {
    use event_players as ep;
    let mut query = ep::table
        .inner_join(players::table.on(players::id.eq(ep::player_id)))
        .filter(ep::guild_id.eq(guild_id))
        .filter(players::is_hidden.eq(false))
        .select((ep::event_time, ep::event_id))
        .distinct()
        .into_boxed::<MultiBackend>();
    query = match page.category {
        Some(category) => query.filter(ep::category.eq(category)),
        None => query.filter(ep::category.ne(CONNECTION)),
    };
    if let Some(b) = page.before {
        query = query.filter(
            ep::event_time.lt(b.event_time).or(ep::event_time.eq(b.event_time).and(ep::event_id.lt(b.event_id))),
        );
    }
    let places: Vec<(i64, i64)> =
        query.order((ep::event_time.desc(), ep::event_id.desc())).limit(page.limit).offset(page.offset).load(conn)?;
    let ids: Vec<i64> = places.into_iter().map(|(_, id)| id).collect();
    by_ids(conn, &ids)
}

/// How many events the feed of a guild holds.
pub fn count_of_guild(conn: &mut AnyConn, guild_id: i64, category: Option<i16>) -> QueryResult<i64> {
    use event_players as ep;
    let mut query = ep::table
        .inner_join(players::table.on(players::id.eq(ep::player_id)))
        .filter(ep::guild_id.eq(guild_id))
        .filter(players::is_hidden.eq(false))
        .select(diesel::dsl::count(ep::event_id).aggregate_distinct())
        .into_boxed::<MultiBackend>();
    query = match category {
        Some(category) => query.filter(ep::category.eq(category)),
        None => query.filter(ep::category.ne(CONNECTION)),
    };
    query.get_result(conn)
}

/// Events with these ids, newest first.
fn by_ids(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<EventRow>> {
    events::table
        .filter(events::id.eq_any(ids))
        .order((events::event_time.desc(), events::id.desc()))
        .select(EventRow::as_select())
        .load(conn)
}

/// The events with these ids that exist, by id.
pub fn with_ids(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<EventRow>> {
    events::table.filter(events::id.eq_any(ids)).order(events::id).select(EventRow::as_select()).load(conn)
}

/// Events taken in after this id, oldest first: what a subscriber missed.
pub fn after(conn: &mut AnyConn, id: i64, limit: i64) -> QueryResult<Vec<EventRow>> {
    events::table.filter(events::id.gt(id)).order(events::id).limit(limit).select(EventRow::as_select()).load(conn)
}

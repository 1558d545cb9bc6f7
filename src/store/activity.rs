//! Feeds: the newest events of all players, of a player, of a guild.

use std::collections::{HashMap, HashSet};

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable};

use super::conn::{AnyConn, MultiBackend};
use super::ingest::{EventRow, FIRST_REMOVED_STATE};
use super::logs::LogBuild;
use super::schema::*;
use super::writer::Tx;
use super::{CHUNK, distinct, in_chunks};
use crate::domain::events::{CONNECTION, Identifier};

/// All other categories.
const LISTED: [i16; 7] = [0, 1, 2, 3, 4, 5, 6];
/// Number of events of a player that are updated per transaction after the profile was hidden or shown.
const VISIBILITY_BATCH: i64 = 2_000;
/// The longest name of a channel; other text that a sender wrote is not shown.
const MAX_CHANNEL_CHARS: usize = 12;
/// The number of accounts that must report the name of a contract or a blueprint before it is shown.
const ACCOUNTS_FOR_A_NAME: usize = 3;

/// Whether the feed of everybody leaves a report out: it is removed or blocked, an earlier report of the event is shown, or the players
/// for whom it stands are hidden. Without a side, all players of the event decide.
const IS_HIDDEN: &str = "(events.state >= 4 \
    OR events.fight_of IS NOT NULL AND EXISTS (SELECT 1 FROM events e \
        WHERE (e.id = events.fight_of OR e.fight_of = events.fight_of) AND e.id < events.id AND e.state < 4) \
    OR COALESCE(events.killer_id, events.victim_id, events.player_id) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM players p \
        WHERE p.id IN (CASE WHEN events.sides & 1 <> 0 OR events.sides = 0 THEN events.killer_id END, \
            CASE WHEN events.sides & 2 <> 0 OR events.sides = 0 THEN events.victim_id END, \
            CASE WHEN events.sides & 4 <> 0 OR events.sides = 0 THEN events.player_id END) AND NOT p.is_hidden))";
/// The guild whose feed shows a player's events; none while the player is hidden.
const FEED_GUILD: &str = "(SELECT CASE WHEN p.is_hidden THEN NULL ELSE p.guild_id END FROM players p \
    WHERE p.id = event_players.player_id)";

/// A position in a feed, newest first; the next page starts after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FeedCursor {
    pub event_time: i64,
    pub event_id: i64,
}

/// The position of an event in the feeds.
pub fn cursor_of(conn: &mut AnyConn, event_id: i64) -> QueryResult<Option<FeedCursor>> {
    let found = events::table.find(event_id).select((events::event_time, events::id)).first(conn).optional()?;
    Ok(found.map(|(event_time, event_id)| FeedCursor { event_time, event_id }))
}

/// The newest visible events of all players, by time, then id.
pub fn newest(
    conn: &mut AnyConn,
    category: Option<i16>,
    before: Option<FeedCursor>,
    limit: i64,
) -> QueryResult<Vec<EventRow>> {
    let listed = category.as_ref().map_or(&LISTED[..], std::slice::from_ref);
    // One list per category, each read from the index, so that omitted categories cost nothing.
    let lists: Vec<String> = listed
        .iter()
        .map(|category| {
            format!(
                "SELECT * FROM (SELECT event_time, id FROM events \
                 WHERE category = {category} AND NOT is_hidden AND (event_time, id) < ($1, $2) \
                 ORDER BY event_time DESC, id DESC LIMIT $3) of_{category}"
            )
        })
        .collect();
    let lists = lists.join(" UNION ALL ");
    let sql = format!("SELECT id FROM ({lists}) listed ORDER BY event_time DESC, id DESC LIMIT $3");
    let before = before.unwrap_or(FeedCursor { event_time: i64::MAX, event_id: i64::MAX });
    let ids: Vec<Id> = diesel::sql_query(sql)
        .bind::<BigInt, _>(before.event_time)
        .bind::<BigInt, _>(before.event_id)
        .bind::<BigInt, _>(limit)
        .load(conn)?;
    by_ids(conn, &ids.into_iter().map(|row| row.id).collect::<Vec<_>>())
}

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// A page of a feed.
#[derive(Debug, Clone, Copy, Default)]
pub struct FeedPage {
    pub category: Option<i16>,
    pub before: Option<FeedCursor>,
    pub limit: i64,
    pub offset: i64,
    /// Whether the page contains what feeds omit; for the owner only.
    pub with_unlisted: bool,
}

/// The newest events of a player.
pub fn list_by_player(conn: &mut AnyConn, player_id: i64, page: FeedPage) -> QueryResult<Vec<EventRow>> {
    use event_players as ep;
    let mut query = ep::table.filter(ep::player_id.eq(player_id)).select(ep::event_id).into_boxed::<MultiBackend>();
    query = match page.category {
        Some(category) => query.filter(ep::category.eq(category)),
        None if page.with_unlisted => query,
        None => query.filter(ep::category.lt(CONNECTION)),
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

/// Number of events in the feed of a player.
pub fn count_by_player(conn: &mut AnyConn, player_id: i64, category: Option<i16>) -> QueryResult<i64> {
    use event_players as ep;
    let of_player = ep::table.filter(ep::player_id.eq(player_id));
    match category {
        Some(category) => of_player.filter(ep::category.eq(category)).count().get_result(conn),
        None => of_player.filter(ep::category.lt(CONNECTION)).count().get_result(conn),
    }
}

/// The newest events of a guild's members, without hidden members.
pub fn list_by_guild(conn: &mut AnyConn, guild_id: i64, page: FeedPage) -> QueryResult<Vec<EventRow>> {
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
        None => query.filter(ep::category.lt(CONNECTION)),
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

/// Number of events in the feed of a guild.
pub fn count_by_guild(conn: &mut AnyConn, guild_id: i64, category: Option<i16>) -> QueryResult<i64> {
    use event_players as ep;
    let of_guild = ep::table
        .inner_join(players::table.on(players::id.eq(ep::player_id)))
        .filter(ep::guild_id.eq(guild_id))
        .filter(players::is_hidden.eq(false))
        .select(diesel::dsl::count(ep::event_id).aggregate_distinct());
    match category {
        Some(category) => of_guild.filter(ep::category.eq(category)).get_result(conn),
        None => of_guild.filter(ep::category.lt(CONNECTION)).get_result(conn),
    }
}

/// Events with these ids, newest first.
fn by_ids(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<EventRow>> {
    events::table
        .filter(events::id.eq_any(ids))
        .order((events::event_time.desc(), events::id.desc()))
        .select(EventRow::as_select())
        .load(conn)
}

/// Existing events with these ids, by id.
pub fn find_many(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<EventRow>> {
    in_chunks(ids, |ids| {
        events::table.filter(events::id.eq_any(ids)).order(events::id).select(EventRow::as_select()).load(conn)
    })
}

/// Events with larger ids than `id`, oldest first.
pub fn after(conn: &mut AnyConn, id: i64, limit: i64) -> QueryResult<Vec<EventRow>> {
    events::table.filter(events::id.gt(id)).order(events::id).limit(limit).select(EventRow::as_select()).load(conn)
}

/// Recomputes `events.is_hidden` of these events.
pub fn mark_hidden(tx: &mut Tx, event_ids: &[i64]) -> QueryResult<()> {
    for chunk in event_ids.chunks(CHUNK) {
        let differs = diesel::dsl::sql::<Bool>(&format!("events.is_hidden <> {IS_HIDDEN}"));
        diesel::update(events::table.filter(events::id.eq_any(chunk)).filter(differs))
            .set(events::is_hidden.eq(diesel::dsl::sql::<Bool>(IS_HIDDEN)))
            .execute(&mut **tx)?;
    }
    Ok(())
}

/// Moves all events of a player to the feed of the player's current guild.
pub fn reassign_guild(tx: &mut Tx, player_id: i64) -> QueryResult<()> {
    diesel::update(event_players::table.filter(event_players::player_id.eq(player_id)))
        .set(event_players::guild_id.eq(diesel::dsl::sql::<Nullable<BigInt>>(FEED_GUILD)))
        .execute(&mut **tx)?;
    Ok(())
}

/// Updates one batch of a player's events and feed entries after the profile was hidden or shown, newest first. Returns where the
/// next batch begins.
pub fn apply_visibility(tx: &mut Tx, player_id: i64, before: Option<FeedCursor>) -> QueryResult<Option<FeedCursor>> {
    use event_players as ep;
    let mut page = ep::table
        .filter(ep::player_id.eq(player_id))
        .select((ep::event_time, ep::event_id))
        .into_boxed::<MultiBackend>();
    if let Some(b) = before {
        page = page.filter(
            ep::event_time.lt(b.event_time).or(ep::event_time.eq(b.event_time).and(ep::event_id.lt(b.event_id))),
        );
    }
    let page: Vec<(i64, i64)> =
        page.order((ep::event_time.desc(), ep::event_id.desc())).limit(VISIBILITY_BATCH).load(&mut **tx)?;
    let (Some((newest, _)), Some((oldest, last))) = (page.first(), page.last()) else { return Ok(None) };
    mark_hidden(tx, &page.iter().map(|(_, id)| *id).collect::<Vec<_>>())?;
    diesel::update(ep::table.filter(ep::player_id.eq(player_id)).filter(ep::event_time.between(*oldest, *newest)))
        .set(ep::guild_id.eq(diesel::dsl::sql::<Nullable<BigInt>>(FEED_GUILD)))
        .execute(&mut **tx)?;
    let is_end = (page.len() as i64) < VISIBILITY_BATCH;
    Ok((!is_end).then_some(FeedCursor { event_time: *oldest, event_id: *last }))
}

/// A player with events that do not reflect the profile's visibility yet, and the number of changes since they last did.
pub fn find_pending_visibility(conn: &mut AnyConn) -> QueryResult<Option<(i64, i32)>> {
    players::table
        .filter(diesel::dsl::sql::<Bool>("players.feed_changes > 0"))
        .select((players::id, players::feed_changes))
        .first(conn)
        .optional()
}

/// Marks all events of a player as updated, unless the visibility has changed again.
pub fn clear_pending_visibility(tx: &mut Tx, player_id: i64, changes: i32) -> QueryResult<()> {
    diesel::update(players::table.find(player_id).filter(players::feed_changes.eq(changes)))
        .set(players::feed_changes.eq(0))
        .execute(&mut **tx)?;
    Ok(())
}

/// Whether the name of a contract is shown.
pub fn is_contract_name_shown(conn: &mut AnyConn, name: &str) -> QueryResult<bool> {
    is_shown(conn, || events::table.filter(events::contract_name.eq(name)).into_boxed())
}

/// Those of these names of blueprints that are shown.
pub fn shown_blueprints<'a>(conn: &mut AnyConn, names: impl Iterator<Item = &'a str>) -> QueryResult<HashSet<String>> {
    let received = Identifier::BlueprintReceived.code();
    let mut shown = HashSet::new();
    for name in distinct(names) {
        // A literal, because only then do the databases use the partial index.
        let is_blueprint = || diesel::dsl::sql::<Bool>(&format!("events.identifier = {received}"));
        if is_shown(conn, || events::table.filter(events::text.eq(name)).filter(is_blueprint()).into_boxed())? {
            shown.insert(name.to_owned());
        }
    }
    Ok(shown)
}

/// Those of these reports that tell of a player's first flight of a ship, as far as all counted reports tell.
pub fn first_flights<'a>(conn: &mut AnyConn, events: impl Iterator<Item = &'a EventRow>) -> QueryResult<HashSet<i64>> {
    let flights: Vec<(&EventRow, i64, &str)> =
        events.filter_map(|event| event.flight().map(|(player_id, ship)| (event, player_id, ship))).collect();
    if flights.is_empty() {
        return Ok(HashSet::new());
    }
    let players = distinct(flights.iter().map(|(_, player_id, _)| *player_id));
    let times = distinct(flights.iter().map(|(event, ..)| event.event_time));
    let first: HashSet<(i64, String, i64)> = ships_flown::table
        .filter(ships_flown::player_id.eq_any(&players))
        .filter(ships_flown::first_at.eq_any(&times))
        .select((ships_flown::player_id, ships_flown::ship, ships_flown::first_at))
        .load(conn)?
        .into_iter()
        .collect();
    let is_first = |(event, player_id, ship): &(&EventRow, i64, &str)| {
        first.contains(&(*player_id, (*ship).to_owned(), event.event_time))
    };
    Ok(flights.into_iter().filter(is_first).map(|(event, ..)| event.id).collect())
}

/// Whether a name is shown: an operator or several accounts report it, in reports that are not removed.
fn is_shown<'a>(conn: &mut AnyConn, named: impl Fn() -> events::BoxedQuery<'a, MultiBackend>) -> QueryResult<bool> {
    let reported = |conn: &mut AnyConn, above: i64, up_to: i64| {
        let found = named().filter(events::state.lt(FIRST_REMOVED_STATE));
        let accounts = found.filter(events::account.gt(above)).filter(events::account.le(up_to));
        accounts.order(events::account.asc()).select(events::account).first::<i64>(conn).optional()
    };
    if reported(conn, -1, 0)?.is_some() {
        return Ok(true);
    }
    // Each step finds the next account in the index, however often the contract was reported.
    let mut last = i64::MIN;
    for _ in 0..ACCOUNTS_FOR_A_NAME {
        let Some(account) = reported(conn, last, i64::MAX)? else { return Ok(false) };
        last = account;
    }
    Ok(true)
}

/// The visible reports of those events that have several.
pub fn reports_of(conn: &mut AnyConn, events: &[EventRow]) -> QueryResult<HashMap<i64, Vec<EventRow>>> {
    let ids: Vec<i64> = events.iter().map(EventRow::event_id).collect();
    let several: Vec<i64> = super::ingest::others_of(conn, &ids)?.iter().map(EventRow::event_id).collect();
    let mut reports: HashMap<i64, Vec<EventRow>> = HashMap::new();
    for report in super::ingest::reports_of(conn, &several)? {
        if report.state().is_visible() {
            reports.entry(report.event_id()).or_default().push(report);
        }
    }
    Ok(reports)
}

/// The channels of reports that are not of LIVE.
pub fn channels_of(conn: &mut AnyConn, events: &[&EventRow]) -> QueryResult<HashMap<i64, String>> {
    let others: Vec<&EventRow> = events.iter().copied().filter(|event| event.state().is_of_other_channel()).collect();
    if others.is_empty() {
        return Ok(HashMap::new());
    }
    let log_ids: Vec<i64> = others.iter().filter_map(|event| event.log_id).collect();
    let builds: HashMap<i64, LogBuild> = super::logs::builds(conn, &log_ids)?.into_iter().collect();
    let is_channel =
        |text: &String| text.len() <= MAX_CHANNEL_CHARS && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'-');
    let channel = |event: &EventRow| event.log_id.and_then(|id| builds.get(&id)?.channel.clone()).filter(is_channel);
    // Without a header the name of the patch tells that the build is a test build.
    let named = others.iter().map(|event| (event.id, channel(event).unwrap_or_else(|| "PTU".to_owned())));
    Ok(named.collect())
}

//! Feeds of events. Hidden players appear under a substitute name.

use crate::domain::trust::Removal;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::moderation;
use crate::features::players::require_visible;
use crate::store::activity::{self, FeedCursor, FeedPage};
use crate::store::conn::AnyConn;
use crate::store::ingest;
use crate::store::logs;
use crate::store::players::PlayerRow;
use crate::store::{Store, Tx, players};
use crate::views::activity::{ActivityRow, EventAnswer, GuildActivityRow, Names, RemovedEvent};
use crate::views::{OffsetPagination, secs};

/// The values of the parameter `filter`, with the code of the category in the table `events`.
pub const CATEGORIES: [(&str, Option<i16>); 4] =
    [("pve", Some(2)), ("pvp", Some(1)), ("vehicles", Some(3)), ("missions", Some(4))];

/// A page of a feed.
#[derive(Debug, Clone, Copy)]
pub struct FeedQuery {
    /// One of [`CATEGORIES`].
    pub category: Option<i16>,
    /// The id of the last row of the previous page.
    pub before: Option<i64>,
    pub limit: i64,
    pub offset: i64,
}

/// The page of a feed that a query asks for.
async fn page(store: &Store, query: FeedQuery) -> Result<FeedPage, AppError> {
    let FeedQuery { category, before, limit, offset } = query;
    let before = match before {
        Some(id) => {
            let found = store.read(move |conn| activity::cursor_of(conn, id)).await?;
            Some(found.ok_or_else(|| AppError::invalid_parameter("before", "the id of a row of this feed"))?)
        }
        None => None,
    };
    Ok(FeedPage { category, before, limit, offset, with_unlisted: false })
}

/// The newest visible events of all players.
pub async fn newest(store: &Store, query: FeedQuery) -> Result<Vec<ActivityRow>, AppError> {
    let FeedPage { category, mut before, limit, .. } = page(store, query).await?;
    let rows = store
        .read(move |conn| {
            let mut rows = Vec::new();
            // Older events of a player who was hidden a moment ago may not be marked as hidden yet.
            loop {
                let wanted = limit - rows.len() as i64;
                let events = activity::newest(conn, category, before, wanted)?;
                let names = Names::read(conn, &events)?;
                rows.extend(events.iter().filter(|e| names.is_visible(e)).map(|e| names.row(e)));
                let Some(last) = events.last() else { break };
                before = Some(FeedCursor { event_time: last.event_time, event_id: last.id });
                if rows.len() as i64 == limit || (events.len() as i64) < wanted {
                    break;
                }
            }
            Ok(rows)
        })
        .await?;
    Ok(rows)
}

/// Updates the events of players who were hidden or shown, in short transactions.
pub async fn update_hidden_events(store: &Store) -> Result<(), AppError> {
    while let Some((player_id, changes)) = store.read(activity::find_pending_visibility).await? {
        let mut before = None;
        loop {
            let part = move |tx: &mut Tx| {
                players::lock(tx, &[player_id])?;
                let next = activity::apply_visibility(tx, player_id, before)?;
                if next.is_none() {
                    activity::clear_pending_visibility(tx, player_id, changes)?;
                }
                Ok::<_, AppError>(next)
            };
            before = store.write(part).await?;
            if before.is_none() {
                break;
            }
        }
    }
    Ok(())
}

/// A single event.
pub async fn event(store: &Store, id: i64) -> Result<EventAnswer, AppError> {
    let found = store.read(move |conn| event_page(conn, id)).await?;
    found.ok_or_else(|| AppError::NotFound("Event not found.".into()))
}

fn event_page(conn: &mut AnyConn, id: i64) -> diesel::QueryResult<Option<EventAnswer>> {
    let reports = ingest::reports_of(conn, &[id])?;
    let first = reports.iter().find(|report| report.event_id() == id && !report.is_opt_in());
    let Some(first) = first else { return Ok(None) };
    let Some(shown) = reports.iter().find(|report| report.state().is_visible()) else {
        if first.state().removal() != Some(Removal::Removed) {
            return Ok(None);
        }
        let removal = moderation::removal_reason(conn, first)?;
        let removed = removal.map(|(reason, at)| RemovedEvent { reason, at: secs(at) });
        return Ok(removed.map(|removed| EventAnswer { removed: Some(removed), ..EventAnswer::default() }));
    };
    let names = Names::read(conn, std::slice::from_ref(shown))?;
    if !names.has_visible_player(shown) {
        return Ok(None);
    }
    let log_ids: Vec<i64> = shown.log_id.into_iter().collect();
    let build = logs::builds(conn, &log_ids)?.pop().map(|(_, build)| build).unwrap_or_default();
    Ok(Some(EventAnswer {
        event: Some(names.row(shown)),
        build: build.build,
        branch: build.branch,
        received_at: shown.received_at.map(secs),
        removed: None,
    }))
}

/// The events of one player.
pub async fn of_player(
    store: &Store,
    viewer: &Viewer,
    handle: &str,
    query: FeedQuery,
) -> Result<(Vec<ActivityRow>, OffsetPagination), AppError> {
    let PlayerRow { id, handle, .. } = require_visible(store, viewer, handle).await?;
    let page = page(store, query).await?;
    let (rows, total) = store
        .read(move |conn| {
            let events = activity::list_by_player(conn, id, page)?;
            let mut names = Names::read(conn, &events)?;
            // A viewer who may see a hidden profile sees its name in its own feed.
            if let Some(person) = names.players.get_mut(&id) {
                person.is_hidden = false;
                person.handle = handle;
            }
            let total = activity::count_by_player(conn, id, page.category)?;
            Ok((events.iter().map(|e| names.row(e)).collect(), total))
        })
        .await?;
    Ok((rows, OffsetPagination::new(query.limit, query.offset, total)))
}

/// The events of a guild's visible members.
pub async fn of_guild(
    store: &Store,
    tag: &str,
    query: FeedQuery,
) -> Result<(Vec<GuildActivityRow>, OffsetPagination), AppError> {
    let guild = super::guilds::find(store, tag).await?;
    let page = page(store, query).await?;
    let (rows, total) = store
        .read(move |conn| {
            let events = activity::list_by_guild(conn, guild.id, page)?;
            let names = Names::read(conn, &events)?;
            let total = activity::count_by_guild(conn, guild.id, page.category)?;
            Ok((events.iter().map(|e| names.row(e).into()).collect(), total))
        })
        .await?;
    Ok((rows, OffsetPagination::new(query.limit, query.offset, total)))
}

//! Events of all states, for admins.

use std::collections::HashMap;

use crate::domain::events::Identifier;
use crate::domain::trust::State;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::store::ingest::EventRow;
use crate::store::moderation::{self, EventBounds, IdOrder};
use crate::store::{Store, activity, keys};
use crate::views::moderation::{AdminEvent, AdminEventPage, EventKey};
use crate::views::secs;

use super::require_admin;
use super::target::Selection;

/// Which events to list.
#[derive(Debug, Clone)]
pub struct EventFilter {
    pub selection: Option<Selection>,
    pub state: Option<State>,
    /// The id of the last event of the previous page.
    pub before: Option<i64>,
    pub limit: i64,
}

/// Events of all states, newest first by id.
pub async fn list_events(store: &Store, viewer: &Member, filter: EventFilter) -> Result<AdminEventPage, AppError> {
    require_admin(viewer)?;
    let target = filter.selection.as_ref().map(|selection| selection.target.clone());
    let not_found = || target.as_ref().map_or_else(|| AppError::NotFound("Event not found.".into()), |t| t.not_found());
    let (limit, wanted) = (filter.limit, target.clone());
    let data = store
        .read(move |conn| {
            let selection = match wanted {
                None => None,
                Some(target) => match target.resolve(conn)? {
                    Some(resolved) => Some(resolved.events),
                    None => return Ok(None),
                },
            };
            let last_id = filter.before.map_or(i64::MAX, |before| before - 1);
            let bounds = EventBounds {
                state: filter.state,
                ..filter.selection.as_ref().map_or_else(|| EventBounds::up_to(last_id), |s| s.bounds(1, last_id))
            };
            let ids = moderation::select_events(conn, selection.as_ref(), bounds, IdOrder::Descending, limit)?;
            let mut rows = activity::find_many(conn, &ids)?;
            rows.reverse();
            Ok(Some(to_views(conn, rows)?))
        })
        .await?
        .ok_or_else(not_found)?;
    let next = data.last().filter(|_| data.len() as i64 == limit).map(|event| event.id);
    Ok(AdminEventPage { data, next })
}

/// Events as admins see them.
pub(super) fn to_views(conn: &mut AnyConn, rows: Vec<EventRow>) -> diesel::QueryResult<Vec<AdminEvent>> {
    let names = activity::names_of(conn, &rows)?;
    let handles = names.players.into_iter().map(|player| (player.id, player.handle)).collect();
    let mut key_names = HashMap::new();
    for key_id in rows.iter().filter_map(|row| row.ingest_key_id) {
        if let std::collections::hash_map::Entry::Vacant(entry) = key_names.entry(key_id) {
            entry.insert(keys::find(conn, key_id)?.map(|key| key.name).unwrap_or_default());
        }
    }
    Ok(rows.into_iter().map(|row| to_view(row, &handles, &key_names)).collect())
}

fn to_view(row: EventRow, handles: &HashMap<i64, String>, key_names: &HashMap<i64, String>) -> AdminEvent {
    let name =
        |id: Option<i64>, npc: &Option<String>| id.and_then(|id| handles.get(&id)).cloned().or_else(|| npc.clone());
    AdminEvent {
        id: row.id,
        event_time: secs(row.event_time),
        received_at: row.received_at.map(secs),
        identifier: Identifier::from_code(row.identifier).map_or("unknown", Identifier::as_str),
        state: row.reasons().state(),
        grade: row.grade().as_str(),
        key: row.ingest_key_id.map(|id| EventKey { id, name: key_names.get(&id).cloned().unwrap_or_default() }),
        reports: row.witnesses,
        killer: name(row.killer_id, &row.killer_npc),
        victim: name(row.victim_id, &row.victim_npc),
        player: name(row.player_id, &row.player_npc),
    }
}

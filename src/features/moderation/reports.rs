//! The reports that entries concern.

use std::collections::HashMap;

use crate::domain::events::Identifier;
use crate::domain::trust::{Account, Action, Condition, Removal, ReportOrigin, ReportState, Target, removal_under};
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::store::ingest::EventRow;
use crate::store::moderation::{self, ModerationRow, ReportBounds, ReportSelection};
use crate::store::{Store, activity, ingest};
use crate::views::moderation::{AdminReport, AdminReportPage, ModerationTarget};
use crate::views::secs;

use super::{entry, require_admin};

/// The target of an entry that concerns reports.
pub(super) fn target_of(row: &ModerationRow) -> Option<Target> {
    let key = row.key_id.map(Target::Key);
    let account = row.user_id.map(|id| Target::Account(Account::User(id)));
    let player = row.player_id.map(Target::OwnLog);
    key.or(account).or(player).or(row.event_id.map(Target::Event))
}

/// The conditions in force, oldest first.
pub(super) fn conditions(conn: &mut AnyConn) -> diesel::QueryResult<Vec<Condition>> {
    let condition = |row: ModerationRow| {
        let action = row.action()?;
        let is_condition = matches!(action, Action::Block | Action::Unblock | Action::Remove | Action::Restore);
        let target = target_of(&row).filter(|_| is_condition)?;
        Some(Condition { action, target, from: row.from_time, until: row.until_time })
    };
    Ok(moderation::in_force(conn)?.into_iter().filter_map(condition).collect())
}

/// What conditions do to a report.
pub(super) fn removal_of(conditions: &[Condition], row: &EventRow) -> Option<Removal> {
    let origin = ReportOrigin {
        key_id: row.ingest_key_id,
        account: row.account(),
        own_player: row.own_player(),
        event_id: row.event_id(),
        event_time: row.event_time,
    };
    removal_under(conditions, &origin)
}

/// Why an admin removed a report, and when (epoch milliseconds).
pub fn removal_reason(conn: &mut AnyConn, row: &EventRow) -> diesel::QueryResult<Option<(String, i64)>> {
    let mut removals = moderation::in_force(conn)?.into_iter().filter(|entry| entry.action() == Some(Action::Remove));
    let concerns = |entry: &ModerationRow| {
        let condition = target_of(entry).map(|target| Condition {
            action: Action::Remove,
            target,
            from: entry.from_time,
            until: entry.until_time,
        });
        condition.is_some_and(|condition| removal_of(&[condition], row).is_some())
    };
    Ok(removals.rfind(concerns).map(|entry| (entry.reason, entry.at)))
}

/// The reports that an action would concern, in the order of their arrival, with their number. `after` is the id of the last report of the
/// previous page.
pub async fn list_reports(
    store: &Store,
    viewer: &Member,
    target: ModerationTarget,
    after: i64,
    limit: i64,
) -> Result<AdminReportPage, AppError> {
    require_admin(viewer)?;
    // Reads only; the errors of the target are those of the feature.
    store
        .read(move |conn| {
            let row = match entry::target(conn, &target) {
                Ok(row) => row,
                Err(error) => return Ok(Err(error)),
            };
            let Some(target) = target_of(&row) else {
                return Ok(Err(AppError::Validation("A patch has no reports.".into())));
            };
            let selection = ReportSelection::Target(target);
            let last_id = ingest::last_id(conn)?;
            let all = ReportBounds { after_id: 0, last_id, from: row.from_time, until: row.until_time };
            let total = moderation::count_reports(conn, selection, all)?;
            let page = moderation::select_reports(conn, selection, ReportBounds { after_id: after, ..all }, limit)?;
            let ids: Vec<i64> = page.iter().map(|report| report.id).collect();
            let rows = activity::find_many(conn, &ids)?;
            let names = activity::names_of(conn, &rows)?;
            let handles = names.players.into_iter().map(|(id, player)| (id, player.handle)).collect();
            let next = ids.last().copied().filter(|_| ids.len() as i64 == limit);
            let data = rows.iter().map(|row| to_view(row, &handles)).collect();
            Ok(Ok(AdminReportPage { total, data, next }))
        })
        .await?
}

fn to_view(row: &EventRow, handles: &HashMap<i64, String>) -> AdminReport {
    let name =
        |id: Option<i64>, npc: &Option<String>| id.and_then(|id| handles.get(&id)).cloned().or_else(|| npc.clone());
    AdminReport {
        event: row.event_id(),
        event_time: secs(row.event_time),
        received_at: row.received_at.map(secs),
        identifier: Identifier::from_code(row.identifier).map_or("unknown", Identifier::as_str),
        state: state_name(row.state()),
        key: row.ingest_key_id,
        killer: name(row.killer_id, &row.killer_npc),
        victim: name(row.victim_id, &row.victim_npc),
        player: name(row.player_id, &row.player_npc),
    }
}

fn state_name(state: ReportState) -> &'static str {
    match state.removal() {
        Some(Removal::Removed) => "removed",
        Some(Removal::Blocked) => "blocked",
        None if state.is_counted() => "counted",
        None if state.is_of_other_channel() => "other_channel",
        None => "waiting",
    }
}

//! The reports that entries concern.

use std::collections::HashMap;

use crate::domain::events::Identifier;
use crate::domain::trust::{Account, Action, Removal, ReportState, Target};
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::store::ingest::EventRow;
use crate::store::moderation::{self, ModerationRow, ReportBounds, ReportSelection};
use crate::store::{Store, activity, distinct, ingest, players};
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

/// Whether an entry concerns a report.
fn concerns(entry: &ModerationRow, report: &EventRow) -> bool {
    let is_target = target_of(entry).is_some_and(|target| match target {
        Target::Key(id) => report.ingest_key_id == Some(id),
        Target::Account(account) => report.account() == account,
        Target::OwnLog(player_id) => report.own_player() == Some(player_id),
        Target::Event(id) => report.event_id() == id,
    });
    is_target
        && entry.from_time.is_none_or(|from| report.event_time >= from)
        && entry.until_time.is_none_or(|until| report.event_time < until)
}

/// What the entries in force, oldest first, do to a report: of `remove` and `restore`, and of `block` and `unblock`, the last one that
/// concerns the report decides.
pub(super) fn removal_under(entries: &[ModerationRow], report: &EventRow) -> Option<Removal> {
    let last = |one: Action, other: Action| {
        let mut actions = entries.iter().filter(|entry| concerns(entry, report)).filter_map(ModerationRow::action);
        actions.rfind(|action| *action == one || *action == other)
    };
    if last(Action::Block, Action::Unblock) == Some(Action::Block) {
        Some(Removal::Blocked)
    } else if last(Action::Remove, Action::Restore) == Some(Action::Remove) {
        Some(Removal::Removed)
    } else {
        None
    }
}

/// Why an admin removed a report, and when (epoch milliseconds).
pub fn removal_reason(conn: &mut AnyConn, row: &EventRow) -> diesel::QueryResult<Option<(String, i64)>> {
    let mut removals = moderation::in_force(conn)?.into_iter().filter(|entry| entry.action() == Some(Action::Remove));
    Ok(removals.rfind(|entry| concerns(entry, row)).map(|entry| (entry.reason, entry.at)))
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
    store.read(move |conn| Ok(page_of(conn, &target, after, limit))).await?
}

fn page_of(conn: &mut AnyConn, target: &ModerationTarget, after: i64, limit: i64) -> Result<AdminReportPage, AppError> {
    let row = entry::target(conn, target)?;
    let target = target_of(&row).ok_or_else(|| AppError::Validation("A patch has no reports.".into()))?;
    let selection = ReportSelection::Target(target);
    let last_id = ingest::last_id(conn)?;
    let all = ReportBounds { after_id: 0, last_id, from: row.from_time, until: row.until_time };
    let total = moderation::count_reports(conn, selection, all)?;
    let page = moderation::select_reports(conn, selection, ReportBounds { after_id: after, ..all }, limit)?;
    let ids: Vec<i64> = page.iter().map(|report| report.id).collect();
    let rows = activity::find_many(conn, &ids)?;
    let players = players::find_refs_by_id(conn, &distinct(rows.iter().flat_map(EventRow::player_ids)))?;
    let handles = players.into_iter().map(|player| (player.id, player.handle)).collect();
    let next = ids.last().copied().filter(|_| ids.len() as i64 == limit);
    Ok(AdminReportPage { total, data: rows.iter().map(|row| to_view(row, &handles)).collect(), next })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::counters::Side;
    use crate::domain::trust::Sides;

    /// What entries do to a report of event 100 with key 3 of account 7, from the log of player 20.
    fn removal(entries: &[ModerationRow]) -> Option<Removal> {
        let report = EventRow {
            id: 100,
            account: 7,
            ingest_key_id: Some(3),
            player_id: Some(20),
            reported_sides: Sides::of(Side::Player).bits(),
            event_time: 5_000,
            ..EventRow::default()
        };
        removal_under(entries, &report)
    }

    fn entry(action: Action, target: Target) -> ModerationRow {
        let row = ModerationRow { action: action.code(), ..ModerationRow::default() };
        match target {
            Target::Key(id) => ModerationRow { key_id: Some(id), ..row },
            Target::Account(account) => ModerationRow { user_id: account.user_id(), ..row },
            Target::OwnLog(id) => ModerationRow { player_id: Some(id), ..row },
            Target::Event(id) => ModerationRow { event_id: Some(id), ..row },
        }
    }

    #[test]
    fn an_entry_concerns_its_target_only() {
        for target in [Target::Key(3), Target::Account(Account::User(7)), Target::OwnLog(20), Target::Event(100)] {
            assert_eq!(removal(&[entry(Action::Remove, target)]), Some(Removal::Removed), "{target:?}");
        }
        for target in [Target::Key(4), Target::Account(Account::User(8)), Target::OwnLog(21), Target::Event(99)] {
            assert_eq!(removal(&[entry(Action::Remove, target)]), None, "{target:?}");
        }
    }

    #[test]
    fn a_time_range_excludes_its_end() {
        let within = |from, until| {
            let all = entry(Action::Remove, Target::Key(3));
            removal(&[ModerationRow { from_time: Some(from), until_time: Some(until), ..all }])
        };
        assert_eq!(within(5_000, 5_001), Some(Removal::Removed));
        assert_eq!(within(4_000, 5_000), None);
        assert_eq!(within(5_001, 6_000), None);
    }

    #[test]
    fn the_last_action_decides_and_a_block_is_stronger_than_a_removal() {
        let of_event = |action| entry(action, Target::Event(100));
        let of_account = |action| entry(action, Target::Account(Account::User(7)));
        let [remove, restore] = [Action::Remove, Action::Restore].map(of_event);
        let [block, unblock] = [Action::Block, Action::Unblock].map(of_account);
        assert_eq!(removal(&[remove.clone(), restore.clone()]), None);
        assert_eq!(removal(&[restore, remove.clone()]), Some(Removal::Removed));
        assert_eq!(removal(&[remove.clone(), block.clone()]), Some(Removal::Blocked));
        assert_eq!(removal(&[remove, block, unblock]), Some(Removal::Removed));
    }
}

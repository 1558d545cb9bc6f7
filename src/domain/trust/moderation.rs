//! What admins do, and what it means for reports.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reporter::Account;
use super::state::Removal;

/// What an admin does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ModerationAction)]
#[repr(i16)]
pub enum Action {
    /// The keys stop, and what they reported no longer counts.
    Block = 1,
    Unblock = 2,
    /// Reports no longer count.
    Remove = 3,
    Restore = 4,
    /// The patch is the current one, whatever logs tell.
    Pin = 5,
    /// A player gets another handle.
    Rename = 6,
    /// All events of a player become those of another one.
    Merge = 7,
}

impl Action {
    const ALL: [Self; 7] =
        [Self::Block, Self::Unblock, Self::Remove, Self::Restore, Self::Pin, Self::Rename, Self::Merge];

    pub fn code(self) -> i16 {
        self as i16
    }

    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.code() == code)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Unblock => "unblock",
            Self::Remove => "remove",
            Self::Restore => "restore",
            Self::Pin => "pin",
            Self::Rename => "rename",
            Self::Merge => "merge",
        }
    }
}

/// The reports that an action concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Key(i64),
    Account(Account),
    /// The reports from the own log of the player with this id.
    OwnLog(i64),
    /// All reports of the event with this id.
    Event(i64),
}

/// An action on reports that is in force. Times are those of the log in epoch milliseconds, `until` exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    pub action: Action,
    pub target: Target,
    pub from: Option<i64>,
    pub until: Option<i64>,
}

/// What conditions ask of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportOrigin {
    pub key_id: Option<i64>,
    pub account: Account,
    /// The player of the log; `None` for operators.
    pub own_player: Option<i64>,
    pub event_id: i64,
    /// Epoch milliseconds.
    pub event_time: i64,
}

impl Condition {
    fn concerns(&self, report: &ReportOrigin) -> bool {
        let is_target = match self.target {
            Target::Key(id) => report.key_id == Some(id),
            Target::Account(account) => report.account == account,
            Target::OwnLog(player_id) => report.own_player == Some(player_id),
            Target::Event(id) => report.event_id == id,
        };
        let is_in_time = self.from.is_none_or(|from| report.event_time >= from)
            && self.until.is_none_or(|until| report.event_time < until);
        is_target && is_in_time
    }
}

/// What the conditions in force, oldest first, do to a report: of `remove` and `restore`, and of `block` and `unblock`, the last one that
/// concerns the report decides.
pub fn removal_under(conditions: &[Condition], report: &ReportOrigin) -> Option<Removal> {
    let last = |one: Action, other: Action| {
        let mut concerning =
            conditions.iter().filter(|condition| condition.concerns(report)).map(|condition| condition.action);
        concerning.rfind(|action| *action == one || *action == other)
    };
    if last(Action::Block, Action::Unblock) == Some(Action::Block) {
        Some(Removal::Blocked)
    } else if last(Action::Remove, Action::Restore) == Some(Action::Remove) {
        Some(Removal::Removed)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: ReportOrigin = ReportOrigin {
        key_id: Some(3),
        account: Account::User(7),
        own_player: Some(20),
        event_id: 100,
        event_time: 5_000,
    };

    fn condition(action: Action, target: Target) -> Condition {
        Condition { action, target, from: None, until: None }
    }

    fn removal(conditions: &[Condition]) -> Option<Removal> {
        removal_under(conditions, &REPORT)
    }

    #[test]
    fn a_condition_concerns_its_target_only() {
        for target in [Target::Key(3), Target::Account(Account::User(7)), Target::OwnLog(20), Target::Event(100)] {
            assert_eq!(removal(&[condition(Action::Remove, target)]), Some(Removal::Removed), "{target:?}");
        }
        for target in [Target::Key(4), Target::Account(Account::Operator), Target::OwnLog(21), Target::Event(99)] {
            assert_eq!(removal(&[condition(Action::Remove, target)]), None, "{target:?}");
        }
    }

    #[test]
    fn a_time_range_excludes_its_end() {
        let within = |from, until| {
            removal(&[Condition { from: Some(from), until: Some(until), ..condition(Action::Remove, Target::Key(3)) }])
        };
        assert_eq!(within(5_000, 5_001), Some(Removal::Removed));
        assert_eq!(within(4_000, 5_000), None);
        assert_eq!(within(5_001, 6_000), None);
    }

    #[test]
    fn the_last_action_decides_and_a_block_is_stronger_than_a_removal() {
        let remove = condition(Action::Remove, Target::Event(100));
        let restore = condition(Action::Restore, Target::Event(100));
        let block = condition(Action::Block, Target::Account(Account::User(7)));
        let unblock = condition(Action::Unblock, Target::Account(Account::User(7)));
        assert_eq!(removal(&[remove, restore]), None);
        assert_eq!(removal(&[restore, remove]), Some(Removal::Removed));
        assert_eq!(removal(&[remove, block]), Some(Removal::Blocked));
        assert_eq!(removal(&[remove, block, unblock]), Some(Removal::Removed));
    }
}

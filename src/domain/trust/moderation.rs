//! What admins do, and to which reports.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reporter::Account;

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

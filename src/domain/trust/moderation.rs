//! What admins do to events: actions and their targets, as the history stores them.

use serde::Serialize;
use utoipa::ToSchema;

/// What an admin does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = EntryAction)]
#[repr(i16)]
pub enum Action {
    /// The events never count. For keys and accounts: their reports never count.
    Void = 1,
    /// The events do not count until they are released.
    Hold = 2,
    /// Held events count again.
    Release = 3,
    /// Reverts an earlier entry.
    Undo = 4,
}

impl Action {
    const ALL: [Self; 4] = [Self::Void, Self::Hold, Self::Release, Self::Undo];

    pub fn code(self) -> i16 {
        self as i16
    }

    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.code() == code)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::Hold => "hold",
            Self::Release => "release",
            Self::Undo => "undo",
        }
    }
}

/// The kind of an action's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ModerationTarget)]
#[repr(i16)]
pub enum TargetKind {
    Key = 1,
    Account = 2,
    Player = 3,
    Events = 4,
}

impl TargetKind {
    const ALL: [Self; 4] = [Self::Key, Self::Account, Self::Player, Self::Events];

    pub fn code(self) -> i16 {
        self as i16
    }

    pub fn from_code(code: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Account => "account",
            Self::Player => "player",
            Self::Events => "events",
        }
    }

    /// Whether the target is a reporter: then its reports are voided instead of events.
    pub fn is_reporter(self) -> bool {
        matches!(self, Self::Key | Self::Account)
    }
}

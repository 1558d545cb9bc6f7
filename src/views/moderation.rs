//! Moderation: requests of admins, and the history of what they did.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::trust::{Action, State, TargetKind};
use crate::store::moderation::{self, ModerationRow};
use crate::views::secs;

/// What an admin does to events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ModerationAction {
    Void,
    Hold,
    Release,
}

impl From<ModerationAction> for Action {
    fn from(action: ModerationAction) -> Self {
        match action {
            ModerationAction::Void => Self::Void,
            ModerationAction::Hold => Self::Hold,
            ModerationAction::Release => Self::Release,
        }
    }
}

/// The events of an action: exactly one of `key`, `account`, `player` and `events`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, ToSchema)]
pub struct ModerationSelect {
    /// The id of an ingest key.
    pub key: Option<i64>,
    /// The Discord id of an account.
    pub account: Option<String>,
    /// The handle of a player.
    pub player: Option<String>,
    /// The ids of at most 1,000 events.
    pub events: Option<Vec<i64>>,
    /// Epoch seconds: only events at or after this time.
    pub from: Option<i64>,
    /// Epoch seconds: only events before this time.
    pub until: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
pub struct ModerationRequest {
    pub action: ModerationAction,
    pub select: ModerationSelect,
    /// 1 to 500 characters, shown to admins. Not needed for a preview.
    #[serde(default)]
    pub reason: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
pub struct UndoRequest {
    /// 1 to 500 characters, shown to admins.
    pub reason: String,
}

/// The change of a player's overall score.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ScoreEffect {
    pub handle: String,
    pub before: i64,
    pub after: i64,
}

/// What an action would change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct ModerationPreview {
    pub events: i64,
    /// Reports that would become void.
    pub reports: i64,
    /// Players whose overall score would change.
    pub players: i64,
    /// At most 20 of them, largest change first.
    pub effect: Vec<ScoreEffect>,
}

/// State of an entry of the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryState {
    Running,
    Done,
}

/// An entry of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ModerationEntry {
    pub id: i64,
    /// Epoch seconds.
    pub at: i64,
    pub action: Action,
    /// For `undo`, the target of the entry that it reverts.
    pub target: TargetKind,
    /// The id of the key, the handle of the player, or the number of events; null for an account and a hidden player.
    pub name: Option<String>,
    pub reason: String,
    pub state: EntryState,
    /// Events that are processed, of `total`.
    pub done: i64,
    pub total: i64,
    /// The entry that reverts this one.
    pub undone_by: Option<i64>,
    /// The entry that this one reverts.
    pub undoes: Option<i64>,
}

impl From<ModerationRow> for ModerationEntry {
    fn from(row: ModerationRow) -> Self {
        Self {
            id: row.id,
            at: secs(row.at),
            action: Action::from_code(row.action).unwrap_or(Action::Undo),
            target: TargetKind::from_code(row.target).unwrap_or(TargetKind::Events),
            name: row.name,
            reason: row.reason,
            state: if row.state == moderation::RUNNING { EntryState::Running } else { EntryState::Done },
            done: row.done,
            total: row.total,
            undone_by: row.undone_by,
            undoes: row.undoes,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct StartedEntry {
    pub entry: ModerationEntry,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ModerationPage {
    /// Newest first.
    pub data: Vec<ModerationEntry>,
    /// The value of `before` for the next page; null at the end.
    pub next: Option<i64>,
}

/// The key of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct EventKey {
    pub id: i64,
    pub name: String,
}

/// An event as admins see it, with its state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminEvent {
    pub id: i64,
    /// Epoch seconds.
    pub event_time: i64,
    /// Epoch seconds; null if unknown.
    pub received_at: Option<i64>,
    pub identifier: &'static str,
    pub state: State,
    pub grade: &'static str,
    /// The key of the report that stands; null for imported events.
    pub key: Option<EventKey>,
    /// Number of reports that are not void.
    pub reports: i32,
    pub killer: Option<String>,
    pub victim: Option<String>,
    pub player: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AdminEventPage {
    /// Newest first, by id.
    pub data: Vec<AdminEvent>,
    /// The value of `before` for the next page; null at the end.
    pub next: Option<i64>,
}

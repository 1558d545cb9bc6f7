//! Moderation: requests of admins, and the history of what they did.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::trust::Action;
use crate::store::moderation::ModerationRow;
use crate::views::secs;

/// What an action concerns: exactly one of the first five.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(default)]
pub struct ModerationTarget {
    /// The id of an ingest key.
    pub key: Option<i64>,
    /// The Discord id of an account.
    pub account: Option<String>,
    /// The handle of a player. To remove or restore: the reports from the player's own log.
    pub player: Option<String>,
    /// The id of an event.
    pub event: Option<i64>,
    /// A patch, such as `4.3.2`.
    pub patch: Option<String>,
    /// Epoch seconds: only reports of events at or after this time.
    pub from: Option<i64>,
    /// Epoch seconds: only reports of events before this time.
    pub until: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
pub struct ModerationRequest {
    /// `block` and `unblock` a key or an account; `remove` and `restore` an event, or the reports of a key, an account or a player;
    /// `pin` a patch; `rename` a player; `merge` a player into another one.
    pub action: Action,
    pub target: ModerationTarget,
    /// The new handle of a renamed player, or the handle of the player that a merged one becomes.
    pub handle: Option<String>,
    /// 1 to 500 characters. Visitors see the reason for which an event is removed.
    pub reason: String,
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
    /// Such as `key 7`, `event 12`, the name of a patch or the handle of a player.
    pub target: String,
    /// The new handle, or the player that a merged one becomes.
    pub handle: Option<String>,
    /// Epoch seconds.
    pub from: Option<i64>,
    pub until: Option<i64>,
    pub reason: String,
    /// Running while the entry, or its undoing, is applied to stored reports.
    pub state: EntryState,
    /// Reports that are processed, of `total`.
    pub done: i64,
    pub total: i64,
    /// Epoch seconds; null unless it is undone.
    pub undone_at: Option<i64>,
}

impl From<ModerationRow> for ModerationEntry {
    fn from(row: ModerationRow) -> Self {
        Self {
            id: row.id,
            at: secs(row.at),
            action: row.action().unwrap_or(Action::Remove),
            target: row.name.unwrap_or_default(),
            handle: row.argument,
            from: row.from_time.map(secs),
            until: row.until_time.map(secs),
            reason: row.reason,
            state: if row.is_applied { EntryState::Done } else { EntryState::Running },
            done: row.done,
            total: row.total,
            undone_at: row.undone_at.map(secs),
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

/// A report as admins see it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminReport {
    /// The id of the event.
    pub event: i64,
    /// Epoch seconds.
    pub event_time: i64,
    /// Epoch seconds; null if unknown.
    pub received_at: Option<i64>,
    pub identifier: &'static str,
    /// `counted`, `waiting` for its patch, `other_channel`, `removed` or `blocked`.
    pub state: &'static str,
    /// The key that reported it; null for imported events.
    pub key: Option<i64>,
    pub killer: Option<String>,
    pub victim: Option<String>,
    pub player: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AdminReportPage {
    /// The number of all selected reports.
    pub total: i64,
    pub data: Vec<AdminReport>,
    /// The value of `after` for the next page; null at the end.
    pub next: Option<i64>,
}

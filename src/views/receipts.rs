//! What a score of a player consists of.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::scores::Metric;
use crate::views::activity::ActivityRow;
use crate::views::tlog::LogPosition;

/// The part of a score that events of a grade account for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReceiptGrade {
    pub grade: &'static str,
    pub value: i64,
}

/// How many events of the player do not count in the score for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReceiptReason {
    pub reason: &'static str,
    pub events: i64,
}

/// An event of a receipt.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ReceiptEvent {
    pub event: ActivityRow,
    /// Whether the score contains the event.
    pub counts: bool,
    /// Why it does not.
    pub reasons: Vec<&'static str>,
}

/// A session of a receipt. Its time counts at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ReceiptSession {
    /// Epoch seconds.
    pub login_at: i64,
    /// Epoch seconds.
    pub ended_at: i64,
    /// Seconds.
    pub playtime: i64,
}

/// What a score of a player consists of: `value` is the sum of `grades` and `imported`, for playtime of all sessions and `imported`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Receipt {
    pub handle: String,
    pub metric: Metric,
    /// `all`, `24h`, `7d`, `30d` or `patch`.
    pub window: &'static str,
    pub value: i64,
    /// Null without a score. Equal scores share a rank.
    pub rank: Option<i64>,
    /// The version of the rules that decide which events count.
    pub rules: u32,
    /// Empty for playtime, which rests on sessions.
    pub grades: Vec<ReceiptGrade>,
    /// Figures that an import brought without events.
    pub imported: i64,
    /// Events that do not count, the most frequent reason first. An event with two reasons is in both.
    pub withheld: Vec<ReceiptReason>,
    /// Events that stand, newest first; empty for playtime.
    pub events: Vec<ReceiptEvent>,
    /// Sessions, newest first; empty for other metrics.
    pub sessions: Vec<ReceiptSession>,
    /// `before` of the next page; null on the last one.
    pub next: Option<String>,
    /// Null before the first checkpoint.
    pub checkpoint: Option<LogPosition>,
}

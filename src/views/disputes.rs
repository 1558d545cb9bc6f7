//! Disputes: of the signed-in player, and as admins see them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::trust::DisputeOutcome;
use crate::store::disputes::DisputeRow;
use crate::views::activity::ActivityRow;
use crate::views::moderation::AdminEvent;
use crate::views::secs;

/// State of a dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisputeState {
    /// An admin has not decided yet.
    Open,
    /// The event never counts.
    Upheld,
    /// The event counts.
    Dismissed,
    /// The event became void for another reason.
    EventVoid,
    /// The player took the dispute back.
    Withdrawn,
}

impl From<Option<DisputeOutcome>> for DisputeState {
    fn from(outcome: Option<DisputeOutcome>) -> Self {
        match outcome {
            None => Self::Open,
            Some(DisputeOutcome::Upheld) => Self::Upheld,
            Some(DisputeOutcome::Dismissed) => Self::Dismissed,
            Some(DisputeOutcome::EventVoid) => Self::EventVoid,
            Some(DisputeOutcome::Withdrawn) => Self::Withdrawn,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
pub struct DisputeRequest {
    /// 1 to 500 characters, shown to admins.
    #[serde(default)]
    pub reason: String,
}

/// A dispute of the signed-in user.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct OwnDispute {
    pub id: i64,
    pub event_id: String,
    pub reason: String,
    /// Epoch seconds.
    pub created_at: i64,
    pub state: DisputeState,
    /// Epoch seconds; null while the dispute is open.
    pub decided_at: Option<i64>,
    /// Whether the event does not count because it is disputed.
    pub is_suspended: bool,
    /// The entry of the public ledger that decided the dispute.
    pub entry: Option<i64>,
}

impl OwnDispute {
    pub fn new(row: DisputeRow, is_suspended: bool) -> Self {
        Self {
            id: row.id,
            event_id: row.event_id.to_string(),
            state: row.outcome().into(),
            reason: row.reason,
            created_at: secs(row.created_at),
            decided_at: row.decided_at.map(secs),
            is_suspended,
            entry: row.ledger_id,
        }
    }
}

/// What became of a dispute.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct DisputeAnswer {
    pub dispute: OwnDispute,
    /// Whether the event counts, as a sentence.
    pub message: String,
    /// How many more events the user can dispute today (UTC).
    pub left_today: i64,
}

/// A dispute of the signed-in user with its event.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct DisputedEvent {
    pub dispute: OwnDispute,
    /// Null if the event no longer exists.
    pub event: Option<ActivityRow>,
}

/// A page of the user's disputes.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct DisputePage {
    /// Newest first.
    pub data: Vec<DisputedEvent>,
    /// How many more events the user can dispute today (UTC).
    pub left_today: i64,
    /// `before` of the next page; null on the last one.
    pub next: Option<i64>,
}

/// The account that disputes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct DisputeAccount {
    pub discord_id: String,
    pub name: String,
}

/// What an event changes of a player's overall score while it counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Stake {
    pub handle: String,
    pub points: i64,
}

/// A dispute as admins see it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct AdminDispute {
    pub id: i64,
    /// Null if the event no longer exists.
    pub event: Option<AdminEvent>,
    /// The player who disputes.
    pub player: Option<String>,
    pub account: Option<DisputeAccount>,
    pub reason: String,
    /// Epoch seconds.
    pub created_at: i64,
    pub state: DisputeState,
    /// Epoch seconds; null while the dispute is open.
    pub decided_at: Option<i64>,
    /// Whether the event does not count because it is disputed.
    pub is_suspended: bool,
    /// What the event is worth, the largest change first.
    pub stakes: Vec<Stake>,
    /// The entry of the public ledger that decided the dispute.
    pub entry: Option<i64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct AdminDisputes {
    /// Open disputes, those with the largest effect on scores first, then decided ones, newest first.
    pub data: Vec<AdminDispute>,
}

/// What an admin decides about a dispute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DisputeDecision {
    /// The event never counts.
    Uphold,
    /// The event counts again.
    Dismiss,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, ToSchema)]
pub struct DecisionRequest {
    pub decision: DisputeDecision,
    /// 1 to 500 characters, shown in the public ledger.
    #[serde(default)]
    pub reason: String,
}

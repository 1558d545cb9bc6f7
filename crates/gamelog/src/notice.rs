//! Notices: what the game tells on the screen, recognized by how the text begins.

use serde::Deserialize;

/// Minimum length of the beginning of a notice: a short word and a colon.
const MIN_NOTICE_CHARS: usize = 3;

/// The meaning of a notification, recognized by the beginning of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Notice {
    Accepted,
    Complete,
    Failed,
    Withdrawn,
    Abandoned,
    NewObjective,
    ObjectiveComplete,
    Downed,
    Blueprint,
    Payout,
}

/// Returns true for the beginning of a notice as the game writes it in any language: `Contract Accepted:`, `接受合约：`.
pub(super) fn is_label(begins: &str) -> bool {
    begins.chars().count() >= MIN_NOTICE_CHARS && begins.ends_with([':', '：'])
}

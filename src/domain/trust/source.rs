//! The sender of a report as the API names it.

use serde::Serialize;
use utoipa::ToSchema;

use super::assessment::Voice;
use crate::domain::counters::Side;

/// What the sender of a report is to the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportSource {
    /// The operator of the site.
    Operator,
    /// The account that claimed the player on this side, from the player's own log.
    Killer,
    Victim,
    Player,
    /// The log of a player in the event whom no account has claimed.
    Unclaimed,
    /// An account that did not take part.
    ThirdParty,
}

impl ReportSource {
    pub fn of(voice: Voice) -> Self {
        match voice {
            Voice::Operator => Self::Operator,
            Voice::Party(Side::Killer) => Self::Killer,
            Voice::Party(Side::Victim) => Self::Victim,
            Voice::Party(Side::Player) => Self::Player,
            Voice::Unclaimed(_) => Self::Unclaimed,
            Voice::ThirdParty => Self::ThirdParty,
        }
    }
}

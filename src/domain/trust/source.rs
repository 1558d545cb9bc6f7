//! The sender of a report as the API and exports name it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::assessment::{Provenance, Voice};
use crate::domain::counters::Side;

/// What the sender of a report is to the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
    /// The report arrived before sources were stored.
    Unknown,
}

impl ReportSource {
    pub fn of(provenance: Option<Provenance>) -> Self {
        match provenance.map(|known| known.voice) {
            None => Self::Unknown,
            Some(Voice::Operator) => Self::Operator,
            Some(Voice::Party(Side::Killer)) => Self::Killer,
            Some(Voice::Party(Side::Victim)) => Self::Victim,
            Some(Voice::Party(Side::Player)) => Self::Player,
            Some(Voice::Unclaimed(_)) => Self::Unclaimed,
            Some(Voice::ThirdParty) => Self::ThirdParty,
        }
    }

    /// The voice of the sender; `None` if it is unknown. The side of an unclaimed player is not named, and no rule depends on it.
    pub fn voice(self) -> Option<Voice> {
        Some(match self {
            Self::Operator => Voice::Operator,
            Self::Killer => Voice::Party(Side::Killer),
            Self::Victim => Voice::Party(Side::Victim),
            Self::Player => Voice::Party(Side::Player),
            Self::Unclaimed => Voice::Unclaimed(Side::Player),
            Self::ThirdParty => Voice::ThirdParty,
            Self::Unknown => return None,
        })
    }
}

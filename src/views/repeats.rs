//! Repeated kills that do not count.

use serde::Serialize;
use utoipa::ToSchema;

/// A player with withheld kills.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct WithheldKiller {
    pub handle: String,
    /// Kills that do not count because they are repeated.
    pub withheld: i64,
    /// Kills of players in the persistent universe that count.
    pub counted: i64,
}

/// Two players with withheld kills of each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct WithheldPair {
    pub players: [String; 2],
    pub withheld: i64,
}

/// A circle of claimed players in the last 90 days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct WithheldCircle {
    pub players: Vec<String>,
    /// Withheld kills between its members in that time.
    pub withheld: i64,
}

/// What the rule of repeated kills withholds; each list begins with the largest effect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct WithheldKills {
    /// All withheld kills.
    pub total: i64,
    /// The share of repeats that counts, in percent of the different people fought in 90 days.
    pub share: u32,
    pub killers: Vec<WithheldKiller>,
    pub pairs: Vec<WithheldPair>,
    pub circles: Vec<WithheldCircle>,
}

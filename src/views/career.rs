//! The career of a player.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::scores::Progress;

/// What a player does in the Persistent Universe. Times are epoch seconds, durations seconds.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CareerView {
    /// For each UTC day: one point for six minutes in the universe, and five for a contract, at most ten times the points for time.
    pub career: i64,
    pub rank_career: Option<i64>,
    /// The level by `career`.
    pub progress: Progress,
    pub contracts_completed: i64,
    /// Time in the universe without loading and menus.
    pub universe_time: i64,
    pub ships_flown: i64,
    pub rank_ships_flown: Option<i64>,
    /// The longest universe time between two deaths, the running life included.
    pub longest_life: i64,
    /// Deaths in the universe that the log tells: builds since 4.4 tell none.
    pub deaths: i64,
    /// Universe time per death; null without deaths.
    pub survival: Option<i64>,
    /// How often the player was incapacitated.
    pub downed: i64,
    pub ship_crashes: i64,
    pub game_crashes: i64,
    /// Completed contracts as a percentage of all that ended, one decimal; null if none did.
    pub contract_success: Option<f64>,
    /// The median time from acceptance to end, of contracts of which the log tells both.
    pub contract_duration: Option<i64>,
    /// The newest days, oldest first. Days without play are 0.
    pub days: Vec<CareerDay>,
    /// Contracts by giver, most completed first.
    pub givers: Vec<GiverRow>,
    /// Ships by uses, most first.
    pub ships: Vec<ShipFlown>,
    /// The number of distinct blueprints.
    pub blueprints_received: i64,
    /// Distinct blueprints, newest first. A name is shown once an operator or three accounts have reported it.
    pub blueprints: Vec<Blueprint>,
    pub records: CareerRecords,
    /// The stickers that the career has earned, newest first.
    pub stickers: Vec<EarnedSticker>,
    /// Null unless the owner of the player shares it.
    pub pay: Option<Pay>,
    /// Places by visits, most first; null unless the owner of the player shares them.
    pub places: Option<Vec<PlaceRow>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CareerDay {
    /// UTC, `YYYY-MM-DD`.
    pub day: String,
    pub universe_time: i64,
    pub contracts: i64,
    pub career: i64,
}

/// Contracts of one giver.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GiverRow {
    /// Null if the log does not name it.
    pub giver: Option<String>,
    pub completed: i64,
    pub failed: i64,
    pub abandoned: i64,
    /// The median time from acceptance to end.
    pub duration: Option<i64>,
    /// Completed contracts as a percentage of all that ended, one decimal.
    pub success: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ShipFlown {
    /// Class of the ship in the game's log.
    pub id: String,
    pub name: String,
    pub uses: i64,
    /// Time in the ship of the uses of which the log tells both ends.
    pub timed: i64,
    pub last_flown: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Blueprint {
    pub name: String,
    /// When it was first received.
    pub received_at: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CareerRecords {
    pub longest_stay: i64,
    pub most_contracts_in_a_day: i64,
    /// The quickest completed contract of each kind.
    pub quickest: Vec<QuickestContract>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct QuickestContract {
    pub kind: String,
    pub seconds: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct EarnedSticker {
    pub id: String,
    /// When the last event that it needed happened.
    pub earned_at: i64,
}

/// Pay for contracts. The log tells it of some contracts only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Pay {
    /// In aUEC; at least this much.
    pub total: i64,
    pub payouts: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlaceRow {
    /// Class of the place in the game's log.
    pub id: String,
    pub name: String,
    pub visits: i64,
}

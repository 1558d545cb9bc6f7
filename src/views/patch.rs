//! Totals of a patch and of the site.

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Counts {
    pub players: i64,
    pub orgs: i64,
}

/// Uses of a vehicle, or kills with a weapon.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MostUsed {
    pub name: String,
    pub uses: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MostCommonMission {
    pub name: String,
    pub accepted: i64,
    pub completed: i64,
}

/// PU totals of all players in a patch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct PatchStats {
    pub npc_kills: i64,
    pub player_kills: i64,
    pub vehicle_destructions: i64,
    pub most_used_vehicle: Option<MostUsed>,
    pub most_used_weapon: Option<MostUsed>,
    pub most_common_mission: Option<MostCommonMission>,
    pub career: PatchCareer,
}

/// What all players have done in the Persistent Universe in a patch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct PatchCareer {
    pub contracts_completed: i64,
    /// Seconds.
    pub universe_time: i64,
    /// Ships that players flew for the first time.
    pub ships_flown: i64,
    /// The giver of most completed contracts.
    pub top_giver: Option<MostUsed>,
    /// The median loading time in seconds.
    pub loading_time: Option<i64>,
    /// Crashes of the game per 100 hours in the universe, one decimal; null with fewer than five players.
    pub crashes_per_100_hours: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PatchView {
    pub patch: String,
    pub stats: PatchStats,
}

/// A patch of events, as `apogee patch list` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PatchStatus {
    pub name: String,
    /// `pinned`, `adopted` or `not adopted`.
    pub state: &'static str,
    pub is_current: bool,
}

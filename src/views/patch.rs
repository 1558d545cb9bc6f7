//! The figures of a patch and of the whole site.

use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Counts {
    pub players: i64,
    pub orgs: i64,
}

/// How often a vehicle was boarded or a weapon killed.
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

/// PU figures of all players over one patch.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PatchStats {
    pub npc_kills: i64,
    pub player_kills: i64,
    pub vehicle_destructions: i64,
    pub most_used_vehicle: Option<MostUsed>,
    pub most_used_weapon: Option<MostUsed>,
    pub most_common_mission: Option<MostCommonMission>,
}

#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PatchView {
    pub patch: String,
    pub stats: PatchStats,
}

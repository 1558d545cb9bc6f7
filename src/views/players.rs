//! Players in leaderboards and on player pages.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::counters::{Counter, CountersByMode};
use crate::domain::scores::Progress;

/// A row of the player leaderboard. Its texts are shared with the row cache.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PlayerRow {
    /// Equal scores share a rank.
    pub rank: i64,
    /// Ranks gained (positive) or lost since the UTC day began. Null in windows and without a rank at that time.
    pub movement: Option<i64>,
    #[schema(value_type = String)]
    pub id: Arc<str>,
    #[schema(value_type = String)]
    pub player_name: Arc<str>,
    #[schema(value_type = String)]
    pub handle: Arc<str>,
    #[schema(value_type = Option<String>)]
    pub player_geid: Option<Arc<str>>,
    #[schema(value_type = Option<String>)]
    pub org_short: Option<Arc<str>>,
    #[schema(value_type = Option<String>)]
    pub org_name: Option<Arc<str>>,
    pub overall: i64,
    pub pu_player_kills: i64,
    pub pve_kills: i64,
    pub vehicle_destructions: i64,
    pub missions_completed: i64,
    /// Seconds.
    pub playtime: i64,
    pub career: i64,
    pub ships_flown: i64,
    /// Time in the Persistent Universe without loading and menus, in seconds.
    pub universe_time: i64,
    /// Epoch seconds; null if never seen.
    pub last_active: Option<i64>,
    #[schema(value_type = Option<String>)]
    pub profile_image: Option<Arc<str>>,
    #[schema(value_type = Option<String>)]
    pub banner_image: Option<Arc<str>>,
    /// Sticker ids, at most four; null if the player never chose any.
    #[schema(value_type = Option<Vec<String>>)]
    pub stickers: Option<Arc<[String]>>,
}

/// The ten counters in both game modes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub struct GameStats {
    pub pu_player_kills: i64,
    pub pu_player_deaths: i64,
    pub pu_npc_kills: i64,
    pub pu_npc_deaths: i64,
    pub pu_vehicle_soft_death_caused: i64,
    pub pu_vehicle_soft_death_received: i64,
    pub pu_vehicle_destruction_caused: i64,
    pub pu_vehicle_destruction_received: i64,
    pub pu_vehicle_instant_destruction_caused: i64,
    pub pu_vehicle_instant_destruction_received: i64,
    pub ac_player_kills: i64,
    pub ac_player_deaths: i64,
    pub ac_npc_kills: i64,
    pub ac_npc_deaths: i64,
    pub ac_vehicle_soft_death_caused: i64,
    pub ac_vehicle_soft_death_received: i64,
    pub ac_vehicle_destruction_caused: i64,
    pub ac_vehicle_destruction_received: i64,
    pub ac_vehicle_instant_destruction_caused: i64,
    pub ac_vehicle_instant_destruction_received: i64,
    pub unknown_deaths: i64,
    pub player_geid: Option<String>,
    pub player_name: String,
    /// Epoch seconds of the last event.
    pub last_updated: Option<i64>,
}

impl GameStats {
    pub fn from_counters(CountersByMode { pu, ac }: CountersByMode) -> Self {
        Self {
            pu_player_kills: pu[Counter::PlayerKills],
            pu_player_deaths: pu[Counter::PlayerDeaths],
            pu_npc_kills: pu[Counter::NpcKills],
            pu_npc_deaths: pu[Counter::NpcDeaths],
            pu_vehicle_soft_death_caused: pu[Counter::SoftDeathCaused],
            pu_vehicle_soft_death_received: pu[Counter::SoftDeathReceived],
            pu_vehicle_destruction_caused: pu[Counter::DestructionCaused],
            pu_vehicle_destruction_received: pu[Counter::DestructionReceived],
            pu_vehicle_instant_destruction_caused: pu[Counter::InstantDestructionCaused],
            pu_vehicle_instant_destruction_received: pu[Counter::InstantDestructionReceived],
            ac_player_kills: ac[Counter::PlayerKills],
            ac_player_deaths: ac[Counter::PlayerDeaths],
            ac_npc_kills: ac[Counter::NpcKills],
            ac_npc_deaths: ac[Counter::NpcDeaths],
            ac_vehicle_soft_death_caused: ac[Counter::SoftDeathCaused],
            ac_vehicle_soft_death_received: ac[Counter::SoftDeathReceived],
            ac_vehicle_destruction_caused: ac[Counter::DestructionCaused],
            ac_vehicle_destruction_received: ac[Counter::DestructionReceived],
            ac_vehicle_instant_destruction_caused: ac[Counter::InstantDestructionCaused],
            ac_vehicle_instant_destruction_received: ac[Counter::InstantDestructionReceived],
            ..Self::default()
        }
    }
}

/// A value of the lifetime panel.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct LifetimeStat {
    pub label: &'static str,
    pub value: f64,
    /// Percentage of the total, 0 to 100, if there is a total.
    pub percentage: Option<f64>,
    #[serde(rename = "iconColor")]
    pub icon_color: &'static str,
}

/// Totals of a player over all time.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lifetime {
    /// Hours, one decimal.
    pub playtime_hours: f64,
    /// Reported sessions.
    pub total_matches: i64,
    pub main_stats: Vec<LifetimeStat>,
    pub detailed_stats: Vec<LifetimeStat>,
}

/// A player page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PlayerView {
    pub id: String,
    pub handle: String,
    pub player_name: String,
    pub player_geid: Option<String>,
    pub org_short: Option<String>,
    pub org_name: Option<String>,
    /// The best of the four ranks.
    pub rank: Option<i64>,
    pub rank_overall: Option<i64>,
    pub rank_pvp: Option<i64>,
    pub rank_pve: Option<i64>,
    pub rank_vehicle: Option<i64>,
    pub rank_missions: Option<i64>,
    pub rank_playtime: Option<i64>,
    pub rank_career: Option<i64>,
    pub rank_ships_flown: Option<i64>,
    /// Whether the page shows the career first.
    pub opens_on_career: bool,
    /// Percentage of ranked players at or below this score, one decimal.
    pub percentile_overall: Option<f64>,
    pub overall: i64,
    pub pu_player_kills: i64,
    pub pve_kills: i64,
    pub vehicle_destructions: i64,
    pub missions_completed: i64,
    /// Seconds.
    pub playtime: i64,
    pub career: i64,
    pub ships_flown: i64,
    /// Time in the Persistent Universe without loading and menus, in seconds.
    pub universe_time: i64,
    pub unknown_deaths: i64,
    pub profile_views: i64,
    pub is_claimed: bool,
    pub is_hidden: bool,
    pub is_hidden_but_visible: bool,
    pub is_profile_hidden: bool,
    pub viewing_as_admin: bool,
    pub viewing_as_owner: bool,
    #[serde(rename = "profileImage")]
    pub profile_image: Option<String>,
    #[serde(rename = "bannerImage")]
    pub banner_image: Option<String>,
    pub stickers: Option<Vec<String>>,
    pub game_stats: GameStats,
    /// Human kills per death over both modes, two decimals.
    pub kd_human: f64,
    /// NPC kills per death by an NPC over both modes, two decimals.
    pub kd_npc: f64,
    pub vehicle_data: VehicleData,
    pub lifetime: Lifetime,
    pub progress: Progress,
    pub patch: String,
    /// Epoch seconds.
    pub last_active: Option<i64>,
}

/// Vehicles destroyed and lost, instant destructions included.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct VehicleData {
    pub destroyed: i64,
    pub lost: i64,
}

/// A hidden player as other users see it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(deny_unknown_fields)] // So that the schema distinguishes it from a complete page.
pub struct HiddenPlayer {
    pub handle: String,
    pub is_hidden: bool,
}

/// A player page, or the placeholder of a hidden player.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)]
pub enum PlayerPage {
    Full(PlayerView),
    Hidden(HiddenPlayer),
}

/// Kills with a weapon.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct WeaponRow {
    /// Class of the weapon in the game's log.
    pub id: String,
    pub name: String,
    /// `FPS`, `Ship`, `Missile`, … or `Weapon`.
    pub r#type: String,
    pub kills: i64,
    pub usage_count: i64,
    /// Always null: the log does not contain it.
    #[serde(rename = "headshotPercentage")]
    pub headshot_percentage: Option<f64>,
}

/// Uses of a vehicle.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct VehicleRow {
    /// Class of the vehicle in the game's log.
    pub id: String,
    pub name: String,
    /// Its role, or `Vehicle`.
    pub r#type: String,
    #[serde(rename = "timesEntered")]
    pub times_entered: i64,
    pub usage_count: i64,
}

/// Acceptances and completions of a contract.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MissionRow {
    pub id: String,
    pub contract_name: String,
    pub name: String,
    /// `Hauling`, `Bounty Hunting`, `Mining`, … from the contract's class or title; otherwise `Contract`.
    pub r#type: &'static str,
    pub missions_accepted: i64,
    pub accepted: i64,
    pub missions_completed: i64,
    pub completed: i64,
    /// Percentage of accepted contracts that were completed, one decimal; null if none was accepted.
    pub success_rate: Option<f64>,
}

/// One day of a series.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct DayValue {
    /// `YYYY-MM-DD`, UTC.
    pub day: String,
    pub value: i64,
}

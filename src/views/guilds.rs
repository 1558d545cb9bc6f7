//! Guilds in leaderboards and on guild pages.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use crate::store::guilds::{GiverRow, GuildRow as StoredGuild};
use crate::store::ingest::ScoreRow;
use crate::store::players::PlayerRow as Player;
use crate::views::secs_or_none;

/// A row of the guild leaderboard. Values are sums over current members.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GuildRow {
    pub rank: i64,
    /// Ranks gained (positive) or lost since the UTC day began. Null in windows and without a rank at that time.
    pub movement: Option<i64>,
    #[schema(value_type = String)]
    pub org_short: Arc<str>,
    #[schema(value_type = String)]
    pub org_name: Arc<str>,
    #[schema(value_type = Option<String>)]
    pub guild_image: Option<Arc<str>>,
    #[schema(value_type = Option<String>)]
    pub banner_image: Option<Arc<str>>,
    pub pu_player_kills: i64,
    pub pu_npc_kills: i64,
    /// Instant destructions included.
    pub pu_vehicle_destruction_caused: i64,
    pub overall: i64,
    pub missions_completed: i64,
    /// Seconds.
    pub playtime: i64,
    pub career: i64,
    pub ships_flown: i64,
    /// Time in the Persistent Universe without loading and menus, in seconds.
    pub universe_time: i64,
    /// Seen in the last 30 days.
    pub active_member_count: i64,
    /// Members with a player on this site.
    pub total_member_count: i64,
    /// Member count of the game's site, or the number of members with a player on this site.
    pub member_count: i64,
}

/// A member of a guild.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GuildMember {
    pub handle: String,
    pub player_name: String,
    pub overall: i64,
    pub overall_score: i64,
    pub pu_player_kills: i64,
    pub pu_npc_kills: i64,
    pub pu_vehicle_destruction_caused: i64,
    pub missions_completed: i64,
    pub playtime: i64,
    pub career: i64,
    pub ships_flown: i64,
    /// Time in the Persistent Universe without loading and menus, in seconds.
    pub universe_time: i64,
    pub profile_image: Option<String>,
    pub banner_image: Option<String>,
    /// Epoch seconds of the last event.
    pub last_updated: Option<i64>,
    pub date_last_updated: Option<i64>,
}

impl From<(Player, Option<ScoreRow>)> for GuildMember {
    fn from((player, scores): (Player, Option<ScoreRow>)) -> Self {
        let last = scores.as_ref().and_then(|row| secs_or_none(row.last_active_at));
        let scores = scores.map(|row| row.scores).unwrap_or_default();
        Self {
            handle: player.handle,
            player_name: player.player_name,
            overall: scores.overall(),
            overall_score: scores.overall(),
            pu_player_kills: scores.pu_player_kills,
            pu_npc_kills: scores.pve_kills,
            pu_vehicle_destruction_caused: scores.vehicle_destructions,
            missions_completed: scores.missions_completed,
            playtime: scores.playtime,
            career: scores.career,
            ships_flown: scores.ships_flown,
            universe_time: scores.universe_time,
            profile_image: player.profile_image,
            banner_image: player.banner_image,
            last_updated: last,
            date_last_updated: last,
        }
    }
}

/// A guild page.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GuildView {
    pub name: String,
    pub short: String,
    pub member_count: i64,
    pub active_member_count: i64,
    pub total_member_count: i64,
    /// The best members, by `career` if rankings open on it, otherwise by `overall`.
    pub top_members: Vec<GuildMember>,
    pub profile_views: i64,
    pub rank_overall: Option<i64>,
    pub rank_pvp: Option<i64>,
    pub rank_pve: Option<i64>,
    pub rank_vehicle: Option<i64>,
    pub rank_career: Option<i64>,
    /// Whether the page shows the career first.
    pub opens_on_career: bool,
    pub overall: i64,
    pub missions_completed: i64,
    /// Seconds, summed over all members.
    pub playtime: i64,
    pub career: i64,
    pub ships_flown: i64,
    /// Time in the Persistent Universe without loading and menus, in seconds.
    pub universe_time: i64,
    pub patch: String,
    pub is_claimed: bool,
    /// Null until the member list was read from the game's site.
    pub roster: Option<GuildRoster>,
}

/// The member list of the game's site.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GuildRoster {
    /// Epoch seconds.
    pub updated_at: i64,
    /// Named members with this as their main organization.
    pub named: i64,
    pub affiliates: i64,
    /// Redacted and hidden members.
    pub unnamed: i64,
    /// Number of members that the game's site shows.
    pub total: i64,
    /// The list was not read completely.
    pub is_partial: bool,
}

/// What the members of a guild do in the Persistent Universe. Sums are over all current members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct GuildCareer {
    pub career: i64,
    pub rank_career: Option<i64>,
    pub contracts_completed: i64,
    /// Time in the Persistent Universe without loading and menus, in seconds.
    pub universe_time: i64,
    /// Contracts of visible members by giver, most completed first; at most 100 givers.
    pub givers: Vec<GuildGiver>,
}

/// Contracts of one giver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct GuildGiver {
    /// Null if the log does not name it.
    pub giver: Option<String>,
    pub completed: i64,
    pub failed: i64,
    pub abandoned: i64,
}

impl From<GiverRow> for GuildGiver {
    fn from(row: GiverRow) -> Self {
        let giver = Some(row.giver).filter(|giver| !giver.is_empty());
        Self { giver, completed: row.completed, failed: row.failed, abandoned: row.abandoned }
    }
}

/// Totals of a guild.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GuildStats {
    pub pu_player_kills: i64,
    pub pu_npc_kills: i64,
    pub pu_vehicle_destruction_caused: i64,
    pub overall: i64,
    pub missions_completed: i64,
    pub playtime: i64,
    pub career: i64,
    pub ships_flown: i64,
    /// Time in the Persistent Universe without loading and menus, in seconds.
    pub universe_time: i64,
}

/// Settings that the owner of a guild chose.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GuildSettings {
    pub guild_image: Option<String>,
    pub banner_image: Option<String>,
    pub discord_link: Option<String>,
}

impl From<StoredGuild> for GuildSettings {
    fn from(guild: StoredGuild) -> Self {
        Self { guild_image: guild.guild_image, banner_image: guild.banner_image, discord_link: guild.discord_link }
    }
}

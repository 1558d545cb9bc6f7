//! The export of all data stored about a user. Times are epoch seconds.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::claims::ClaimKind;
use crate::domain::events::Identifier;
use crate::store::claims::ClaimRow;
use crate::store::guilds::GuildRow as StoredGuild;
use crate::store::ingest::EventRow;
use crate::store::logs::LogRow;
use crate::store::players::Sharing;
use crate::store::sessions::SessionRow;
use crate::store::uploads::UploadRow;
use crate::views::secs;

use super::activity::ActivityRow;
use super::guilds::GuildSettings;
use super::keys::IngestKey;
use super::players::{DayValue, MissionRow, PlayerPage, VehicleRow, WeaponRow};
use super::sessions::UserView;

#[derive(Debug, Serialize, ToSchema)]
pub struct AccountExport {
    pub exported_at: i64,
    pub user: UserView,
    /// Hash of the Discord avatar.
    pub discord_avatar_hash: Option<String>,
    pub last_seen_at: i64,
    pub sessions: Vec<SessionExport>,
    /// Pending claims.
    pub claims: Vec<ClaimExport>,
    /// Times of claim starts and verifications within the last ten minutes.
    #[serde(rename = "claim_tries")]
    pub claim_attempts: Vec<i64>,
    /// Without their secrets, which are not stored.
    pub keys: Vec<IngestKey>,
    /// Logs of the game that these keys have uploaded events from.
    pub logs: Vec<LogRow>,
    pub pictures: Vec<UploadRow>,
    pub guild: Option<GuildExport>,
    pub player: Option<PlayerExport>,
    /// All events that name the player, newest first; pay and places are in `player`.
    pub events: Vec<ActivityRow>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SessionExport {
    /// Browser and system, such as `Firefox on Windows`; empty if unknown.
    pub device: String,
    pub last_seen_at: i64,
    pub created_at: i64,
    pub refreshed_at: i64,
    pub ended_at: Option<i64>,
}

impl From<SessionRow> for SessionExport {
    fn from(session: SessionRow) -> Self {
        Self {
            device: session.device,
            last_seen_at: secs(session.last_seen_at),
            created_at: secs(session.created_at),
            refreshed_at: secs(session.refreshed_at),
            ended_at: session.ended_at.map(secs),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ClaimExport {
    /// `player` or `guild`.
    pub kind: &'static str,
    pub target: String,
    pub code: String,
    pub created_at: i64,
}

impl From<ClaimRow> for ClaimExport {
    fn from(claim: ClaimRow) -> Self {
        Self {
            kind: if claim.kind == ClaimKind::Guild.code() { "guild" } else { "player" },
            target: claim.target,
            code: claim.code,
            created_at: secs(claim.created_at),
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct GuildExport {
    pub tag: String,
    pub settings: GuildSettings,
}

impl From<StoredGuild> for GuildExport {
    fn from(guild: StoredGuild) -> Self {
        Self { tag: guild.tag.clone(), settings: guild.into() }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PlayerExport {
    pub profile: PlayerPage,
    pub former_handles: Vec<FormerHandle>,
    pub sticker_grants: Vec<StickerGrant>,
    pub citizen_record: Option<String>,
    pub guild_rank: Option<String>,
    pub site_avatar_url: Option<String>,
    /// When the player's page on the game's site was read last.
    pub site_read_at: Option<i64>,
    pub weapons: Vec<WeaponRow>,
    pub vehicles: Vec<VehicleRow>,
    pub missions: Vec<MissionRow>,
    /// The overall score of each day with any.
    pub history: Vec<DayValue>,
    pub play_sessions: Vec<PlaySessionExport>,
    pub sharing: Sharing,
    /// Pay and visited places, as far as they are shared, oldest first.
    pub shared: Vec<SharedEvent>,
}

/// An event of a kind that is stored only while it is shared.
#[derive(Debug, Serialize, ToSchema)]
pub struct SharedEvent {
    pub identifier: Option<Identifier>,
    pub event_time: i64,
    /// aUEC.
    pub amount: Option<i64>,
    pub mission_id: Option<String>,
    pub zone: Option<String>,
}

impl From<EventRow> for SharedEvent {
    fn from(row: EventRow) -> Self {
        Self {
            identifier: Identifier::from_code(row.identifier),
            event_time: secs(row.event_time),
            amount: row.details.amount,
            mission_id: row.details.mission_id,
            zone: row.details.zone,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub struct FormerHandle {
    pub handle: String,
    pub until: i64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct StickerGrant {
    pub id: String,
    pub granted_at: i64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct PlaySessionExport {
    pub login_at: i64,
    pub logout_at: Option<i64>,
    pub last_seen_at: i64,
}

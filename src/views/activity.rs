//! A row of a feed.

use std::collections::HashMap;

use serde::Serialize;
use utoipa::ToSchema;

use crate::catalogue;
use crate::domain::events::{GameMode, Identifier, mode_from_code};
use crate::domain::trust::{ReportSource, Voice};
use crate::store::activity::EventNames;
use crate::store::ingest::EventRow;
use crate::store::logs::LogBuild;
use crate::store::players::PlayerRef;
use crate::views::secs;

/// The name of hidden players in feeds.
pub const HIDDEN: &str = "Hidden";

/// The fields of a player that feeds show.
#[derive(Debug, Clone)]
pub struct PlayerSummary {
    pub handle: String,
    pub is_hidden: bool,
    pub profile_image: Option<String>,
    pub org_short: Option<String>,
}

/// An event in a feed. Names are as in the log; friendly names are for display, where the catalogue has one.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ActivityRow {
    pub id: String,
    /// `pvp`, `pve` or `others`.
    pub r#type: &'static str,
    pub identifier: Option<Identifier>,
    /// Epoch seconds.
    pub event_time: i64,
    pub killer: Option<String>,
    pub victim: Option<String>,
    pub killer_is_npc: bool,
    pub victim_is_npc: bool,
    pub killer_friendly_name: Option<String>,
    pub victim_friendly_name: Option<String>,
    pub killer_profile_image: Option<String>,
    pub victim_profile_image: Option<String>,
    pub weapon: Option<String>,
    pub weapon_friendly_name: Option<String>,
    pub vehicle_name: Option<String>,
    pub vehicle_friendly_name: Option<String>,
    pub damage_type: Option<String>,
    pub contract_id: Option<String>,
    pub contract_name: Option<String>,
    pub text: Option<String>,
    pub game_mode: Option<GameMode>,
    pub sub_game_mode: Option<String>,
    pub patch: Option<String>,
    pub player_name: Option<String>,
    pub player_is_npc: bool,
    pub is_npc: bool,
    /// Number of readers that reported the event.
    pub witnesses: i32,
    /// What the reports are worth: `operator`, `confirmed`, `conceded`, `self_reported` or `third_party`.
    pub grade: &'static str,
    /// Tags of the guilds with visible members in the event.
    pub orgs: Vec<String>,
}

/// A report of an event. Accounts and keys are not named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct EventReport {
    pub source: ReportSource,
    /// Epoch seconds; null if unknown.
    pub received_at: Option<i64>,
    /// The build of the game that wrote the log.
    pub build: Option<String>,
    pub branch: Option<String>,
    pub channel: Option<String>,
}

impl EventReport {
    pub fn new(voice: Voice, received_at: Option<i64>, log: LogBuild) -> Self {
        let LogBuild { build, branch, channel } = log;
        Self { source: ReportSource::of(voice), received_at: received_at.map(secs), build, branch, channel }
    }
}

/// The participants of an event.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct ActivityDetails {
    pub killer: Option<String>,
    pub victim: Option<String>,
    pub killer_is_npc: bool,
    pub victim_is_npc: bool,
    pub killer_friendly_name: Option<String>,
    pub victim_friendly_name: Option<String>,
    pub killer_profile_image: Option<String>,
    pub victim_profile_image: Option<String>,
    pub player_name: Option<String>,
}

/// A row of a guild's feed: the fields of all feeds, with `timestamp` and `details`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct GuildActivityRow {
    #[serde(flatten)]
    pub row: ActivityRow,
    /// Epoch seconds; the same as `event_time`.
    pub timestamp: i64,
    pub details: ActivityDetails,
}

impl From<ActivityRow> for GuildActivityRow {
    fn from(row: ActivityRow) -> Self {
        let details = ActivityDetails {
            killer: row.killer.clone(),
            victim: row.victim.clone(),
            killer_is_npc: row.killer_is_npc,
            victim_is_npc: row.victim_is_npc,
            killer_friendly_name: row.killer_friendly_name.clone(),
            victim_friendly_name: row.victim_friendly_name.clone(),
            killer_profile_image: row.killer_profile_image.clone(),
            victim_profile_image: row.victim_profile_image.clone(),
            player_name: row.player_name.clone(),
        };
        Self { timestamp: row.event_time, details, row }
    }
}

/// The players and patches named in the rows of a feed.
#[derive(Debug, Default)]
pub struct Names {
    pub people: HashMap<i64, PlayerSummary>,
    pub patches: HashMap<i64, String>,
}

struct Named {
    name: Option<String>,
    friendly: Option<String>,
    image: Option<String>,
    is_npc: bool,
}

impl From<EventNames> for Names {
    fn from(names: EventNames) -> Self {
        let person = |player: PlayerRef| {
            let org_short = player.guild_id.and_then(|id| names.guild_tags.get(&id).cloned());
            let PlayerRef { id, handle, is_hidden, profile_image, .. } = player;
            (id, PlayerSummary { handle, is_hidden, profile_image, org_short })
        };
        Self { people: names.players.into_iter().map(person).collect(), patches: names.patches }
    }
}

impl Names {
    fn named(&self, id: Option<i64>, npc: Option<&str>) -> Named {
        match (id.and_then(|id| self.people.get(&id)), npc) {
            (Some(p), _) if p.is_hidden => {
                Named { name: Some(HIDDEN.into()), friendly: Some(HIDDEN.into()), image: None, is_npc: false }
            }
            (Some(p), _) => Named {
                name: Some(p.handle.clone()),
                friendly: Some(p.handle.clone()),
                image: p.profile_image.clone(),
                is_npc: false,
            },
            (None, Some(npc)) => Named {
                name: Some(npc.to_owned()),
                friendly: Some(catalogue::npc_name(npc).into_owned()),
                image: None,
                is_npc: true,
            },
            (None, None) => Named { name: None, friendly: None, image: None, is_npc: false },
        }
    }

    /// Returns whether feeds show an event: it stands, and a participant is visible or no participant is a player.
    pub fn is_visible(&self, row: &EventRow) -> bool {
        row.stands() && self.has_visible_player(row)
    }

    /// Returns whether an event has a page.
    pub fn has_page(&self, row: &EventRow) -> bool {
        row.reasons().is_shown() && self.has_visible_player(row)
    }

    fn has_visible_player(&self, row: &EventRow) -> bool {
        let mut players = row.player_ids().peekable();
        players.peek().is_none() || players.any(|id| self.people.get(&id).is_some_and(|p| !p.is_hidden))
    }

    /// Whether a participant is hidden.
    pub fn has_hidden(&self, row: &EventRow) -> bool {
        let mut players = [row.killer_id, row.victim_id, row.player_id].into_iter().flatten();
        players.any(|id| self.people.get(&id).is_some_and(|person| person.is_hidden))
    }

    /// Builds the row of an event.
    pub fn row(&self, event: &EventRow) -> ActivityRow {
        let killer = self.named(event.killer_id, event.killer_npc.as_deref());
        let victim = self.named(event.victim_id, event.victim_npc.as_deref());
        let player = self.named(event.player_id, event.player_npc.as_deref());
        let mut orgs: Vec<String> = [event.killer_id, event.victim_id, event.player_id]
            .into_iter()
            .flatten()
            .filter_map(|id| self.people.get(&id))
            .filter(|p| !p.is_hidden)
            .filter_map(|p| p.org_short.clone())
            .collect();
        orgs.sort();
        orgs.dedup();
        ActivityRow {
            id: event.id.to_string(),
            r#type: match event.category {
                1 => "pvp",
                2 => "pve",
                _ => "others",
            },
            identifier: Identifier::from_code(event.identifier),
            event_time: secs(event.event_time),
            killer: killer.name,
            victim: victim.name,
            killer_is_npc: killer.is_npc,
            victim_is_npc: victim.is_npc,
            killer_friendly_name: killer.friendly,
            victim_friendly_name: victim.friendly,
            killer_profile_image: killer.image,
            victim_profile_image: victim.image,
            weapon_friendly_name: event.weapon.as_deref().map(|w| catalogue::weapon_name(w).into_owned()),
            weapon: event.weapon.clone(),
            vehicle_friendly_name: event.vehicle_name.as_deref().map(|v| catalogue::vehicle_name(v).into_owned()),
            vehicle_name: event.vehicle_name.clone(),
            damage_type: event.damage_type.clone(),
            contract_id: event.contract_id.clone(),
            contract_name: event
                .contract_name
                .as_deref()
                .or(event.contract_id.as_deref())
                .map(|contract| catalogue::mission_title(contract).into_owned()),
            // Free text can name a player.
            text: event.text.clone().filter(|_| !self.has_hidden(event)),
            game_mode: mode_from_code(event.game_mode),
            sub_game_mode: event.sub_game_mode.clone(),
            patch: event.patch_version.and_then(|v| self.patches.get(&v).cloned()),
            player_name: player.name,
            player_is_npc: player.is_npc,
            is_npc: player.is_npc,
            witnesses: event.witnesses,
            grade: event.grade().as_str(),
            orgs,
        }
    }
}

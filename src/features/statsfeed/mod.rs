//! Channels that get a feed of events: set up from Discord, filled by a job, each from its own place in the events.

mod board;
mod lines;
mod post;
mod render;

use serde::{Deserialize, Serialize};

pub use post::Sender;

use crate::app::App;
use crate::domain::events::{EventKind, GameMode};
use crate::domain::scores::Metric;
use crate::error::AppError;
use crate::store::ingest;
use crate::store::statsfeed::{self, ChannelRow};
use crate::views::activity::ActivityRow;
use crate::views::i18n::Language;

/// The name of the lease under which one process speaks for the bot, and of the job.
pub const LEASE: &str = "statsfeed";

/// Which events a channel gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedKind {
    General,
    ArenaCommander,
    NpcMissions,
}

impl FeedKind {
    pub const ALL: [Self; 3] = [Self::General, Self::ArenaCommander, Self::NpcMissions];

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::General => "general-statsfeed",
            Self::ArenaCommander => "arena-commander",
            Self::NpcMissions => "pu-npc-missions",
        }
    }

    /// General: fights between players, own deaths and lost vehicles. The other two: everything of that kind.
    fn takes(self, row: &ActivityRow) -> bool {
        let Some(group) = Group::of(row) else { return false };
        let is_ac = row.game_mode == Some(GameMode::Ac);
        match self {
            Self::ArenaCommander => is_ac && group != Group::Missions,
            Self::General => {
                !is_ac
                    && (matches!(group, Group::Deaths | Group::Vehicles)
                        || (group == Group::Kills && row.r#type == "pvp"))
            }
            Self::NpcMissions => !is_ac && (group == Group::Missions || (group == Group::Kills && row.r#type == "pve")),
        }
    }
}

/// What a feed can be narrowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    Kills,
    /// Own deaths: by one's own hand, or of unknown cause.
    Deaths,
    Vehicles,
    Missions,
}

impl Group {
    pub const ALL: [Self; 4] = [Self::Kills, Self::Deaths, Self::Vehicles, Self::Missions];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Kills => "kills",
            Self::Deaths => "deaths",
            Self::Vehicles => "vehicles",
            Self::Missions => "missions",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.as_str().eq_ignore_ascii_case(text))
    }

    fn of(row: &ActivityRow) -> Option<Self> {
        match row.identifier?.kind() {
            EventKind::Kill if row.killer.is_none() || row.killer == row.victim => Some(Self::Deaths),
            EventKind::Kill => Some(Self::Kills),
            EventKind::SoftDeath | EventKind::Destruction | EventKind::InstantDestruction => Some(Self::Vehicles),
            EventKind::MissionAccepted | EventKind::MissionCompleted => Some(Self::Missions),
            _ => None,
        }
    }
}

/// Whose events a channel gets, and how they are told; empty lists take everybody's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    pub guilds: Vec<String>,
    pub players: Vec<String>,
    pub events: Vec<Group>,
    /// Only events with somebody of at least this overall score.
    pub minimum: i64,
    /// Keeps a board of this figure in the channel.
    pub board: Option<Metric>,
    pub language: Language,
}

impl Filter {
    /// `best` is the highest overall score among the visible players of the event.
    fn takes(&self, row: &ActivityRow, best: i64) -> bool {
        if best < self.minimum {
            return false;
        }
        if !self.events.is_empty() && !Group::of(row).is_some_and(|group| self.events.contains(&group)) {
            return false;
        }
        if self.guilds.is_empty() && self.players.is_empty() {
            return true;
        }
        let named = |list: &[String], name: &str| list.iter().any(|wanted| wanted.eq_ignore_ascii_case(name));
        let people = [&row.killer, &row.victim, &row.player_name];
        row.orgs.iter().any(|tag| named(&self.guilds, tag))
            || people.into_iter().flatten().any(|name| named(&self.players, name))
    }
}

/// Makes a channel a feed, from the next event on.
pub async fn set(app: &App, server: &str, channel: &str, kind: FeedKind, filter: Filter) -> Result<(), AppError> {
    let filter = serde_json::to_string(&filter).map_err(AppError::internal)?;
    let (server, channel, now) = (server.to_owned(), channel.to_owned(), App::now().0);
    app.store
        .write(move |tx| {
            let last = ingest::last_id(tx)?;
            statsfeed::upsert_channel(tx, &server, &channel, kind.as_str(), &filter, last, now).map_err(AppError::from)
        })
        .await
}

/// Ends a feed; whether there was one.
pub async fn remove(app: &App, server: &str, channel: &str) -> Result<bool, AppError> {
    let (server, channel) = (server.to_owned(), channel.to_owned());
    let count = app.store.write(move |tx| statsfeed::remove(tx, &server, &channel).map_err(AppError::from)).await?;
    Ok(count > 0)
}

/// The feeds of a server.
pub async fn list(app: &App, server: &str) -> Result<Vec<ChannelRow>, AppError> {
    let server = server.to_owned();
    Ok(app.store.read(move |conn| statsfeed::list_by_server(conn, &server)).await?)
}

/// What a stored filter says. One that cannot be read (of a newer version, say) takes nothing away.
pub fn filter_of(channel: &ChannelRow) -> Filter {
    serde_json::from_str(&channel.filter).unwrap_or_default()
}

/// Lets another process speak for the bot at once.
pub async fn release_lease(app: &App) -> Result<(), AppError> {
    let holder = app.process.clone();
    app.store.write(move |tx| statsfeed::release_lease(tx, LEASE, &holder).map_err(AppError::from)).await
}

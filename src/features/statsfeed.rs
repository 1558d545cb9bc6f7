//! Channels that get a feed of events: set up from Discord, filled by a job, each from its own place in the events.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::App;
use crate::domain::events::{EventKind, GameMode};
use crate::error::AppError;
use crate::features::activity::names;
use crate::store::statsfeed::{self, ChannelRow};
use crate::store::{activity, ingest};
use crate::upstream::discord::{Discord, DiscordError};
use crate::views::activity::ActivityRow;

/// How many events one look takes, and how many lines one message has.
const LOOK: i64 = 500;
const LINES: usize = 20;

/// Which events a channel gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedKind {
    General,
    ArenaCommander,
    NpcMissions,
}

impl FeedKind {
    pub fn parse(text: &str) -> Option<Self> {
        [Self::General, Self::ArenaCommander, Self::NpcMissions].into_iter().find(|kind| kind.as_str() == text)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::General => "general-statsfeed",
            Self::ArenaCommander => "arena-commander",
            Self::NpcMissions => "pu-npc-missions",
        }
    }

    /// General: fights between players and lost vehicles. The other two: everything of that kind.
    fn takes(self, row: &ActivityRow) -> bool {
        let Some(kind) = row.identifier.map(|identifier| identifier.kind()) else { return false };
        let is_vehicle = matches!(kind, EventKind::SoftDeath | EventKind::Destruction | EventKind::InstantDestruction);
        let is_mission = matches!(kind, EventKind::MissionAccepted | EventKind::MissionCompleted);
        match self {
            Self::General => row.game_mode != Some(GameMode::Ac) && (row.r#type == "pvp" || is_vehicle),
            Self::ArenaCommander => row.game_mode == Some(GameMode::Ac) && (kind == EventKind::Kill || is_vehicle),
            Self::NpcMissions => row.game_mode != Some(GameMode::Ac) && (row.r#type == "pve" || is_mission),
        }
    }
}

/// Whose events a channel gets; empty lists take everybody's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    #[serde(default)]
    pub guilds: Vec<String>,
    #[serde(default)]
    pub players: Vec<String>,
}

impl Filter {
    fn takes(&self, row: &ActivityRow) -> bool {
        if self.guilds.is_empty() && self.players.is_empty() {
            return true;
        }
        let of_guild = row.orgs.iter().any(|tag| self.guilds.iter().any(|wanted| wanted.eq_ignore_ascii_case(tag)));
        let people = [&row.killer, &row.victim, &row.player_name];
        let of_player = people
            .into_iter()
            .flatten()
            .any(|name| self.players.iter().any(|wanted| wanted.eq_ignore_ascii_case(name)));
        of_guild || of_player
    }
}

/// Makes a channel a feed, from the next event on.
pub async fn set(app: &App, server: &str, channel: &str, kind: FeedKind, filter: Filter) -> Result<(), AppError> {
    let filter = serde_json::to_string(&filter).map_err(AppError::internal)?;
    let (server, channel, now) = (server.to_owned(), channel.to_owned(), App::now().0);
    app.store
        .write(move |tx| {
            let last = ingest::last_id(tx)?;
            statsfeed::put(tx, &server, &channel, kind.as_str(), &filter, last, now).map_err(AppError::from)
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
    Ok(app.store.read(move |conn| statsfeed::of_server(conn, &server)).await?)
}

/// Posts what is new to every channel. A channel that fails for a while keeps its place; one that is gone is switched off.
pub async fn post(app: &App, discord: &Discord) -> Result<(), AppError> {
    for channel in app.store.read(statsfeed::enabled).await? {
        match post_to(app, discord, &channel).await {
            Ok(()) => {}
            Err(PostError::App(error)) => return Err(error),
            // It is tried again at the next look; the caller keeps to its own limits.
            Err(PostError::Discord(error)) if error.retry_after().is_some() => {
                tracing::debug!(%error, "a feed waits");
            }
            Err(PostError::Discord(error)) => {
                tracing::warn!(channel = channel.channel_id, %error, "a feed was switched off");
                let (id, why) = (channel.id, error.to_string());
                app.store.write(move |tx| statsfeed::disable(tx, id, &why).map_err(AppError::from)).await?;
            }
        }
    }
    Ok(())
}

enum PostError {
    App(AppError),
    Discord(DiscordError),
}

impl From<AppError> for PostError {
    fn from(error: AppError) -> Self {
        Self::App(error)
    }
}

async fn post_to(app: &App, discord: &Discord, channel: &ChannelRow) -> Result<(), PostError> {
    let from = channel.last_event_id;
    let (rows, last) = app
        .store
        .read(move |conn| {
            let events = activity::after(conn, from, LOOK)?;
            let names = names(conn, &events)?;
            let last = events.last().map_or(from, |event| event.id);
            let rows: Vec<ActivityRow> = events.iter().filter(|e| names.is_visible(e)).map(|e| names.row(e)).collect();
            Ok((rows, last))
        })
        .await
        .map_err(AppError::from)?;
    if last == from {
        return Ok(());
    }
    let kind = FeedKind::parse(&channel.kind);
    let filter: Filter = serde_json::from_str(&channel.filter).unwrap_or_default();
    let wanted: Vec<&ActivityRow> =
        rows.iter().filter(|row| kind.is_some_and(|k| k.takes(row)) && filter.takes(row)).collect();
    if !wanted.is_empty() {
        // The place is in the nonce: the same piece posted twice is one message.
        let nonce = format!("{}-{last}", channel.id);
        discord.post_message(&channel.channel_id, &nonce, &message(&wanted)).await.map_err(PostError::Discord)?;
    }
    let id = channel.id;
    app.store.write(move |tx| statsfeed::advance(tx, id, from, last).map_err(AppError::from)).await?;
    Ok(())
}

fn message(rows: &[&ActivityRow]) -> Value {
    let mut lines: Vec<String> = rows.iter().take(LINES).map(|row| line(row)).collect();
    if rows.len() > LINES {
        lines.push(format!("… and {} more", rows.len() - LINES));
    }
    json!({ "embeds": [{ "description": lines.join("\n"), "color": 0x00ff_b347 }], "allowed_mentions": { "parse": [] } })
}

fn line(row: &ActivityRow) -> String {
    let text = |name: &Option<String>| name.as_deref().map_or("unknown".to_owned(), escaped);
    let (killer, victim) = (text(&row.killer_friendly_name), text(&row.victim_friendly_name));
    let vehicle = text(&row.vehicle_friendly_name);
    let weapon =
        row.weapon_friendly_name.as_deref().map_or(String::new(), |weapon| format!(" with {}", escaped(weapon)));
    let what = match row.identifier.map(|identifier| identifier.kind()) {
        Some(EventKind::Kill) => format!("**{killer}** killed **{victim}**{weapon}"),
        Some(EventKind::SoftDeath) => format!("**{killer}** disabled {vehicle}"),
        Some(EventKind::Destruction | EventKind::InstantDestruction) => format!("**{killer}** destroyed {vehicle}"),
        Some(EventKind::MissionAccepted) => {
            format!("**{}** accepted {}", text(&row.player_name), text(&row.contract_name))
        }
        Some(EventKind::MissionCompleted) => {
            format!("**{}** completed {}", text(&row.player_name), text(&row.contract_name))
        }
        _ => text(&row.player_name),
    };
    format!("<t:{}:t> {what}", row.event_time)
}

/// Names as text: what Discord reads as markup or mention stays as it is written.
fn escaped(text: &str) -> String {
    text.chars().flat_map(|c| ("\\*_~`|>[]()#@<".contains(c)).then_some('\\').into_iter().chain(Some(c))).collect()
}

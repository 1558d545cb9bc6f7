//! Live messages with the current scores of changed players and guilds.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::app::App;
use crate::domain::counters;
use crate::domain::scores::{Metric, Scores};
use crate::features::guilds::member;
use crate::live::OutgoingMessage;
use crate::store::ingest::{ScoreRow, TenCounters};
use crate::store::players::{self, PlayerRef};
use crate::views::guilds::GuildMember;

use super::commit::Committed;
use super::effects::{guild_topic, player_topic};

/// The maximum number of members in a message. With more changes, pages reload the list.
const MAX_NAMED_MEMBERS: usize = 100;

/// Scores, counters and ranks of a player.
#[derive(Serialize)]
struct PlayerMessage<'a> {
    handle: &'a str,
    overall: i64,
    pu_player_kills: i64,
    pve_kills: i64,
    vehicle_destructions: i64,
    missions_completed: i64,
    playtime: i64,
    unknown_deaths: i64,
    last_active: Option<i64>,
    rank_overall: Option<i64>,
    rank_pvp: Option<i64>,
    rank_pve: Option<i64>,
    rank_vehicle: Option<i64>,
    rank_missions: Option<i64>,
    rank_playtime: Option<i64>,
    /// The counters of both game modes, except those above.
    #[serde(flatten)]
    counters: Map<String, Value>,
}

/// Sums and ranks of a guild, and the members whose scores changed.
#[derive(Serialize)]
struct GuildMessage<'a> {
    short: &'a str,
    pu_player_kills: i64,
    pu_npc_kills: i64,
    pu_vehicle_destruction_caused: i64,
    overall: i64,
    missions_completed: i64,
    playtime: i64,
    rank_overall: Option<i64>,
    rank_pvp: Option<i64>,
    rank_pve: Option<i64>,
    rank_vehicle: Option<i64>,
    members: Vec<GuildMember>,
    /// Whether more members changed than `members` contains.
    members_changed: bool,
}

/// Publishes messages about changed players and guilds that have subscribers.
///
/// Message numbers count all changes, including those without subscribers here, so that they are equal in every process.
pub fn publish_derived(app: &App, committed: &Committed) {
    let Some(place) = committed.place else { return };
    let mut messages = player_messages(app, committed, place.nth + 1);
    messages.extend(guild_messages(app, committed, place.nth + 1 + committed.scores.len() as i64));
    if !messages.is_empty() {
        app.live.publish_derived(place.event_id, messages);
    }
}

fn player_messages(app: &App, committed: &Committed, first: i64) -> Vec<(i64, OutgoingMessage)> {
    let watched: Vec<(i64, &PlayerRef, &ScoreRow)> = committed
        .scores
        .iter()
        .zip(first..)
        .filter_map(|((_, now), nth)| {
            let player = committed.players.get(&now.player_id).filter(|_| !now.is_hidden)?;
            app.live.has_subscribers(player_topic(&player.handle)).then_some((nth, player, now))
        })
        .collect();
    if watched.is_empty() {
        return Vec::new();
    }
    let ids: Vec<i64> = watched.iter().map(|(_, player, _)| player.id).collect();
    let counters = app.store.read_blocking(|conn| players::list_counters(conn, &ids)).unwrap_or_else(|error| {
        tracing::warn!(%error, "the counters of a live message could not be read");
        Vec::new()
    });
    let mut by_player: HashMap<i64, Vec<(i16, TenCounters)>> = HashMap::new();
    counters.into_iter().for_each(|(id, mode, ten)| by_player.entry(id).or_default().push((mode, ten)));
    let message = |(nth, player, now): (i64, &PlayerRef, &ScoreRow)| {
        let counters = by_player.get(&player.id).map_or_else(Map::new, |of_modes| named_counters(of_modes));
        let json = serde_json::to_string(&player_message(app, player, now, counters)).ok()?;
        Some((nth, OutgoingMessage { name: "player", topics: vec![player_topic(&player.handle)], json }))
    };
    watched.into_iter().filter_map(message).collect()
}

/// All counters of both game modes by name; 0 without a row.
fn named_counters(of_modes: &[(i16, TenCounters)]) -> Map<String, Value> {
    let of_mode = |mode: i16| of_modes.iter().find(|(of, _)| *of == mode).map(|(_, ten)| *ten).unwrap_or_default();
    [("pu", of_mode(1)), ("ac", of_mode(2))]
        .into_iter()
        .flat_map(|(mode, ten)| {
            counters::COUNTER_NAMES
                .into_iter()
                .zip(ten)
                .map(move |(name, value)| (format!("{mode}_{name}"), value.into()))
        })
        // Already among the scores.
        .filter(|(name, _)| name != "pu_player_kills")
        .collect()
}

fn player_message<'a>(
    app: &App,
    player: &'a PlayerRef,
    now: &ScoreRow,
    counters: Map<String, Value>,
) -> PlayerMessage<'a> {
    PlayerMessage {
        handle: &player.handle,
        overall: now.overall,
        pu_player_kills: now.pu_player_kills,
        pve_kills: now.pve_kills,
        vehicle_destructions: now.vehicle_destructions,
        missions_completed: now.missions_completed,
        playtime: now.playtime,
        unknown_deaths: now.unknown_deaths,
        last_active: crate::views::secs_or_none(now.last_active_at),
        rank_overall: app.player_rank(Metric::Overall, now.overall),
        rank_pvp: app.player_rank(Metric::PuPlayerKills, now.pu_player_kills),
        rank_pve: app.player_rank(Metric::PveKills, now.pve_kills),
        rank_vehicle: app.player_rank(Metric::VehicleDestructions, now.vehicle_destructions),
        rank_missions: app.player_rank(Metric::MissionsCompleted, now.missions_completed),
        rank_playtime: app.player_rank(Metric::Playtime, now.playtime),
        counters,
    }
}

fn guild_messages(app: &App, committed: &Committed, first: i64) -> Vec<(i64, OutgoingMessage)> {
    let mut messages = Vec::new();
    for (guild, nth) in committed.guilds.iter().zip(first..) {
        let Some(tag) = committed.guild_tags.get(&guild.guild_id) else { continue };
        if !app.live.has_subscribers(guild_topic(tag)) {
            continue;
        }
        let members = changed_members(app, committed, guild.guild_id);
        messages.extend(guild_message(app, tag, &guild.now, members).map(|message| (nth, message)));
    }
    messages
}

/// The visible members whose scores changed; `None` if there are too many or they cannot be read.
fn changed_members(app: &App, committed: &Committed, guild_id: i64) -> Option<Vec<GuildMember>> {
    let is_member = |now: &ScoreRow| {
        committed.players.get(&now.player_id).is_some_and(|p| p.guild_id == Some(guild_id) && !p.is_hidden)
    };
    let now: HashMap<i64, ScoreRow> =
        committed.scores.iter().filter(|(_, now)| is_member(now)).map(|(_, now)| (now.player_id, *now)).collect();
    if now.len() > MAX_NAMED_MEMBERS {
        return None;
    }
    let ids: Vec<i64> = now.keys().copied().collect();
    let rows = app.store.read_blocking(|conn| players::find_many(conn, &ids)).ok()?;
    // The row is newer than the batch: players who were hidden or left the guild since are omitted.
    let rows = rows.into_iter().filter(|row| row.guild_id == Some(guild_id) && !row.is_hidden);
    let mut members: Vec<GuildMember> = rows.map(|row| (now.get(&row.id).copied(), row)).map(member_of).collect();
    members.sort_by(|a, b| a.handle.cmp(&b.handle));
    Some(members)
}

fn member_of((scores, row): (Option<ScoreRow>, players::PlayerRow)) -> GuildMember {
    member((row, scores))
}

/// Builds the live message of a guild. Without `members`, pages reload the list of members.
pub fn guild_message(app: &App, tag: &str, now: &Scores, members: Option<Vec<GuildMember>>) -> Option<OutgoingMessage> {
    let rank = |metric| app.guild_rank(metric, now.get(metric));
    let changed = GuildMessage {
        short: tag,
        pu_player_kills: now.pu_player_kills,
        pu_npc_kills: now.pve_kills,
        pu_vehicle_destruction_caused: now.vehicle_destructions,
        overall: now.overall(),
        missions_completed: now.missions_completed,
        playtime: now.playtime,
        rank_overall: rank(Metric::Overall),
        rank_pvp: rank(Metric::PuPlayerKills),
        rank_pve: rank(Metric::PveKills),
        rank_vehicle: rank(Metric::VehicleDestructions),
        members_changed: members.is_none(),
        members: members.unwrap_or_default(),
    };
    let json = serde_json::to_string(&changed).ok()?;
    Some(OutgoingMessage { name: "guild", topics: vec![guild_topic(tag)], json })
}

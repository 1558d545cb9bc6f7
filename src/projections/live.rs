//! The messages of the live streams that follow from a change.
//!
//! Derived messages are numbered over everything that changed, including what nobody in this process watches, so that their ids
//! are the same in every process.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::counters::CountersByMode;
use crate::domain::events::is_listed;
use crate::domain::scores::{Metric, Scores};
use crate::live::{OutgoingMessage, Topic};
use crate::store::changes::{ChangePosition, EntityChange, IngestChange};
use crate::store::ingest::{self, EventRow, ScoreRow};
use crate::store::players::{self, PlayerRef};
use crate::store::{StoreError, commits, distinct, guilds};
use crate::views::activity::Names;
use crate::views::commits::CommitRow;
use crate::views::guilds::GuildMember;
use crate::views::secs_or_none;

use super::Projections;

/// The number of the newest events that can be replayed after a start.
const REPLAYED_EVENTS: i64 = 4_096;
/// A message names at most this many members. If more have changed, pages read the list again.
const MAX_MEMBERS: usize = 100;

/// The topic of a player.
pub fn player_topic(handle: &str) -> Topic {
    Topic::new(&format!("player:{}", handle.to_ascii_lowercase()))
}

/// The topic of a guild.
pub fn guild_topic(tag: &str) -> Topic {
    Topic::new(&format!("guild:{tag}"))
}

/// Figures, counters and ranks of a player.
#[derive(Serialize)]
struct PlayerMessage<'a> {
    handle: &'a str,
    overall: i64,
    unknown_deaths: i64,
    last_active: Option<i64>,
    rank_overall: Option<i64>,
    rank_pvp: Option<i64>,
    rank_pve: Option<i64>,
    rank_vehicle: Option<i64>,
    rank_missions: Option<i64>,
    rank_playtime: Option<i64>,
    rank_career: Option<i64>,
    rank_ships_flown: Option<i64>,
    /// The scores, and the other counters of both game modes.
    #[serde(flatten)]
    figures: Map<String, Value>,
}

/// Sums and ranks of a guild, and the members whose figures changed.
#[derive(Serialize)]
struct GuildMessage<'a> {
    short: &'a str,
    pu_player_kills: i64,
    pu_npc_kills: i64,
    pu_vehicle_destruction_caused: i64,
    overall: i64,
    missions_completed: i64,
    playtime: i64,
    career: i64,
    ships_flown: i64,
    universe_time: i64,
    rank_overall: Option<i64>,
    rank_pvp: Option<i64>,
    rank_pve: Option<i64>,
    rank_vehicle: Option<i64>,
    rank_career: Option<i64>,
    members: Vec<GuildMember>,
    /// Whether members joined, left or changed beyond `members`.
    members_changed: bool,
}

impl Projections {
    /// Fills the ring with the newest events up to `last`, so that streams can be resumed after a restart.
    pub(super) fn refill_live(&self, last: i64) -> Result<(), StoreError> {
        let before = (last - REPLAYED_EVENTS).max(0);
        let messages = self.store.read_blocking(|conn| {
            let events = ingest::events_between(conn, before + 1, last)?;
            let names = Names::read(conn, &events)?;
            Ok(activity_messages(&names, &events))
        })?;
        self.live.refill(before, messages);
        Ok(())
    }

    /// Publishes the events of a batch.
    pub(super) fn publish_events(&self, change: &IngestChange) {
        let Some(last) = change.events.last() else { return };
        if change.events.iter().any(|event| event.fight_of.is_some()) {
            let named = self.store.read_blocking(|conn| Names::read(conn, &change.events)).unwrap_or_default();
            return self.live.publish(last.id, activity_messages(&named, &change.events));
        }
        let mut names = Names::of_players(change.players.values(), &change.guild_tags);
        let news: Vec<&EventRow> = change.events.iter().filter(|event| event.is_news()).collect();
        // Without the other names the events are published all the same.
        let _ = self.store.read_blocking(|conn| names.read_others(conn, &news));
        self.live.publish(last.id, activity_messages(&names, &change.events));
    }

    /// Publishes the figures of the watched players and guilds that a batch changed.
    pub(super) fn publish_figures(&self, position: ChangePosition, change: &IngestChange) {
        let first = position.message_offset + 1;
        let mut messages = self.player_messages(change, first);
        messages.extend(self.guild_messages(change, first + change.scores.len() as i64));
        if !messages.is_empty() {
            self.live.publish_derived(position.event_id, messages);
        }
    }

    fn player_messages(&self, change: &IngestChange, first: i64) -> Vec<(i64, OutgoingMessage)> {
        let watched: Vec<(i64, &PlayerRef, &ScoreRow)> = change
            .scores
            .iter()
            .zip(first..)
            .filter_map(|((_, now), nth)| {
                let player = change.players.get(&now.player_id).filter(|_| !now.is_hidden)?;
                self.live.has_subscribers(player_topic(&player.handle)).then_some((nth, player, now))
            })
            .collect();
        if watched.is_empty() {
            return Vec::new();
        }
        let ids: Vec<i64> = watched.iter().map(|(_, player, _)| player.id).collect();
        let counters = self.store.read_blocking(|conn| players::list_counters(conn, &ids)).unwrap_or_else(|error| {
            tracing::warn!(%error, "counters could not be read for the live stream");
            HashMap::new()
        });
        let message = |(nth, player, now): (i64, &PlayerRef, &ScoreRow)| {
            let figures = named(now.scores, counters.get(&player.id));
            let json = serde_json::to_string(&self.player_message(player, now, figures)).ok()?;
            Some((nth, OutgoingMessage { name: "player", topics: vec![player_topic(&player.handle)], json }))
        };
        watched.into_iter().filter_map(message).collect()
    }

    fn player_message<'a>(
        &self,
        player: &'a PlayerRef,
        now: &ScoreRow,
        figures: Map<String, Value>,
    ) -> PlayerMessage<'a> {
        let scores = now.scores;
        let rank = |metric: Metric| self.players.rank(metric, scores.get(metric));
        PlayerMessage {
            handle: &player.handle,
            overall: scores.overall(),
            unknown_deaths: now.unknown_deaths,
            last_active: secs_or_none(now.last_active_at),
            rank_overall: rank(Metric::Overall),
            rank_pvp: rank(Metric::PuPlayerKills),
            rank_pve: rank(Metric::PveKills),
            rank_vehicle: rank(Metric::VehicleDestructions),
            rank_missions: rank(Metric::MissionsCompleted),
            rank_playtime: rank(Metric::Playtime),
            rank_career: rank(Metric::Career),
            rank_ships_flown: rank(Metric::ShipsFlown),
            figures,
        }
    }

    fn guild_messages(&self, change: &IngestChange, first: i64) -> Vec<(i64, OutgoingMessage)> {
        let mut messages = Vec::new();
        for (guild, nth) in change.guilds.iter().zip(first..) {
            let Some(tag) = change.guild_tags.get(&guild.guild_id) else { continue };
            if !self.live.has_subscribers(guild_topic(tag)) {
                continue;
            }
            let members = self.changed_members(change, guild.guild_id);
            messages.extend(self.guild_message(tag, &guild.now, members).map(|message| (nth, message)));
        }
        messages
    }

    /// The visible members whose figures changed; `None` if there are too many, or if they could not be read.
    fn changed_members(&self, change: &IngestChange, guild_id: i64) -> Option<Vec<GuildMember>> {
        let is_member = |now: &ScoreRow| {
            change.players.get(&now.player_id).is_some_and(|p| p.guild_id == Some(guild_id) && !p.is_hidden)
        };
        let now: HashMap<i64, ScoreRow> =
            change.scores.iter().filter(|(_, now)| is_member(now)).map(|(_, now)| (now.player_id, *now)).collect();
        if now.len() > MAX_MEMBERS {
            return None;
        }
        let ids: Vec<i64> = now.keys().copied().collect();
        let rows = self.store.read_blocking(|conn| players::find_many(conn, &ids)).ok()?;
        // The rows are newer than the batch: members that were hidden or left since are not named.
        let rows = rows.into_iter().filter(|row| row.guild_id == Some(guild_id) && !row.is_hidden);
        let member = |row: players::PlayerRow| {
            let scores = now.get(&row.id).copied();
            GuildMember::from((row, scores))
        };
        let mut members: Vec<GuildMember> = rows.map(member).collect();
        members.sort_by(|a, b| a.handle.cmp(&b.handle));
        Some(members)
    }

    /// The sums and ranks of a guild, and these members. Without members, pages read the list again.
    fn guild_message(&self, tag: &str, now: &Scores, members: Option<Vec<GuildMember>>) -> Option<OutgoingMessage> {
        let rank = |metric| self.guilds.rank(metric, now.get(metric));
        let message = GuildMessage {
            short: tag,
            pu_player_kills: now.pu_player_kills,
            pu_npc_kills: now.pve_kills,
            pu_vehicle_destruction_caused: now.vehicle_destructions,
            overall: now.overall(),
            missions_completed: now.missions_completed,
            playtime: now.playtime,
            career: now.career,
            ships_flown: now.ships_flown,
            universe_time: now.universe_time,
            rank_overall: rank(Metric::Overall),
            rank_pvp: rank(Metric::PuPlayerKills),
            rank_pve: rank(Metric::PveKills),
            rank_vehicle: rank(Metric::VehicleDestructions),
            rank_career: rank(Metric::Career),
            members_changed: members.is_none(),
            members: members.unwrap_or_default(),
        };
        let json = serde_json::to_string(&message).ok()?;
        Some(OutgoingMessage { name: "guild", topics: vec![guild_topic(tag)], json })
    }

    /// Publishes that the members of watched guilds may have changed, so that open pages read the list again.
    ///
    /// The number of a guild's message is its first position among the changed guilds and the guilds of the changed players.
    pub(super) fn publish_guilds(&self, position: ChangePosition, change: &EntityChange) -> Result<(), StoreError> {
        if self.live.subscriber_count() == 0 {
            return Ok(());
        }
        let (keys, rows) = self.store.read_blocking(|conn| {
            let keys = players::find_refs_by_id(conn, &change.players)?;
            let of_players = keys.iter().filter_map(|key| key.guild_id);
            let rows = guilds::find_many(conn, &distinct(change.guilds.iter().copied().chain(of_players)))?;
            Ok((keys, rows))
        })?;
        let guild_of: HashMap<i64, Option<i64>> = keys.iter().map(|key| (key.id, key.guild_id)).collect();
        let in_order: Vec<Option<i64>> = change
            .guilds
            .iter()
            .map(|id| Some(*id))
            .chain(change.players.iter().map(|id| guild_of.get(id).copied().flatten()))
            .collect();
        let mut messages: Vec<_> = rows
            .iter()
            .filter(|row| self.live.has_subscribers(guild_topic(&row.tag)))
            .filter_map(|row| {
                let nth = in_order.iter().position(|id| *id == Some(row.id))?;
                let message = self.guild_message(&row.tag, &row.scores, None)?;
                Some((position.message_offset + 1 + nth as i64, message))
            })
            .collect();
        messages.sort_by_key(|(nth, _)| *nth);
        if !messages.is_empty() {
            self.live.publish_derived(position.event_id, messages);
        }
        Ok(())
    }

    /// Publishes new commits of the source repositories, oldest first.
    pub(super) fn publish_commits(&self, position: ChangePosition, ids: &[String]) {
        let rows = match self.store.read_blocking(|conn| commits::find(conn, ids)) {
            Ok(rows) => rows,
            Err(error) => return tracing::error!(%error, "new commits could not be read for the live stream"),
        };
        let message = |(id, nth): (&String, i64)| {
            let row = rows.iter().find(|row| row.id == *id)?.clone();
            let json = serde_json::to_string(&CommitRow::from(row)).ok()?;
            Some((nth, OutgoingMessage { name: "commit", topics: vec![Topic::new("commits")], json }))
        };
        let messages = ids.iter().zip(position.message_offset + 1..).filter_map(message).collect();
        self.live.publish_derived(position.event_id, messages);
    }
}

/// The messages of the visible events that are not old, each with the id of its event.
fn activity_messages(names: &Names, events: &[EventRow]) -> Vec<(i64, OutgoingMessage)> {
    let is_shown = |event: &&EventRow| {
        is_listed(event.category) && event.is_news() && event.state().is_visible() && names.has_visible_player(event)
    };
    let shown = events.iter().filter(is_shown);
    shown.filter_map(|event| activity_message(names, event).map(|message| (event.id, message))).collect()
}

/// The message of a report: for everybody if it is the first of its event, and for the players for whom it stands and their guilds.
fn activity_message(names: &Names, report: &EventRow) -> Option<OutgoingMessage> {
    let mut topics = Vec::new();
    if names.is_visible(report) {
        topics.push(Topic::new("activity"));
    }
    let players = report.players_on(report.sides()).into_iter().filter_map(|id| names.players.get(&id));
    for person in players.filter(|person| !person.is_hidden) {
        topics.push(player_topic(&person.handle));
        topics.extend(person.org_short.as_deref().map(guild_topic));
    }
    if topics.is_empty() {
        return None;
    }
    let row = names.row(report);
    topics.sort_unstable();
    topics.dedup();
    let json = serde_json::to_string(&row).ok()?;
    Some(OutgoingMessage { name: "activity", topics, json })
}

/// Scores, and the counters of both game modes, by name.
fn named(scores: Scores, counters: Option<&CountersByMode>) -> Map<String, Value> {
    let by_mode = counters.into_iter().flat_map(|counters| [("pu", &counters.pu), ("ac", &counters.ac)]);
    let counters = by_mode.flat_map(|(mode, counters)| {
        counters.iter().map(move |(counter, value)| (format!("{mode}_{}", counter.name()), value.into()))
    });
    let scores = Scores::NAMES.into_iter().map(ToOwned::to_owned).zip(<[i64; 8]>::from(scores).map(Value::from));
    // `pu_player_kills` is in both, and the score is as of this change.
    counters.chain(scores).collect()
}

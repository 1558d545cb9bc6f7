//! The change of a committed batch of events: complete in memory, short in the log.
//!
//! The log carries the ids and the figures before and after, which the database does not keep. Events, names and guild tags
//! are read from the database by the process that receives the change.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize, Serializer};

use crate::domain::scores::Scores;
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, EventRow, ScoreRow};
use crate::store::players::{self, PlayerRef};
use crate::store::{distinct, guilds};

use super::position::ChangePosition;

/// A committed batch of events with the data that projections need.
#[derive(Debug, Clone, Default)]
pub struct IngestChange {
    /// The new events in the order of their ids, which have no gaps.
    pub events: Vec<EventRow>,
    /// The players of the events and of the scores, by id.
    pub players: HashMap<i64, PlayerRef>,
    pub new_players: Vec<i64>,
    /// Figures before the batch, and the row after it.
    pub scores: Vec<(Scores, ScoreRow)>,
    /// The part of the gains that belongs to earlier days, by player.
    pub late: BTreeMap<i64, Scores>,
    pub guilds: Vec<GuildScoreChange>,
    pub guild_tags: HashMap<i64, String>,
    pub has_patch_changes: bool,
    /// Players of events that ceased to count: streams withdraw what they sent about them.
    pub withdrawn: Vec<i64>,
}

/// The sums of a guild before and after a batch.
#[derive(Debug, Clone, Copy)]
pub struct GuildScoreChange {
    pub guild_id: i64,
    pub before: Scores,
    pub now: Scores,
    /// The part of the gains that belongs to earlier days.
    pub late: Scores,
}

impl IngestChange {
    /// Whether nothing follows from the batch.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && self.scores.is_empty() && self.new_players.is_empty()
    }
}

/// An [`IngestChange`] in the log.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct IngestBody {
    /// The number of new events; the last one is the event of the change's position.
    new: i64,
    new_players: Vec<i64>,
    scores: Vec<ScoreBody>,
    guilds: Vec<GuildBody>,
    late: Vec<(i64, Scores)>,
    patches: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    withdrawn: Vec<i64>,
}

/// Player, hidden, figures before and after, unknown deaths, last active.
type ScoreBody = (i64, bool, Scores, Scores, i64, i64);

/// Guild, sums before and after, and the part of the gains that belongs to earlier days.
type GuildBody = (i64, Scores, Scores, Scores);

impl From<&IngestChange> for IngestBody {
    fn from(change: &IngestChange) -> Self {
        let score = |(before, row): &(Scores, ScoreRow)| {
            (row.player_id, row.is_hidden, *before, row.scores, row.unknown_deaths, row.last_active_at)
        };
        let guild = |guild: &GuildScoreChange| (guild.guild_id, guild.before, guild.now, guild.late);
        Self {
            new: change.events.len() as i64,
            new_players: change.new_players.clone(),
            scores: change.scores.iter().map(score).collect(),
            guilds: change.guilds.iter().map(guild).collect(),
            late: change.late.iter().map(|(player_id, scores)| (*player_id, *scores)).collect(),
            patches: change.has_patch_changes,
            withdrawn: change.withdrawn.clone(),
        }
    }
}

impl Serialize for IngestChange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        IngestBody::from(self).serialize(serializer)
    }
}

/// Completes batches of the log, in their order, with their rows of the database.
pub(super) fn read(
    conn: &mut AnyConn,
    batches: Vec<(ChangePosition, IngestBody)>,
) -> diesel::QueryResult<Vec<IngestChange>> {
    let batches = with_events(conn, batches)?;
    let players_of = |(body, events): &(IngestBody, Vec<EventRow>)| -> Vec<i64> {
        body.player_ids().chain(events.iter().flat_map(EventRow::player_ids)).collect()
    };
    let known = players::find_refs_by_id(conn, &distinct(batches.iter().flat_map(players_of)))?;
    let known: HashMap<i64, PlayerRef> = known.into_iter().map(|key| (key.id, key)).collect();
    let of_players = known.values().filter_map(|player| player.guild_id);
    let changed = batches.iter().flat_map(|(body, _)| body.guilds.iter().map(|guild| guild.0));
    let guild_tags = guilds::tags(conn, &distinct(of_players.chain(changed)))?;
    let guild_tags: HashMap<i64, String> = guild_tags.into_iter().collect();
    let complete = |batch: (IngestBody, Vec<EventRow>)| {
        let ids = players_of(&batch).into_iter();
        let players = ids.filter_map(|id| Some((id, known.get(&id)?.clone()))).collect();
        let (body, events) = batch;
        body.complete(events, players, guild_tags.clone())
    };
    Ok(batches.into_iter().map(complete).collect())
}

/// Reads the new events of batches in one query.
fn with_events(
    conn: &mut AnyConn,
    batches: Vec<(ChangePosition, IngestBody)>,
) -> diesel::QueryResult<Vec<(IngestBody, Vec<EventRow>)>> {
    let range = |(position, body): &(ChangePosition, IngestBody)| position.event_id - body.new + 1..=position.event_id;
    let ranges = || batches.iter().map(range).filter(|range| !range.is_empty());
    let (first, last) = (ranges().map(|range| *range.start()).min(), ranges().map(|range| *range.end()).max());
    let events = match (first, last) {
        (Some(first), Some(last)) => ingest::events_between(conn, first, last)?,
        _ => Vec::new(),
    };
    let mut events = events.into_iter().peekable();
    let take = |batch: (ChangePosition, IngestBody)| {
        let range = range(&batch);
        // Restored events, which are not in the log, may lie between two batches.
        while events.next_if(|event| event.id < *range.start()).is_some() {}
        let own = std::iter::from_fn(|| events.next_if(|event| range.contains(&event.id))).collect();
        (batch.1, own)
    };
    Ok(batches.into_iter().map(take).collect())
}

impl IngestBody {
    /// The players that the body names.
    fn player_ids(&self) -> impl Iterator<Item = i64> {
        let scored = self.scores.iter().map(|score| score.0);
        scored.chain(self.new_players.iter().copied()).chain(self.withdrawn.iter().copied())
    }

    fn complete(
        self,
        events: Vec<EventRow>,
        players: HashMap<i64, PlayerRef>,
        guild_tags: HashMap<i64, String>,
    ) -> IngestChange {
        let score = |(player_id, is_hidden, before, scores, unknown_deaths, last_active_at): ScoreBody| {
            (before, ScoreRow { player_id, is_hidden, scores, unknown_deaths, last_active_at })
        };
        let guild = |(guild_id, before, now, late): GuildBody| GuildScoreChange { guild_id, before, now, late };
        IngestChange {
            events,
            players,
            new_players: self.new_players,
            scores: self.scores.into_iter().map(score).collect(),
            late: self.late.into_iter().collect(),
            guilds: self.guilds.into_iter().map(guild).collect(),
            guild_tags,
            has_patch_changes: self.patches,
            withdrawn: self.withdrawn,
        }
    }
}

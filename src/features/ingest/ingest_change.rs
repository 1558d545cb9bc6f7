//! A committed batch as it is replicated to other processes: small values in the message, events by their ids.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::domain::scores::Scores;
use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::features::changes::Change;
use crate::store::changes::{self, ChangePosition};
use crate::store::ingest::{self, FiveScores, ScoreRow};
use crate::store::{StoreError, Tx, guilds, players};

use super::commit::Committed;
use super::effects::apply_effects;
use super::tally::GuildChange;

/// A committed batch. Contains the events by their ids, and the score changes, which cannot be derived from the database later.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct IngestChange {
    /// The number of new events; the position of the change has the last id.
    new: i64,
    new_players: Vec<i64>,
    scores: Vec<PlayerScoreChange>,
    guilds: Vec<GuildScoreChange>,
    /// The part of the players' scores that was gained on earlier days.
    late: Vec<(i64, FiveScores)>,
    patches: bool,
}

/// Player, whether hidden, scores before and now, unknown deaths, last activity.
type PlayerScoreChange = (i64, bool, FiveScores, FiveScores, i64, i64);

/// Guild, sums before and now, and the part that was gained on earlier days.
type GuildScoreChange = (i64, FiveScores, FiveScores, FiveScores);

fn five(s: &Scores) -> FiveScores {
    [s.pu_player_kills, s.pve_kills, s.vehicle_destructions, s.missions_completed, s.playtime]
}

fn from_five(s: FiveScores) -> Scores {
    Scores {
        pu_player_kills: s[0],
        pve_kills: s[1],
        vehicle_destructions: s[2],
        missions_completed: s[3],
        playtime: s[4],
    }
}

/// Records the change within its transaction; `None` if it has no effect.
pub fn record(tx: &mut Tx, committed: &Committed, now: EpochMillis) -> Result<Option<ChangePosition>, AppError> {
    if committed.events.is_empty() && committed.scores.is_empty() && committed.new_players.is_empty() {
        return Ok(None);
    }
    // Only other processes read it, and only PostgreSQL has several.
    let body = if tx.is_postgres() {
        let change = IngestChange {
            new: committed.events.len() as i64,
            new_players: committed.new_players.clone(),
            scores: committed
                .scores
                .iter()
                .map(|(before, s)| {
                    let now = five(&super::tally::scores(s));
                    (s.player_id, s.is_hidden, five(before), now, s.unknown_deaths, s.last_active_at)
                })
                .collect(),
            guilds: committed
                .guilds
                .iter()
                .map(|g| (g.guild_id, five(&g.before), five(&g.now), five(&g.late)))
                .collect(),
            late: committed.late.iter().map(|(player_id, s)| (*player_id, five(s))).collect(),
            patches: committed.touches_patches,
        };
        serde_json::to_string(&Change::Events(change)).map_err(AppError::internal)?
    } else {
        String::new()
    };
    let messages = (committed.scores.len() + committed.guilds.len()) as i64;
    Ok(Some(changes::publish(tx, now.0, messages, &body)?))
}

/// Reads the batches that these changes describe, each with the number of its change.
pub fn read_changes(
    app: &App,
    change: Vec<(ChangePosition, IngestChange)>,
) -> Result<Vec<(i64, Committed)>, StoreError> {
    let ranges = || change.iter().filter(|(_, t)| t.new > 0).map(|(p, t)| (p.event_id - t.new + 1, p.event_id));
    let (first, last) = (ranges().map(|(first, _)| first).min(), ranges().map(|(_, last)| last).max());
    app.store.read_blocking(|conn| {
        let mut events = match (first, last) {
            (Some(first), Some(last)) => ingest::events_between(conn, first, last)?,
            _ => Vec::new(),
        }
        .into_iter()
        .peekable();
        let mut batches = Vec::with_capacity(change.len());
        for (place, change) in change {
            let own = place.event_id - change.new + 1..=place.event_id;
            // Restored events, which are not replicated, may lie between two changes.
            while events.next_if(|e| e.id < *own.start()).is_some() {}
            let own: Vec<_> = std::iter::from_fn(|| events.next_if(|e| own.contains(&e.id))).collect();
            batches.push((place, change, own));
        }
        let mut ids: BTreeSet<i64> = BTreeSet::new();
        for (_, change, events) in &batches {
            ids.extend(change.scores.iter().map(|s| s.0));
            ids.extend(&change.new_players);
            ids.extend(events.iter().flat_map(|e| [e.killer_id, e.victim_id, e.player_id]).flatten());
        }
        let ids: Vec<i64> = ids.into_iter().collect();
        let known: HashMap<i64, _> =
            players::find_refs_by_id(conn, &ids)?.into_iter().map(|key| (key.id, key)).collect();
        let mut guild_ids: BTreeSet<i64> = known.values().filter_map(|p| p.guild_id).collect();
        guild_ids.extend(batches.iter().flat_map(|(_, change, _)| change.guilds.iter().map(|g| g.0)));
        let guild_tags: HashMap<i64, String> =
            guilds::tags(conn, &guild_ids.into_iter().collect::<Vec<_>>())?.into_iter().collect();
        Ok(batches
            .into_iter()
            .map(|(place, change, events)| {
                let named = change.scores.iter().map(|s| s.0).chain(change.new_players.iter().copied());
                let in_events = events.iter().flat_map(|e| [e.killer_id, e.victim_id, e.player_id]).flatten();
                let own = named.chain(in_events).filter_map(|id| Some((id, known.get(&id)?.clone()))).collect();
                (place.id, committed(place, change, events, own, guild_tags.clone()))
            })
            .collect())
    })
}

fn committed(
    place: ChangePosition,
    change: IngestChange,
    events: Vec<ingest::EventRow>,
    players: HashMap<i64, players::PlayerRef>,
    guild_tags: HashMap<i64, String>,
) -> Committed {
    let score = |(player_id, is_hidden, before, now, unknown_deaths, last_active_at): PlayerScoreChange| {
        let row = ScoreRow {
            player_id,
            is_hidden,
            overall: from_five(now).overall(),
            pu_player_kills: now[0],
            pve_kills: now[1],
            vehicle_destructions: now[2],
            missions_completed: now[3],
            playtime: now[4],
            unknown_deaths,
            last_active_at,
        };
        (from_five(before), row)
    };
    let guild = |(guild_id, before, now, late): GuildScoreChange| GuildChange {
        guild_id,
        before: from_five(before),
        now: from_five(now),
        late: from_five(late),
    };
    Committed {
        events,
        players,
        new_players: change.new_players,
        scores: change.scores.into_iter().map(score).collect(),
        guilds: change.guilds.into_iter().map(guild).collect(),
        late: change.late.into_iter().map(|(player_id, s)| (player_id, from_five(s))).collect(),
        guild_tags,
        touches_patches: change.patches,
        place: Some(place),
        ..Committed::default()
    }
}

/// Applies a batch of another process.
pub fn apply_change(app: &App, place: ChangePosition, change: &IngestChange) {
    match read_changes(app, vec![(place, change.clone())]) {
        Ok(batches) => batches.iter().for_each(|(_, batch)| apply_effects(app, batch)),
        Err(error) => {
            tracing::error!(%error, "a batch of another process could not be read; derived figures are stale until a restart")
        }
    }
}

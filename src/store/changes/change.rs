//! Committed changes as plain data, and their JSON in the log.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ingest_change::IngestChange;
use super::position::ChangePosition;
use crate::domain::scores::Scores;

/// A committed change, with the batch of events complete or as in the log. Processes of different versions share a log: a field is added
/// with a default, none is renamed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change<B = IngestChange> {
    /// A batch of events.
    Ingest(B),
    /// Players and guilds that something other than an event changed.
    Entities(EntityChange),
    /// Ids of new commits of the source repositories, oldest first.
    Commits(Vec<String>),
    /// An ingest key was revoked.
    IngestKeys,
    /// More changed than a change can carry: every process rebuilds its projections.
    Rebuild,
}

/// Players and guilds that something other than an event changed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EntityChange {
    /// Players whose name, picture, guild or figures changed: search and leaderboards read them again.
    pub players: Vec<i64>,
    /// The same for guilds.
    pub guilds: Vec<i64>,
    /// Figures that count for ranks, before and after; all 0 while hidden.
    pub player_figures: Vec<(Scores, Scores)>,
    /// Guild, sums before, sums after.
    pub guild_figures: Vec<(i64, Scores, Scores)>,
    pub new_players: i64,
    pub new_guilds: i64,
    /// Handles of players that were hidden.
    pub hidden: Vec<String>,
    /// Players whose page was just read from the game's site on request.
    pub refreshed: Vec<i64>,
}

/// A change with its position in the log.
#[derive(Debug, Clone)]
pub struct RecordedChange {
    pub position: ChangePosition,
    pub change: Arc<Change>,
}

impl Change {
    /// How many live messages may follow from the change. Each has a number, which is the same in every process.
    pub(super) fn message_count(&self) -> i64 {
        let count = match self {
            Self::Ingest(change) => change.scores.len() + change.guilds.len(),
            // One for each guild whose members or sums changed.
            Self::Entities(change) => change.guilds.len() + change.players.len(),
            Self::Commits(ids) => ids.len(),
            Self::IngestKeys | Self::Rebuild => 0,
        };
        count as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logged_changes_are_readable_by_other_versions() {
        let json = |change: &Change| serde_json::to_string(change).unwrap();
        assert_eq!(json(&Change::IngestKeys), r#""ingest_keys""#);
        assert_eq!(json(&Change::Rebuild), r#""rebuild""#);
        assert_eq!(json(&Change::Commits(vec!["a".into()])), r#"{"commits":["a"]}"#);
        let entities = EntityChange { players: vec![7], hidden: vec!["ada".into()], ..EntityChange::default() };
        assert_eq!(
            json(&Change::Entities(entities)),
            r#"{"entities":{"players":[7],"guilds":[],"player_figures":[],"guild_figures":[],"new_players":0,"new_guilds":0,"hidden":["ada"],"refreshed":[]}}"#
        );
        assert_eq!(
            json(&Change::Ingest(IngestChange::default())),
            r#"{"ingest":{"new":0,"new_players":[],"scores":[],"guilds":[],"late":[],"patches":false}}"#
        );
    }
}

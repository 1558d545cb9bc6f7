//! Figures of a player that no stored event accounts for, from an import.

use serde::{Deserialize, Serialize};

use super::counters::{Counter, Counters};
use super::scores::Scores;

/// Figures without events.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    pub pu: Counters,
    pub ac: Counters,
    pub unknown_deaths: i64,
    pub missions_completed: i64,
    /// Seconds.
    pub playtime: i64,
    /// Epoch milliseconds.
    pub last_active_at: i64,
}

impl Baseline {
    /// The ranked scores.
    pub fn scores(&self) -> Scores {
        Scores {
            pu_player_kills: self.pu[Counter::PlayerKills],
            pve_kills: self.pu[Counter::NpcKills],
            vehicle_destructions: self.pu[Counter::DestructionCaused] + self.pu[Counter::InstantDestructionCaused],
            missions_completed: self.missions_completed,
            playtime: self.playtime,
            ..Scores::default()
        }
    }
}

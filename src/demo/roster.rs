//! Who is in the game at a moment, so that nobody plays twice at once and rivals are really there.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::domain::events::GameMode;

/// One stay in the game; times in epoch milliseconds.
#[derive(Debug, Clone)]
pub(super) struct Stay {
    pub(super) player: u32,
    pub(super) begin: i64,
    pub(super) end: i64,
    pub(super) mode: GameMode,
}

/// The stays that are going on or are about to begin.
#[derive(Debug, Default)]
pub(super) struct Roster {
    stays: Vec<Stay>,
}

impl Roster {
    /// Forgets who left before a moment.
    pub(super) fn forget_before(&mut self, at: i64) {
        self.stays.retain(|stay| stay.end >= at);
    }

    pub(super) fn add(&mut self, stay: Stay) {
        self.stays.push(stay);
    }

    pub(super) fn len(&self) -> usize {
        self.stays.len()
    }

    /// Is the player in the game at any time between the two?
    pub(super) fn is_in(&self, player: u32, begin: i64, end: i64) -> bool {
        self.stays.iter().any(|stay| stay.player == player && stay.begin <= end && begin <= stay.end)
    }

    /// Somebody else who is in the same mode from one moment to another.
    pub(super) fn rival(&self, rng: &mut ChaCha8Rng, own: &Stay, from: i64, until: i64) -> Option<u32> {
        if self.stays.is_empty() {
            return None;
        }
        // A few looks around: in a busy universe one of them finds somebody.
        (0..24).find_map(|_| {
            let other = &self.stays[rng.random_range(0..self.stays.len())];
            let there = other.begin <= from && until < other.end;
            (there && other.player != own.player && other.mode == own.mode).then_some(other.player)
        })
    }
}

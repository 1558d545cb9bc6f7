//! Tracks online players, so that nobody has overlapping sessions and rivals are online.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::domain::events::GameMode;

/// A play session; times in epoch milliseconds.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) player: u32,
    pub(super) begin: i64,
    pub(super) end: i64,
    pub(super) mode: GameMode,
}

/// Current and upcoming sessions.
#[derive(Debug, Default)]
pub(super) struct OnlinePlayers {
    sessions: Vec<Session>,
}

impl OnlinePlayers {
    /// Removes sessions that ended before a time.
    pub(super) fn remove_before(&mut self, at: i64) {
        self.sessions.retain(|session| session.end >= at);
    }

    pub(super) fn add(&mut self, session: Session) {
        self.sessions.push(session);
    }

    pub(super) fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Whether the player has a session in the interval.
    pub(super) fn is_online(&self, player: u32, begin: i64, end: i64) -> bool {
        self.sessions.iter().any(|session| session.player == player && session.begin <= end && begin <= session.end)
    }

    /// Another player who is in the same game mode during the interval.
    pub(super) fn rival(&self, rng: &mut ChaCha8Rng, own: &Session, from: i64, until: i64) -> Option<u32> {
        if self.sessions.is_empty() {
            return None;
        }
        // Random samples: in a busy universe one of them succeeds.
        (0..24).find_map(|_| {
            let other = &self.sessions[rng.random_range(0..self.sessions.len())];
            let there = other.begin <= from && until < other.end;
            (there && other.player != own.player && other.mode == own.mode).then_some(other.player)
        })
    }
}

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

/// Whether the player has one of the sessions in the interval.
pub(super) fn is_online(sessions: &[Session], player: u32, begin: i64, end: i64) -> bool {
    sessions.iter().any(|session| session.player == player && session.begin <= end && begin <= session.end)
}

/// Another player who is in the same game mode during the interval.
pub(super) fn rival(sessions: &[Session], rng: &mut ChaCha8Rng, own: &Session, from: i64, until: i64) -> Option<u32> {
    if sessions.is_empty() {
        return None;
    }
    // Random samples: in a busy universe one of them succeeds.
    (0..24).find_map(|_| {
        let other = &sessions[rng.random_range(0..sessions.len())];
        let there = other.begin <= from && until < other.end;
        (there && other.player != own.player && other.mode == own.mode).then_some(other.player)
    })
}

//! Who plays when.

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

/// Another player who is in the same game mode during the interval.
pub(super) fn rival(sessions: &[Session], rng: &mut ChaCha8Rng, own: &Session, from: i64, until: i64) -> Option<u32> {
    // Random samples: in a busy universe one of them succeeds. The own session is among them.
    (0..24).find_map(|_| {
        let other = &sessions[rng.random_range(0..sessions.len())];
        let there = other.begin <= from && until < other.end;
        (there && other.player != own.player && other.mode == own.mode).then_some(other.player)
    })
}

//! Play sessions and their events, ordered by time. Nobody has overlapping sessions, and rivals are online.

use std::collections::BTreeMap;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::Universe;
use super::online::Session;
use super::random::long_tail;
use super::sessions;
use crate::domain::events::{Event, GameMode};

/// Skew of player activity.
const ACTIVITY_BEND: f64 = 2.2;

/// Sessions that are not over, and the events to come.
#[derive(Default)]
pub(super) struct Schedule {
    /// By time, then by session and place in it.
    events: BTreeMap<(i64, u64, usize), Event>,
    online: Vec<Session>,
    /// Number of sessions so far.
    sessions: u64,
}

impl Schedule {
    /// Forgets the sessions that ended before this time.
    pub(super) fn begin_at(&mut self, at: i64) {
        self.online.retain(|session| session.end >= at);
    }

    /// Picks a player who is offline and likes to play at this hour, and a game mode.
    pub(super) fn pick(&self, universe: &Universe, rng: &mut ChaCha8Rng, begin: i64, end: i64) -> Option<Session> {
        let is_online = |player| self.online.iter().any(|s| s.player == player && s.begin <= end && begin <= s.end);
        // If nobody likes this hour, anybody plays.
        let player = (0..60).find_map(|attempt| {
            let rank = long_tail(rng.random(), universe.players as usize, ACTIVITY_BEND);
            let player = universe.player_at_rank(rank as u32);
            let likes = attempt >= 30 || rng.random::<f64>() < universe.pilot(player).activity_at(begin);
            (likes && !is_online(player)).then_some(player)
        })?;
        let mode = if rng.random::<f64>() < universe.pilot(player).arena_share() { GameMode::Ac } else { GameMode::Pu };
        Some(Session { player, begin, end, mode })
    }

    /// Generates a session, with `tempo` as the factor of all pauses, and returns the number of its events before a time. The ids of the
    /// events begin with `prefix`.
    pub(super) fn add(
        &mut self,
        universe: &Universe,
        rng: &mut ChaCha8Rng,
        session: Session,
        prefix: &str,
        tempo: f64,
        before: i64,
    ) -> u64 {
        self.sessions += 1;
        self.online.push(session.clone());
        let id = format!("{prefix}-{}", self.sessions);
        let events = sessions::generate(universe, &self.online, rng, session, id, tempo);
        let counted = events.iter().filter(|event| event.event_time.0 < before).count();
        let keyed = (0..).zip(events).map(|(place, event)| ((event.event_time.0, self.sessions, place), event));
        self.events.extend(keyed);
        counted as u64
    }

    /// Time of the next event.
    pub(super) fn next_at(&self) -> Option<i64> {
        self.events.first_key_value().map(|((at, ..), _)| *at)
    }

    pub(super) fn pop(&mut self) -> Option<Event> {
        self.events.pop_first().map(|(_, event)| event)
    }
}

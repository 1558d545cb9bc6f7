//! An endless source of live events: players log in, play shortened sessions and log out.

use std::sync::Arc;
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Universe;
use super::random::mix;
use super::schedule::Schedule;
use super::sessions;
use crate::domain::events::Event;
use crate::domain::times::EpochMillis;

/// Factor of pauses and session lengths compared to the history, so that few players fill a feed.
const TEMPO: f64 = 0.2;
/// Average number of events of a shortened session.
const EVENTS_PER_STAY: f64 = 30.0;
/// Number of initial sessions that start in quick succession.
const FIRST_ARRIVALS: u64 = 10;
/// If an event is later than this, all following events are shifted.
const MAX_DELAY_MS: i64 = 5_000;

/// A source of live events for the players of a universe.
pub struct Trickle {
    universe: Arc<Universe>,
    rng: ChaCha8Rng,
    schedule: Schedule,
    pause_ms: f64,
    next_arrival: i64,
    /// Offset of all planned times, if the caller slept for too long.
    shift: i64,
    arrivals: u64,
    /// Begin of the event ids.
    prefix: String,
}

impl Trickle {
    /// Generates `per_minute` events on average, starting at `now`. Event ids depend on `now`, so they differ after a restart.
    pub fn new(universe: Arc<Universe>, per_minute: f64, now: EpochMillis) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(mix(universe.seed ^ 0x4C49_5645, now.0 as u64));
        Self {
            prefix: format!("t{:x}-{:x}", universe.seed, now.0),
            universe,
            rng,
            schedule: Schedule::default(),
            pause_ms: 60_000.0 / per_minute.clamp(0.01, 60_000.0),
            next_arrival: now.0,
            shift: 0,
            arrivals: 0,
        }
    }

    /// Returns the next event and how long to wait before sending it. Its time is `now` plus the wait.
    ///
    /// Returns `None` only if the universe has no players.
    pub fn next_event(&mut self, now: EpochMillis) -> Option<(Duration, Event)> {
        if self.universe.players == 0 {
            return None;
        }
        while self.schedule.next_at().is_none_or(|at| self.next_arrival <= at) {
            self.start_session();
        }
        let mut event = self.schedule.pop()?;
        let at = event.event_time.0;
        let late = now.0 - (at + self.shift);
        if late > MAX_DELAY_MS {
            self.shift += late;
        }
        let due = at + self.shift;
        let wait = (due - now.0).max(0);
        event.event_time = EpochMillis(due);
        Some((Duration::from_millis(wait.unsigned_abs()), event))
    }

    fn start_session(&mut self) {
        let begin = self.next_arrival;
        let is_early = self.arrivals < FIRST_ARRIVALS;
        let mean = if is_early { self.pause_ms } else { self.pause_ms * EVENTS_PER_STAY };
        let chance: f64 = self.rng.random_range(1e-6..1.0);
        self.next_arrival += ((-chance.ln() * mean) as i64).clamp(1, 20 * mean.ceil() as i64);
        self.schedule.begin_at(begin);
        let end = begin + (sessions::length(&mut self.rng) as f64 * TEMPO) as i64 + 3 * 60_000;
        if let Some(session) = self.schedule.pick(&self.universe, &mut self.rng, begin, end) {
            self.arrivals += 1;
            self.schedule.add(&self.universe, &mut self.rng, session, &self.prefix, TEMPO, i64::MAX);
        }
    }
}

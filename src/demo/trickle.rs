//! Live events without end: players come, play quickly, and leave, at a pace that a feed looks alive with.

use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Universe;
use super::draws::mix;
use super::roster::Roster;
use super::stays::{self, Teller};
use super::timeline::{Due, pick_stay};
use crate::domain::events::Event;
use crate::domain::times::EpochMillis;

/// Pauses are this much shorter than in the history, so that few players fill a feed.
const TEMPO: f64 = 0.2;
/// A stay is as much shorter, and has about so many events.
const EVENTS_PER_STAY: f64 = 30.0;
/// How many stays begin one event's pause after another before the usual pace of arrivals.
const FIRST_ARRIVALS: u64 = 10;
/// An event that comes later than this moves everything after it, in milliseconds.
const LATE_MS: i64 = 5_000;

/// A source of live events for the players of a universe.
pub struct Trickle {
    universe: Arc<Universe>,
    rng: ChaCha8Rng,
    waiting: BinaryHeap<Due>,
    roster: Roster,
    pause_ms: f64,
    next_arrival: i64,
    /// Added to all planned times, after the caller slept for too long.
    shift: i64,
    arrivals: u64,
    began: i64,
}

impl Trickle {
    /// `per_minute` events on average; `now` is the first moment, and makes the ids different after a restart.
    pub fn new(universe: Arc<Universe>, per_minute: f64, now: EpochMillis) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(mix(universe.seed ^ 0x4C49_5645, now.0 as u64));
        Self {
            universe,
            rng,
            waiting: BinaryHeap::new(),
            roster: Roster::default(),
            pause_ms: 60_000.0 / per_minute.clamp(0.01, 60_000.0),
            next_arrival: now.0,
            shift: 0,
            arrivals: 0,
            began: now.0,
        }
    }

    /// The next event and how long to wait before sending it; its time is `now` plus that wait.
    ///
    /// `None` only when the universe has no players.
    pub fn next_event(&mut self, now: EpochMillis) -> Option<(Duration, Event)> {
        if self.universe.players == 0 {
            return None;
        }
        while self.waiting.peek().is_none_or(|due| self.next_arrival <= due.at) {
            self.arrive();
        }
        let Due { at, mut event, .. } = self.waiting.pop()?;
        let late = now.0 - (at + self.shift);
        if late > LATE_MS {
            self.shift += late;
        }
        let due = at + self.shift;
        let wait = (due - now.0).max(0);
        event.event_time = EpochMillis(due);
        Some((Duration::from_millis(wait.unsigned_abs()), event))
    }

    fn arrive(&mut self) {
        let begin = self.next_arrival;
        let is_early = self.arrivals < FIRST_ARRIVALS;
        let mean = if is_early { self.pause_ms } else { self.pause_ms * EVENTS_PER_STAY };
        let chance: f64 = self.rng.random_range(1e-6..1.0);
        self.next_arrival += ((-chance.ln() * mean) as i64).clamp(1, 20 * mean.ceil() as i64);
        self.roster.forget_before(begin);
        let end = begin + (stays::length(&mut self.rng) as f64 * TEMPO) as i64 + 3 * 60_000;
        let Some(stay) = pick_stay(&self.universe, &self.roster, &mut self.rng, begin, end) else { return };
        self.arrivals += 1;
        let id = format!("t{:x}-{:x}-{}", self.universe.seed, self.began, self.arrivals);
        self.roster.add(stay.clone());
        let told = stays::tell(Teller {
            universe: &self.universe,
            roster: &self.roster,
            rng: &mut self.rng,
            stay,
            id,
            tempo: TEMPO,
        });
        let order = self.arrivals;
        self.waiting.extend(told.into_iter().enumerate().map(|(place, event)| Due {
            at: event.event_time.0,
            order: (order, place),
            event,
        }));
    }

    /// How many players the trickle has in the game.
    pub fn online(&self) -> usize {
        self.roster.len()
    }
}

//! Generates the events of the last weeks, ordered by time. It works hour by hour and keeps only a few hours in memory.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Universe;
use super::online::Session;
use super::pilots::rhythm;
use super::random::mix;
use super::schedule::Schedule;
use super::sessions;
use crate::domain::events::Event;
use crate::domain::times::HOUR_MS;

/// Days of history before today.
const DAYS: i64 = 60;
/// Share of players who log in shortly after another one, and how often they choose the same game mode.
const COMPANY_SHARE: f64 = 0.5;
const MAX_COMPANY_DELAY_MS: i64 = 12 * 60_000;
const SAME_MODE_SHARE: f64 = 0.85;

/// See [`Universe::events`] and [`Universe::events_until_now`].
pub struct Timeline<'a> {
    universe: &'a Universe,
    schedule: Schedule,
    midnight: i64,
    /// Time of the last event.
    until: i64,
    /// The next hour to generate.
    hour: i64,
    weight_so_far: f64,
    weight_of_history: f64,
    /// Number of generated events, without those after midnight of sessions that began before.
    made: u64,
    /// Number of returned events before midnight.
    returned: u64,
    latest: Option<Session>,
}

impl<'a> Timeline<'a> {
    pub(super) fn new(universe: &'a Universe, with_today: bool) -> Self {
        let midnight = universe.now.day().start().0;
        let until = if with_today { universe.now.0 } else { midnight - 1 };
        let begin = midnight - DAYS * 24 * HOUR_MS;
        let mut timeline = Self {
            universe,
            schedule: Schedule::default(),
            midnight,
            until,
            hour: begin,
            weight_so_far: 0.0,
            weight_of_history: 0.0,
            made: 0,
            returned: 0,
            latest: None,
        };
        timeline.weight_of_history = (0..DAYS * 24).map(|hour| timeline.weight(begin + hour * HOUR_MS)).sum();
        timeline
    }

    fn weight(&self, at: i64) -> f64 {
        let since_patch = at - self.universe.patch_day_ms();
        let fresh_patch = if (0..72 * HOUR_MS).contains(&since_patch) { 1.5 } else { 1.0 };
        rhythm(at) * fresh_patch
    }

    fn make_hour(&mut self) {
        let begin = self.hour;
        self.hour += HOUR_MS;
        self.schedule.begin_at(begin);
        let mut rng = ChaCha8Rng::seed_from_u64(mix(self.universe.seed ^ 0x484F_5552, (begin / HOUR_MS) as u64));
        self.weight_so_far += self.weight(begin);
        // The last hour of the history reaches the requested number exactly.
        let target = (self.universe.events as f64 * (self.weight_so_far / self.weight_of_history)).round() as u64;
        while self.made < target && self.make_session(&mut rng, begin) {}
    }

    /// Generates one session that starts in this hour. Returns false if no player is free.
    fn make_session(&mut self, rng: &mut ChaCha8Rng, hour_begin: i64) -> bool {
        let company = self.latest.take().filter(|other| other.begin >= hour_begin && rng.random_bool(COMPANY_SHARE));
        let begin = match &company {
            Some(other) => other.begin + rng.random_range(0..MAX_COMPANY_DELAY_MS),
            None => hour_begin + rng.random_range(0..HOUR_MS),
        }
        .min(hour_begin + HOUR_MS - 1);
        let end = begin + sessions::length(rng);
        let Some(mut session) = self.schedule.pick(self.universe, rng, begin, end) else { return false };
        if let Some(other) = company.filter(|_| rng.random_bool(SAME_MODE_SHARE)) {
            session.mode = other.mode;
        }
        self.latest = Some(session.clone());
        let prefix = format!("d{:x}", self.universe.seed);
        let before = if begin < self.midnight { self.midnight } else { i64::MAX };
        self.made += self.schedule.add(self.universe, rng, session, &prefix, 1.0, before);
        true
    }
}

impl Iterator for Timeline<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            // An event is the next one if no hour to come can have an earlier one.
            while self.hour <= self.until && self.schedule.next_at().is_none_or(|at| at >= self.hour) {
                self.make_hour();
            }
            let event = self.schedule.pop().filter(|event| event.event_time.0 <= self.until)?;
            if event.event_time.0 >= self.midnight {
                return Some(event);
            }
            // The last session of the history may have more events than are missing.
            if self.returned < self.universe.events {
                self.returned += 1;
                return Some(event);
            }
        }
    }
}

//! Generates the events of the last weeks, ordered by time. It works hour by hour and keeps only a few hours in memory.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Universe;
use super::online::{Session, is_online};
use super::pilots::rhythm;
use super::random::{long_tail, mix};
use super::sessions;
use crate::domain::events::{Event, GameMode};
use crate::domain::times::HOUR_MS;

/// Days of history before today.
pub(super) const DAYS: i64 = 60;
/// Skew of player activity.
const ACTIVITY_BEND: f64 = 2.2;
/// Share of players who log in shortly after another one, and how often they choose the same game mode.
const COMPANY_SHARE: f64 = 0.5;
const MAX_COMPANY_DELAY_MS: i64 = 12 * 60_000;
const SAME_MODE_SHARE: f64 = 0.85;
/// Share of a session before midnight, by full hours between its start and midnight.
const BEFORE_MIDNIGHT: [f64; 3] = [0.45, 0.8, 0.93];

/// Scheduled events by their time, then by session and place in it.
pub(super) type Schedule = BTreeMap<(i64, u64, usize), Event>;

/// See [`Universe::events`] and [`Universe::events_until_now`].
pub struct Timeline<'a> {
    universe: &'a Universe,
    waiting: Schedule,
    online: Vec<Session>,
    begin: i64,
    midnight: i64,
    /// Time of the last event.
    until: i64,
    hour: i64,
    hours: i64,
    weight_so_far: f64,
    weight_of_history: f64,
    made_before_midnight: u64,
    made_today: f64,
    sessions: u64,
    latest: Option<Session>,
}

impl<'a> Timeline<'a> {
    pub(super) fn new(universe: &'a Universe, with_today: bool) -> Self {
        let midnight = universe.now.day().start().0;
        let begin = midnight - DAYS * 24 * HOUR_MS;
        let until = if with_today { universe.now.0 } else { midnight - 1 };
        let mut timeline = Self {
            universe,
            waiting: Schedule::new(),
            online: Vec::new(),
            begin,
            midnight,
            until,
            hour: 0,
            hours: (until - begin) / HOUR_MS + 1,
            weight_so_far: 0.0,
            weight_of_history: 0.0,
            made_before_midnight: 0,
            made_today: 0.0,
            sessions: 0,
            latest: None,
        };
        timeline.weight_of_history = (0..DAYS * 24).map(|hour| timeline.weight(hour)).sum();
        timeline
    }

    fn weight(&self, hour: i64) -> f64 {
        let at = self.begin + hour * HOUR_MS;
        let since_patch = at - self.universe.patch_day_ms();
        let fresh_patch = if (0..72 * HOUR_MS).contains(&since_patch) { 1.5 } else { 1.0 };
        let to_midnight = DAYS * 24 - hour - 1;
        let spill =
            usize::try_from(to_midnight).ok().and_then(|left| BEFORE_MIDNIGHT.get(left)).copied().unwrap_or(1.0);
        rhythm(at) * fresh_patch * spill
    }

    fn make_hour(&mut self) {
        let hour = self.hour;
        self.hour += 1;
        let begin = self.begin + hour * HOUR_MS;
        self.online.retain(|session| session.end >= begin);
        let mut rng = ChaCha8Rng::seed_from_u64(mix(self.universe.seed ^ 0x484F_5552, hour as u64));
        let weight = self.weight(hour);
        let planned = self.universe.events as f64;
        if begin < self.midnight {
            self.weight_so_far += weight;
            let is_last = hour == DAYS * 24 - 1;
            let share = if is_last { 1.0 } else { self.weight_so_far / self.weight_of_history };
            let target = (planned * share).round() as u64;
            while self.made_before_midnight < target && self.make_session(&mut rng, begin) {}
        } else {
            let target = self.made_today + planned * weight / self.weight_of_history;
            while self.made_today < target && self.make_session(&mut rng, begin) {}
        }
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
        let Some(mut session) = pick_session(self.universe, &self.online, rng, begin, end) else { return false };
        if let Some(other) = company.filter(|_| rng.random_bool(SAME_MODE_SHARE)) {
            session.mode = other.mode;
        }
        self.latest = Some(session.clone());
        self.sessions += 1;
        self.online.push(session.clone());
        let id = format!("d{:x}-{}", self.universe.seed, self.sessions);
        let events = sessions::generate(self.universe, &self.online, rng, session, id, 1.0);
        for (place, event) in events.into_iter().enumerate() {
            let at = event.event_time.0;
            if at < self.midnight {
                if self.made_before_midnight == self.universe.events {
                    // The rest of a truncated session is dropped as well.
                    break;
                }
                self.made_before_midnight += 1;
            } else if hour_begin >= self.midnight {
                self.made_today += 1.0;
            }
            if at <= self.until {
                self.waiting.insert((at, self.sessions, place), event);
            }
        }
        true
    }
}

impl Iterator for Timeline<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            let frontier = self.begin + self.hour * HOUR_MS;
            let is_finished = self.hour >= self.hours;
            if self.waiting.first_key_value().is_some_and(|((at, ..), _)| is_finished || *at < frontier) {
                return self.waiting.pop_first().map(|(_, event)| event);
            }
            if is_finished {
                return None;
            }
            self.make_hour();
        }
    }
}

/// Picks a player who is offline and likes to play at this hour, and a game mode.
pub(super) fn pick_session(
    universe: &Universe,
    online: &[Session],
    rng: &mut ChaCha8Rng,
    begin: i64,
    end: i64,
) -> Option<Session> {
    if universe.players == 0 {
        return None;
    }
    let mut draw = |attempts: usize, respect_hour: bool| {
        (0..attempts).find_map(|_| {
            let rank = long_tail(rng.random(), universe.players as usize, ACTIVITY_BEND);
            let player = universe.player_at_rank(rank as u32);
            let likes = !respect_hour || rng.random::<f64>() < universe.pilot(player).activity_at(begin);
            (likes && !is_online(online, player, begin, end)).then_some(player)
        })
    };
    let player = draw(30, true).or_else(|| draw(30, false))?;
    let mode = if rng.random::<f64>() < universe.pilot(player).arena_share() { GameMode::Ac } else { GameMode::Pu };
    Some(Session { player, begin, end, mode })
}

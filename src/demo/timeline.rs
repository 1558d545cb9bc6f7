//! All events of the last weeks in order of time, made hour by hour: memory holds a few hours, not the history.

use std::collections::BinaryHeap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Universe;
use super::draws::{long_tail, mix};
use super::pilots::rhythm;
use super::roster::{Roster, Stay};
use super::stays::{self, Teller};
use crate::domain::events::{Event, GameMode};

const HOUR_MS: i64 = 3_600_000;
/// Days before today that have events.
pub(super) const DAYS: i64 = 60;
/// The few play far more than the many.
const BEND: f64 = 2.2;
/// So many sign in with somebody: a little after, and mostly for the same mode.
const IN_COMPANY: f64 = 0.5;
const COMPANY_WITHIN_MS: i64 = 12 * 60_000;
const SAME_MODE: f64 = 0.85;
/// How much of a stay that begins so many hours before midnight still falls before it.
const BEFORE_MIDNIGHT: [f64; 3] = [0.45, 0.8, 0.93];

/// An event that waits for its turn: the earliest first, then in the order it was told.
pub(super) struct Due {
    pub(super) at: i64,
    pub(super) order: (u64, usize),
    pub(super) event: Event,
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.order) == (other.at, other.order)
    }
}
impl Eq for Due {}
impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Due {
    /// Reversed, since the heap gives its greatest first.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

/// See [`Universe::events`] and [`Universe::events_until_now`].
pub struct Timeline<'a> {
    universe: &'a Universe,
    waiting: BinaryHeap<Due>,
    roster: Roster,
    begin: i64,
    midnight: i64,
    /// Nothing later is given.
    until: i64,
    hour: i64,
    hours: i64,
    weight_so_far: f64,
    weight_of_history: f64,
    made_before_midnight: u64,
    made_today: f64,
    stays: u64,
    latest: Option<Stay>,
}

impl<'a> Timeline<'a> {
    pub(super) fn new(universe: &'a Universe, with_today: bool) -> Self {
        let midnight = universe.now.day().start().0;
        let begin = midnight - DAYS * 24 * HOUR_MS;
        let until = if with_today { universe.now.0 } else { midnight - 1 };
        let mut timeline = Self {
            universe,
            waiting: BinaryHeap::new(),
            roster: Roster::default(),
            begin,
            midnight,
            until,
            hour: 0,
            hours: (until - begin) / HOUR_MS + 1,
            weight_so_far: 0.0,
            weight_of_history: 0.0,
            made_before_midnight: 0,
            made_today: 0.0,
            stays: 0,
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
        self.roster.forget_before(begin);
        let mut rng = ChaCha8Rng::seed_from_u64(mix(self.universe.seed ^ 0x484F_5552, hour as u64));
        let weight = self.weight(hour);
        let planned = self.universe.events as f64;
        if begin < self.midnight {
            self.weight_so_far += weight;
            let is_last = hour == DAYS * 24 - 1;
            let share = if is_last { 1.0 } else { self.weight_so_far / self.weight_of_history };
            let target = (planned * share).round() as u64;
            while self.made_before_midnight < target && self.make_stay(&mut rng, begin) {}
        } else {
            let target = self.made_today + planned * weight / self.weight_of_history;
            while self.made_today < target && self.make_stay(&mut rng, begin) {}
        }
    }

    /// Tells one stay that begins in an hour; false when nobody is left to play.
    fn make_stay(&mut self, rng: &mut ChaCha8Rng, hour_begin: i64) -> bool {
        let company = self.latest.take().filter(|other| other.begin >= hour_begin && rng.random_bool(IN_COMPANY));
        let begin = match &company {
            Some(other) => other.begin + rng.random_range(0..COMPANY_WITHIN_MS),
            None => hour_begin + rng.random_range(0..HOUR_MS),
        }
        .min(hour_begin + HOUR_MS - 1);
        let end = begin + stays::length(rng);
        let Some(mut stay) = pick_stay(self.universe, &self.roster, rng, begin, end) else { return false };
        if let Some(other) = company.filter(|_| rng.random_bool(SAME_MODE)) {
            stay.mode = other.mode;
        }
        self.latest = Some(stay.clone());
        self.stays += 1;
        self.roster.add(stay.clone());
        let id = format!("d{:x}-{}", self.universe.seed, self.stays);
        let told = stays::tell(Teller { universe: self.universe, roster: &self.roster, rng, stay, id, tempo: 1.0 });
        for (place, event) in told.into_iter().enumerate() {
            let at = event.event_time.0;
            if at < self.midnight {
                if self.made_before_midnight == self.universe.events {
                    // The rest of a stay that was cut short must not come after midnight either.
                    break;
                }
                self.made_before_midnight += 1;
            } else if hour_begin >= self.midnight {
                self.made_today += 1.0;
            }
            if at <= self.until {
                self.waiting.push(Due { at, order: (self.stays, place), event });
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
            if self.waiting.peek().is_some_and(|due| is_finished || due.at < frontier) {
                return self.waiting.pop().map(|due| due.event);
            }
            if is_finished {
                return None;
            }
            self.make_hour();
        }
    }
}

/// Somebody who likes to play at that hour and is not playing yet, with the mode he plays in.
pub(super) fn pick_stay(
    universe: &Universe,
    roster: &Roster,
    rng: &mut ChaCha8Rng,
    begin: i64,
    end: i64,
) -> Option<Stay> {
    if universe.players == 0 {
        return None;
    }
    let mut draw = |patience: usize, mind_the_hour: bool| {
        (0..patience).find_map(|_| {
            let rank = long_tail(rng.random(), universe.players as usize, BEND);
            let player = universe.player_at_rank(rank as u32);
            let likes = !mind_the_hour || rng.random::<f64>() < universe.pilot(player).awake(begin);
            (likes && !roster.is_in(player, begin, end)).then_some(player)
        })
    };
    let player = draw(30, true).or_else(|| draw(30, false))?;
    let mode = if rng.random::<f64>() < universe.pilot(player).arena_share() { GameMode::Ac } else { GameMode::Pu };
    Some(Stay { player, begin, end, mode })
}

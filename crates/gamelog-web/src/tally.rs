//! What the page shows of a log before anything is sent.

use std::collections::BTreeMap;

use gamelog::catalogue::{vehicle_key, vehicle_name};
use gamelog::events::{Event, EventKind, GameMode, Identifier, OptIn};
use gamelog::play_sessions::{Mark, SessionKind, replay};
use gamelog::times::Day;
use serde::Serialize;

/// What is counted of the local player.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    pub events: u64,
    /// Logins.
    pub sessions: u64,
    pub universe_seconds: i64,
    /// Contracts completed.
    pub contracts: u64,
    pub deaths: u64,
    /// Incapacitations.
    pub downed: u64,
    pub kills: u64,
    pub npc_kills: u64,
    pub crashes: u64,
}

#[derive(Debug, Default, Clone, Copy)]
struct KindCount {
    count: u64,
    sent: u64,
}

/// Counts the events of one log.
#[derive(Debug, Default)]
pub struct Tally {
    days: BTreeMap<Day, Totals>,
    kinds: BTreeMap<Identifier, KindCount>,
    /// How often each ship was entered, by its class.
    ships: BTreeMap<String, u64>,
    /// Arrivals in the Persistent Universe and departures.
    marks: Vec<Mark>,
}

/// The counts in the form of the page.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counted<'t> {
    totals: Totals,
    months: Vec<Month>,
    kinds: Vec<Kind>,
    ships: Vec<Ship<'t>>,
}

#[derive(Serialize)]
struct Month {
    month: String,
    #[serde(flatten)]
    totals: Totals,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Kind {
    kind: Identifier,
    count: u64,
    sent: u64,
    opt_in: Option<&'static str>,
}

#[derive(Serialize)]
struct Ship<'t> {
    ship: &'t str,
    name: String,
    entered: u64,
}

impl Tally {
    /// Counts an event of a log whose local player is `player`.
    pub fn count(&mut self, event: &Event, player: Option<&str>, is_sent: bool) {
        let kind = self.kinds.entry(event.identifier).or_default();
        kind.count += 1;
        kind.sent += u64::from(is_sent);
        let is_player = |name: &Option<String>| {
            name.as_deref().zip(player).is_some_and(|(name, player)| name.eq_ignore_ascii_case(player))
        };
        let is_universe = event.game_mode != Some(GameMode::Ac);
        let totals = self.days.entry(event.event_time.day()).or_default();
        totals.events += 1;
        match event.identifier.kind() {
            EventKind::Login => totals.sessions += 1,
            EventKind::MissionCompleted => totals.contracts += 1,
            EventKind::Downed => totals.downed += 1,
            EventKind::GameCrashed => totals.crashes += 1,
            EventKind::Kill if is_player(&event.victim) => totals.deaths += 1,
            EventKind::Kill if is_player(&event.killer) => {
                let is_npc = event.victim_is_npc == Some(true);
                *(if is_npc { &mut totals.npc_kills } else { &mut totals.kills }) += 1;
            }
            EventKind::Connection | EventKind::UniverseLeft if is_universe => {
                let is_login = event.identifier.kind() == EventKind::Connection;
                self.marks.push(Mark { at: event.event_time, is_login });
            }
            EventKind::SeatEntered if event.game_mode == Some(GameMode::Pu) => {
                let ship = event.vehicle_name.as_deref().map(vehicle_key);
                ship.into_iter().for_each(|ship| *self.ships.entry(ship.to_owned()).or_default() += 1);
            }
            _ => {}
        }
    }

    pub fn counted(&self) -> Counted<'_> {
        let mut months = BTreeMap::<String, Totals>::new();
        for (day, totals) in &self.days {
            let month = months.entry(month_of(*day)).or_default();
            *month = std::mem::take(month).plus(totals);
        }
        for stay in replay(SessionKind::Universe, self.marks.clone()) {
            for (at, secs) in stay.secs_by_day() {
                months.entry(month_of(at.day())).or_default().universe_seconds += secs;
            }
        }
        let kind = |(kind, counts): (&Identifier, &KindCount)| Kind {
            kind: *kind,
            count: counts.count,
            sent: counts.sent,
            opt_in: kind.opt_in().map(|of| match of {
                OptIn::Pay => "pay",
                OptIn::Places => "places",
            }),
        };
        Counted {
            totals: months.values().fold(Totals::default(), Totals::plus),
            months: months.into_iter().map(|(month, totals)| Month { month, totals }).collect(),
            kinds: self.kinds.iter().map(kind).collect(),
            ships: self
                .ships
                .iter()
                .map(|(ship, entered)| Ship { ship, name: vehicle_name(ship).into_owned(), entered: *entered })
                .collect(),
        }
    }
}

impl Totals {
    fn plus(self, other: &Self) -> Self {
        Self {
            events: self.events + other.events,
            sessions: self.sessions + other.sessions,
            universe_seconds: self.universe_seconds + other.universe_seconds,
            contracts: self.contracts + other.contracts,
            deaths: self.deaths + other.deaths,
            downed: self.downed + other.downed,
            kills: self.kills + other.kills,
            npc_kills: self.npc_kills + other.npc_kills,
            crashes: self.crashes + other.crashes,
        }
    }
}

/// The UTC month of a day, such as `2025-04`.
fn month_of(day: Day) -> String {
    day.iso().chars().take(7).collect()
}

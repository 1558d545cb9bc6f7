//! The career of a player: contracts, ships and time in the Persistent Universe.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use gamelog::catalogue;

use super::profile::require_visible;
use crate::app::App;
use crate::domain::career::{Contracts, Feats, longest_life, median, most_in_a_day, seat_times};
use crate::domain::events::{GameMode, Identifier, OptIn, mode_code};
use crate::domain::scores::{Metric, Scores, progress};
use crate::domain::stickers::{Sticker, earned_by_career};
use crate::domain::times::Day;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::store::activity::shown_blueprints;
use crate::store::career::{self, CareerEvent};
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, EventRow, ShipRow};
use crate::store::{leaderboard, players};
use crate::views::career::*;
use crate::views::secs;

/// Kinds of events from which a career page is made.
const READ: [Identifier; 13] = [
    Identifier::Kill,
    Identifier::KillLog,
    Identifier::NpcKill,
    Identifier::NpcKillDashed,
    Identifier::SeatEntered,
    Identifier::SeatExited,
    Identifier::MissionComplete,
    Identifier::MissionCompleted,
    Identifier::MissionEnded,
    Identifier::BlueprintReceived,
    Identifier::Downed,
    Identifier::ShipCrashed,
    Identifier::GameCrashed,
];

/// What the database tells of a career.
struct Parts {
    scores: Scores,
    days: Vec<(i32, Scores)>,
    stays: Vec<(i64, i64)>,
    ships: Vec<ShipRow>,
    events: Vec<CareerEvent>,
    /// Pay and places, if the owner shares them.
    shared: Vec<EventRow>,
    /// The names of blueprints that are shown.
    blueprints: HashSet<String>,
}

impl Parts {
    fn read(conn: &mut AnyConn, player_id: i64, from: Day) -> diesel::QueryResult<Self> {
        let events = career::events_of(conn, player_id, &READ)?;
        let received = events.iter().filter(|event| event.identifier == Identifier::BlueprintReceived.code());
        let blueprints = shown_blueprints(conn, received.filter_map(|event| event.text.as_deref()))?;
        Ok(Self {
            scores: leaderboard::score_of(conn, player_id)?.map(|row| row.scores).unwrap_or_default(),
            days: players::days(conn, player_id, from.0)?,
            stays: career::stays(conn, player_id)?,
            ships: career::ships(conn, player_id)?,
            events,
            blueprints,
            shared: ingest::opt_in_reports(conn, player_id)?,
        })
    }

    fn of(&self, identifiers: &[Identifier]) -> impl Iterator<Item = &CareerEvent> {
        let codes: Vec<i16> = identifiers.iter().map(|identifier| identifier.code()).collect();
        self.events.iter().filter(move |event| codes.contains(&event.identifier))
    }

    fn shared_of(&self, kind: OptIn) -> impl Iterator<Item = &EventRow> {
        self.shared.iter().filter(move |event| event.identifier == kind.identifier().code())
    }

    fn count(&self, identifier: Identifier) -> i64 {
        self.of(&[identifier]).count() as i64
    }

    fn completions(&self) -> impl Iterator<Item = &CareerEvent> {
        self.of(&[Identifier::MissionComplete, Identifier::MissionCompleted])
    }

    /// Distinct blueprints, with the time at which each was first received.
    fn received(&self) -> Vec<(&str, i64)> {
        firsts(self.of(&[Identifier::BlueprintReceived]).map(|event| (event.text.as_deref(), event.event_time)))
    }

    fn feats(&self, player_id: i64) -> Feats {
        let mut first_flights: Vec<i64> =
            self.ships.iter().filter(|ship| ship.uses() > 0).map(|ship| ship.first_at).collect();
        first_flights.sort_unstable();
        let givers = firsts(self.completions().map(|event| (giver(event), event.event_time)));
        let crashes = self.of(&[Identifier::ShipCrashed, Identifier::GameCrashed]);
        Feats {
            contracts: self.completions().map(|event| event.event_time).collect(),
            givers: givers.into_iter().map(|(_, at)| at).collect(),
            ships: first_flights,
            blueprints: self.received().into_iter().map(|(_, at)| at).collect(),
            crashes: crashes.map(|event| event.event_time).collect(),
            stays: self.stays.clone(),
            deaths: self.deaths(player_id),
        }
    }

    /// The times at which the player died outside Arena Commander.
    fn deaths(&self, player_id: i64) -> Vec<i64> {
        let kills = [Identifier::Kill, Identifier::KillLog, Identifier::NpcKill, Identifier::NpcKillDashed];
        let is_death = |event: &&CareerEvent| {
            event.victim_id == Some(player_id) && event.game_mode != mode_code(Some(GameMode::Ac))
        };
        self.of(&kills).filter(is_death).map(|event| event.event_time).collect()
    }
}

/// What a player has done to earn stickers.
pub fn feats_of(conn: &mut AnyConn, player_id: i64) -> diesel::QueryResult<Feats> {
    Ok(Parts::read(conn, player_id, Day(i32::MAX))?.feats(player_id))
}

/// Each name with the time of its first event. The events are in order of time.
fn firsts<T: Ord + Clone>(events: impl Iterator<Item = (Option<T>, i64)>) -> Vec<(T, i64)> {
    let mut seen = BTreeSet::new();
    events.filter_map(|(name, at)| Some((name?, at))).filter(|(name, _)| seen.insert(name.clone())).collect()
}

/// The career of a player, with its newest days.
pub async fn career(app: &App, viewer: &Viewer, handle: &str, days: i32) -> Result<CareerView, AppError> {
    let player = require_visible(&app.store, viewer, handle).await?;
    let today = app.store.now().day();
    let from = Day(today.0 - days + 1);
    let (id, sharing) = (player.id, player.sharing);
    let parts = app.store.read(move |conn| Parts::read(conn, id, from)).await?;
    let (scores, deaths) = (parts.scores, parts.deaths(id));
    let ranks = app.projections.players();
    let rank = |metric: Metric| ranks.rank(metric, scores.get(metric));
    let givers = by_giver(&parts);
    let mut all = Contracts::default();
    endings(&parts).for_each(|(_, outcome, duration)| all.end(outcome, duration));
    Ok(CareerView {
        career: scores.career,
        rank_career: rank(Metric::Career),
        progress: progress(scores.career),
        contracts_completed: scores.missions_completed,
        universe_time: scores.universe_time,
        ships_flown: scores.ships_flown,
        rank_ships_flown: rank(Metric::ShipsFlown),
        longest_life: longest_life(&parts.stays, &deaths),
        deaths: deaths.len() as i64,
        survival: scores.universe_time.checked_div(deaths.len() as i64),
        downed: parts.count(Identifier::Downed),
        ship_crashes: parts.count(Identifier::ShipCrashed),
        game_crashes: parts.count(Identifier::GameCrashed),
        contract_success: all.success(),
        contract_duration: median(all.durations),
        days: day_rows(&parts.days, from, today),
        givers,
        ships: ship_rows(&parts),
        blueprints_received: parts.received().len() as i64,
        blueprints: blueprints(&parts),
        records: records(&parts),
        stickers: stickers(&app.settings.stickers, &parts.feats(id)),
        pay: sharing.shares_pay.then(|| pay(&parts)),
        places: sharing.shares_places.then(|| places(&parts)),
    })
}

/// Contracts that ended: `(giver, outcome, duration)`, without an outcome if they were completed.
fn endings(parts: &Parts) -> impl Iterator<Item = (Option<String>, Option<&str>, Option<i64>)> {
    let completed = parts.completions().map(|event| (giver(event), None, event.seconds));
    let ended = parts.of(&[Identifier::MissionEnded]);
    completed.chain(ended.map(|e| (giver(e), Some(e.outcome.as_deref().unwrap_or_default()), e.seconds)))
}

fn giver(event: &CareerEvent) -> Option<String> {
    event.issuer.as_deref().map(catalogue::giver_name)
}

fn by_giver(parts: &Parts) -> Vec<GiverRow> {
    let mut givers: BTreeMap<Option<String>, Contracts> = BTreeMap::new();
    for (giver, outcome, duration) in endings(parts) {
        givers.entry(giver).or_default().end(outcome, duration);
    }
    let row = |(giver, contracts): (Option<String>, Contracts)| GiverRow {
        giver,
        completed: contracts.completed,
        failed: contracts.failed,
        abandoned: contracts.abandoned,
        success: contracts.success(),
        duration: median(contracts.durations),
    };
    let mut rows: Vec<GiverRow> = givers.into_iter().map(row).collect();
    rows.sort_by_key(|row| Reverse(row.completed));
    rows
}

fn day_rows(days: &[(i32, Scores)], from: Day, today: Day) -> Vec<CareerDay> {
    let known: BTreeMap<i32, Scores> = days.iter().copied().collect();
    let row = |day: i32| {
        let scores = known.get(&day).copied().unwrap_or_default();
        CareerDay {
            day: Day(day).iso(),
            universe_time: scores.universe_time,
            contracts: scores.missions_completed,
            career: scores.career,
        }
    };
    (from.0..=today.0).map(row).collect()
}

fn ship_rows(parts: &Parts) -> Vec<ShipFlown> {
    let entered = Identifier::SeatEntered.code();
    let in_universe = |event: &&CareerEvent| event.game_mode == mode_code(Some(GameMode::Pu));
    let seats = parts.of(&[Identifier::SeatEntered, Identifier::SeatExited]).filter(in_universe);
    let marks: Vec<_> = seats
        .filter_map(|event| Some((event.vehicle_name.as_deref()?, event.event_time, event.identifier == entered)))
        .collect();
    let mut timed: BTreeMap<&str, i64> = BTreeMap::new();
    for (vehicle, secs) in seat_times(&marks) {
        *timed.entry(catalogue::vehicle_key(vehicle)).or_default() += secs;
    }
    let row = |ship: &ShipRow| ShipFlown {
        id: ship.ship.clone(),
        name: catalogue::vehicle_name(&ship.ship).into_owned(),
        uses: ship.uses(),
        timed: timed.get(ship.ship.as_str()).copied().unwrap_or_default(),
        last_flown: secs(ship.last_at),
    };
    let mut rows: Vec<ShipFlown> = parts.ships.iter().filter(|ship| ship.uses() > 0).map(row).collect();
    rows.sort_by(|a, b| b.uses.cmp(&a.uses).then_with(|| a.name.cmp(&b.name)));
    rows
}

/// The blueprints whose names are shown, newest first.
fn blueprints(parts: &Parts) -> Vec<Blueprint> {
    let shown = parts.received().into_iter().filter(|(name, _)| parts.blueprints.contains(*name));
    shown.rev().map(|(name, at)| Blueprint { name: name.to_owned(), received_at: secs(at) }).collect()
}

fn records(parts: &Parts) -> CareerRecords {
    let mut quickest: BTreeMap<&str, i64> = BTreeMap::new();
    for (kind, seconds) in parts.completions().filter_map(|e| Some((e.contract_kind.as_deref()?, e.seconds?))) {
        let best = quickest.entry(kind).or_insert(seconds);
        *best = seconds.min(*best);
    }
    let quickest = quickest.into_iter().map(|(kind, seconds)| QuickestContract { kind: kind.to_owned(), seconds });
    CareerRecords {
        longest_stay: parts.stays.iter().map(|(from, until)| (until - from) / 1000).max().unwrap_or_default(),
        most_contracts_in_a_day: most_in_a_day(parts.completions().map(|event| event.event_time)),
        quickest: quickest.collect(),
    }
}

fn stickers(all: &[Sticker], feats: &Feats) -> Vec<EarnedSticker> {
    let earned = earned_by_career(all, feats).into_iter();
    earned.map(|(id, at)| EarnedSticker { id: id.to_owned(), earned_at: secs(at) }).collect()
}

fn pay(parts: &Parts) -> Pay {
    let amounts = || parts.shared_of(OptIn::Pay).filter_map(|event| event.details.amount);
    Pay { total: amounts().sum(), payouts: amounts().count() as i64 }
}

fn places(parts: &Parts) -> Vec<PlaceRow> {
    let mut visits: BTreeMap<&str, i64> = BTreeMap::new();
    for place in parts.shared_of(OptIn::Places).filter_map(|event| event.details.zone.as_deref()) {
        *visits.entry(place).or_default() += 1;
    }
    let row = |(place, visits): (&str, i64)| PlaceRow {
        id: place.to_owned(),
        name: catalogue::place_name(place).into_owned(),
        visits,
    };
    let mut rows: Vec<PlaceRow> = visits.into_iter().map(row).collect();
    rows.sort_by_key(|row| Reverse(row.visits));
    rows
}

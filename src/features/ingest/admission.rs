//! What new events are worth, and why some of those that accounts report do not count.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::catalogue::is_contract_class;
use crate::domain::events::{EventKind, Party, ValidEvent};
use crate::domain::patches::Patch;
use crate::domain::times::EpochMillis;
use crate::domain::trust::limits::{CONTRACTS, FIGHTS, LONGEST_WINDOW_MS, Occurrences, PLAYER_KILLS};
use crate::domain::trust::{Assessment, Reasons, Report, TrustRules, assess};
use crate::store::Tx;
use crate::store::ingest::{self, RecentEvent};

use super::classify::Submission;
use super::resolve_players::ResolvedPlayers;

/// The damage type of kills by the loss of a vehicle: its crew is one fight.
const CREW_LOSS: &str = "VehicleDestruction";

/// Assesses new events, in their order. `excess_names` are players whose names their reporter may not add.
pub(super) fn assess_new(
    tx: &mut Tx,
    new: &[Submission],
    people: &ResolvedPlayers,
    excess_names: &HashSet<i64>,
    rules: &TrustRules,
) -> diesel::QueryResult<Vec<Assessment>> {
    let mut assessed: Vec<Assessment> =
        new.iter().map(|submission| assess_one(submission, people, excess_names, rules)).collect();
    let limited: Vec<usize> = (0..new.len())
        .filter(|at| assessed[*at].reasons == Reasons::NONE && !new[*at].reporter.scope.is_operator())
        .filter(|at| is_limited(new[*at].event))
        .collect();
    if limited.is_empty() {
        return Ok(assessed);
    }
    let mut known = Activity::read(tx, &limited.iter().map(|at| new[*at]).collect::<Vec<_>>(), people)?;
    for at in limited {
        assessed[at].reasons = known.admit(new[at].event, people);
    }
    Ok(assessed)
}

fn assess_one(
    submission: &Submission,
    people: &ResolvedPlayers,
    excess_names: &HashSet<i64>,
    rules: &TrustRules,
) -> Assessment {
    let Submission { event, sender, reporter, .. } = submission;
    let report = Report { provenance: Some(submission.provenance), reporter: reporter.scope };
    let mut assessed = assess(event, &[report]);
    let mut hold = |is_held: bool, reason: Reasons| {
        if is_held {
            assessed.reasons = assessed.reasons.with(reason);
        }
    };
    hold(!sender.is_live_channel, Reasons::OTHER_CHANNEL);
    if !reporter.scope.is_operator() {
        let at = event.event_time.0;
        let ids = people.ids_of(event).distinct();
        let is_in_other_log = sender.other_logs.iter().any(|(first, last)| *first < at && at < *last);
        hold(is_unknown_kind(event, sender.build_version, rules), Reasons::UNKNOWN_KIND);
        hold(is_in_other_log, Reasons::TWO_LOGS);
        hold(ids.iter().any(|id| people.is_provisional(*id)), Reasons::PROVISIONAL_NAME);
        hold(ids.iter().any(|id| excess_names.contains(id)), Reasons::TOO_MANY_NAMES);
    }
    assessed
}

/// Whether no known build of the game writes such an event. The patch of the event decides, or else the build that the log names.
fn is_unknown_kind(event: &ValidEvent, build_version: Option<i64>, rules: &TrustRules) -> bool {
    let version = event.patch.as_ref().map(Patch::version).or(build_version);
    let is_newer = |last: i64| version.is_some_and(|version| version > last);
    event.identifier.is_fight() && rules.last_fight_patch.is_some_and(is_newer)
}

/// Whether the number of such events in a time is limited.
fn is_limited(event: &ValidEvent) -> bool {
    match event.identifier.kind() {
        EventKind::MissionCompleted => true,
        _ => event.identifier.is_fight() && event.killer.player().is_some(),
    }
}

/// What players did around the time of new events, as far as it counts.
#[derive(Default)]
struct Activity {
    fights: HashMap<i64, Occurrences>,
    player_kills: HashMap<i64, Occurrences>,
    contracts: HashMap<i64, Occurrences>,
    /// Seconds in which a killer's vehicle losses killed crews.
    crew_losses: HashSet<(i64, i64)>,
    /// Completed missions by player and id.
    missions: HashSet<(i64, String)>,
}

impl Activity {
    fn read(tx: &mut Tx, new: &[Submission], people: &ResolvedPlayers) -> diesel::QueryResult<Self> {
        let actors: BTreeSet<i64> = new.iter().filter_map(|submission| actor(submission.event, people)).collect();
        let times = || new.iter().map(|submission| submission.event.event_time.0);
        let (from, to) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        let actors: Vec<i64> = actors.into_iter().collect();
        let mut activity = Self::default();
        for event in ingest::recent_events(tx, &actors, from - LONGEST_WINDOW_MS, to + LONGEST_WINDOW_MS)? {
            activity.add(&event);
        }
        Ok(activity)
    }

    fn add(&mut self, event: &RecentEvent) {
        let at = EpochMillis(event.event_time);
        if event.is_mission {
            self.contracts.entry(event.actor_id).or_default().add(at);
            self.missions.extend(event.contract_id.clone().map(|id| (event.actor_id, id)));
            return;
        }
        let is_crew_loss = event.damage_type.as_deref() == Some(CREW_LOSS);
        if !is_crew_loss || self.crew_losses.insert((event.actor_id, event.event_time.div_euclid(1_000))) {
            self.fights.entry(event.actor_id).or_default().add(at);
        }
        if event.is_player_kill {
            self.player_kills.entry(event.actor_id).or_default().add(at);
        }
    }

    /// Counts a new event if the limits permit it, or else returns why it is held.
    fn admit(&mut self, event: &ValidEvent, people: &ResolvedPlayers) -> Reasons {
        let Some(actor) = actor(event, people) else { return Reasons::NONE };
        if event.identifier.is_fight() { self.admit_fight(event, actor) } else { self.admit_mission(event, actor) }
    }

    fn admit_fight(&mut self, event: &ValidEvent, killer: i64) -> Reasons {
        let at = event.event_time;
        let is_player_kill = event.identifier.kind() == EventKind::Kill && matches!(event.victim, Party::Player(_));
        let is_crew_loss = event.damage_type.as_deref() == Some(CREW_LOSS);
        let is_same_loss = is_crew_loss && self.crew_losses.contains(&(killer, at.0.div_euclid(1_000)));
        if !is_same_loss && !self.fights.entry(killer).or_default().add_within(at, FIGHTS) {
            return Reasons::TOO_MANY_FIGHTS;
        }
        if is_crew_loss {
            self.crew_losses.insert((killer, at.0.div_euclid(1_000)));
        }
        if is_player_kill && !self.player_kills.entry(killer).or_default().add_within(at, PLAYER_KILLS) {
            return Reasons::TOO_MANY_KILLS;
        }
        Reasons::NONE
    }

    fn admit_mission(&mut self, event: &ValidEvent, player: i64) -> Reasons {
        if let Some(id) = mission_id(event)
            && !self.missions.insert((player, id.to_owned()))
        {
            return Reasons::REPEATED_CONTRACT;
        }
        let is_within = self.contracts.entry(player).or_default().add_within(event.event_time, CONTRACTS);
        if is_within { Reasons::NONE } else { Reasons::TOO_MANY_CONTRACTS }
    }
}

/// The id of a single mission. Earlier builds write the class of the contract instead.
fn mission_id(event: &ValidEvent) -> Option<&str> {
    event.contract_id.as_deref().filter(|id| !is_contract_class(id))
}

/// The player whose number of events is limited.
fn actor(event: &ValidEvent, people: &ResolvedPlayers) -> Option<i64> {
    let ids = people.ids_of(event);
    if event.identifier.is_fight() { ids.killer } else { ids.player }
}

//! Contracts of the local player: joins the lines of one contract to one acceptance and one ending.

use std::collections::{HashMap, VecDeque};

use crate::catalogue::contract_kind;
use crate::events::{Event, Identifier};
use crate::times::EpochMillis;

use super::emitter::{Emitter, NO_DEADLINE};
use super::grammar::Fields;
use super::notice::Notice;
use super::text;

/// The lines of one step occur within this time; afterwards the name is final.
const JOIN_WINDOW_MS: i64 = 1000;
/// A completion without a mission id belongs to a mission that ended at most this long before or after it.
const COMPLETION_WINDOW_MS: i64 = 2000;
/// The markers of accepted contracts are written again within this time of an arrival.
const RESTORE_WINDOW_MS: i64 = 60_000;
const MAX_MISSIONS: usize = 512;
const MAX_ID_BYTES: usize = 64;
/// Sites take no longer names of classes.
const MAX_ISSUER_BYTES: usize = 80;
/// Sites take no longer times. A mission is never open for 30 days.
const MAX_MISSION_MS: i64 = 30 * 24 * 60 * 60 * 1000;
const NO_MISSION: &str = "00000000-0000-0000-0000-000000000000";
/// The name of a contract that the log never names.
const UNNAMED: &str = "Unknown Mission";

#[derive(Default)]
pub(super) struct Missions {
    known: HashMap<String, Mission>,
    order: VecDeque<String>,
    titles: HashMap<String, String>,
    /// Givers by mission id. Such lines also occur before the player has the mission, so they make no mission known.
    givers: HashMap<String, String>,
    pending: VecDeque<Step>,
    /// The last completion of a mission with an id, and its time, until a completion without an id repeats it.
    completed: Option<(String, EpochMillis)>,
    /// The endings that a payout can belong to, with the mission id, if there is one.
    endings: VecDeque<(Option<String>, EpochMillis)>,
    arrived: Option<EpochMillis>,
}

#[derive(Default)]
struct Mission {
    title: Option<String>,
    contract: Option<String>,
    definition: Option<String>,
    /// The name of the generator, which gives the contract.
    issuer: Option<String>,
    is_accepted: bool,
    /// When the player accepted it; `None` if the log only shows it again after an arrival.
    accepted_at: Option<EpochMillis>,
    /// Name and id that its acceptance was emitted with; its ending uses the same.
    emitted_as: Option<(String, Option<String>)>,
    is_ended: bool,
    /// A completion without a mission id is this mission's.
    is_merged: bool,
    /// `objective id:state` of the steps already recorded.
    steps: Vec<String>,
}

impl Mission {
    /// Takes the title of a completion without an id. The first title stays.
    fn merge(&mut self, title: String) {
        self.is_merged = true;
        self.title.get_or_insert(title);
    }
}

/// An event that waits for the other lines of the same step.
struct Step {
    event: Event,
    mission: String,
    objective: String,
    /// A completion without a mission id.
    lacks_id: bool,
}

impl Step {
    /// A completion with a mission id and one without wait for each other.
    fn deadline(&self) -> i64 {
        let is_completion = self.event.identifier == Identifier::MissionComplete;
        self.event.event_time.0 + if is_completion { COMPLETION_WINDOW_MS } else { JOIN_WINDOW_MS } + 1
    }
}

impl Missions {
    pub fn deadline(&self) -> i64 {
        self.pending.front().map_or(NO_DEADLINE, Step::deadline)
    }

    pub fn flush(&mut self, now: EpochMillis, emitter: &mut Emitter) {
        while self.deadline() <= now.0 {
            let Some(step) = self.pending.pop_front() else { return };
            self.emit_step(step, emitter);
        }
    }

    /// Handles a marker: it names the contract, and the first one of a mission is also its acceptance.
    pub fn on_marker(&mut self, line: &Fields, at: EpochMillis, emitter: &Emitter) {
        let id = line.text("mission");
        let Some(mission) = self.mission(&id) else { return };
        let (contract, definition) =
            (text::clean_name(&line.text("contract")), text::clean_name(&line.text("definition")));
        mission.contract = Some(contract).filter(|c| !c.is_empty()).or(mission.contract.take());
        mission.definition = Some(definition).filter(|d| !d.is_empty()).or(mission.definition.take());
        let issuer = Some(line.text("generator")).filter(|name| (1..=MAX_ISSUER_BYTES).contains(&name.len()));
        mission.issuer = issuer.or(mission.issuer.take());
        self.accept(&id, at, emitter);
    }

    /// Handles a message of the giver of a mission. Its name says more than that of the generator.
    pub fn on_giver(&mut self, id: &str, giver: &str) {
        let is_valid = id != NO_MISSION && id.len() <= MAX_ID_BYTES && (1..=MAX_ISSUER_BYTES).contains(&giver.len());
        if is_valid && self.givers.len() < MAX_MISSIONS {
            self.givers.insert(id.to_owned(), giver.to_owned());
        }
    }

    pub fn on_start(&mut self, id: &str, definition: &str, at: EpochMillis, emitter: &Emitter) {
        let Some(mission) = self.mission(id) else { return };
        mission.definition = Some(text::clean_name(definition)).filter(|d| !d.is_empty()).or(mission.definition.take());
        mission.accepted_at.get_or_insert(at);
        self.accept(id, at, emitter);
    }

    /// Markers that follow an arrival are those of contracts accepted before.
    pub fn on_arrival(&mut self, at: EpochMillis) {
        self.arrived = Some(at);
    }

    /// Handles a notification. It always belongs to the local player, so its mission is the player's.
    pub fn on_notice(
        &mut self,
        notice: Notice,
        rest: &str,
        id: &str,
        objective: &str,
        at: EpochMillis,
        emitter: &mut Emitter,
    ) {
        if id == NO_MISSION && notice == Notice::Complete {
            self.complete_without_id(rest, at, emitter);
            return;
        }
        let is_about_objective = matches!(notice, Notice::NewObjective | Notice::ObjectiveComplete);
        let Some(mission) = self.mission(id) else { return };
        if !is_about_objective && mission.title.is_none() {
            mission.title = text::contract_title(rest);
        }
        match notice {
            Notice::Accepted => {
                mission.accepted_at.get_or_insert(at);
                self.accept(id, at, emitter);
            }
            Notice::Complete => self.end(id, Outcome::Complete, at, emitter),
            Notice::Failed => self.end(id, Outcome::Failed, at, emitter),
            Notice::Withdrawn => self.end(id, Outcome::Withdrawn, at, emitter),
            Notice::Abandoned => self.end(id, Outcome::Abandoned, at, emitter),
            Notice::NewObjective => {
                self.record_objective(id, objective, Identifier::Objective, text::objective_text(rest), at, emitter);
            }
            Notice::ObjectiveComplete => {
                self.record_objective(
                    id,
                    objective,
                    Identifier::MissionUpdated,
                    text::objective_text(rest),
                    at,
                    emitter,
                );
            }
            Notice::Downed | Notice::Blueprint | Notice::Payout => {}
        }
    }

    pub fn on_objective_state(&mut self, line: &Fields, at: EpochMillis, emitter: &Emitter) {
        let (id, objective) = (line.text("mission"), line.text("objective"));
        let identifier = match line.text("state").as_str() {
            "INPROGRESS" => Identifier::Objective,
            "COMPLETED" => Identifier::MissionUpdated,
            _ => return,
        };
        // Such messages also occur for missions that the player never had; those stay unknown and produce no event.
        if !line.text("flags").split('|').any(|flag| flag.trim() == "Hidden") {
            self.record_objective(&id, &objective, identifier, None, at, emitter);
        }
    }

    /// Handles the only ending that names the player.
    pub fn on_end_mission(&mut self, line: &Fields, at: EpochMillis, emitter: &mut Emitter) {
        if emitter.handle().is_some() && !emitter.is_own(&line.text("handle"), &line.text("geid")) {
            return;
        }
        let outcome = match line.text("completion").as_str() {
            "Complete" => Outcome::Complete,
            "Abandon" => Outcome::Abandoned,
            "Fail" => Outcome::Failed,
            "Deactivate" => Outcome::Deactivated,
            _ => return,
        };
        let id = line.text("mission");
        if self.mission(&id).is_some() {
            self.end(&id, outcome, at, emitter);
            if outcome == Outcome::Complete {
                self.merge_completion(id, at);
            }
        }
    }

    pub fn on_ended(&mut self, id: &str, state: &str, at: EpochMillis, emitter: &mut Emitter) {
        let outcome = match state {
            "COMPLETED" => Outcome::Complete,
            "FAILED" => Outcome::Failed,
            "ABANDONED" => Outcome::Abandoned,
            "WITHDRAWN" => Outcome::Withdrawn,
            _ => return,
        };
        // This message also occurs for missions that the player never had.
        if self.known.contains_key(id) {
            self.end(id, outcome, at, emitter);
        }
    }

    /// The mission with this id, created on first use. `None` for the id that means no mission.
    fn mission(&mut self, id: &str) -> Option<&mut Mission> {
        if id == NO_MISSION || id.is_empty() || id.len() > MAX_ID_BYTES {
            return None;
        }
        Some(self.remember(id))
    }

    fn remember(&mut self, id: &str) -> &mut Mission {
        if !self.known.contains_key(id) {
            self.order.push_back(id.to_owned());
            if self.order.len() > MAX_MISSIONS
                && let Some(oldest) = self.order.pop_front()
            {
                self.known.remove(&oldest);
            }
        }
        self.known.entry(id.to_owned()).or_default()
    }

    fn accept(&mut self, id: &str, at: EpochMillis, emitter: &Emitter) {
        let Some(mission) = self.known.get_mut(id) else { return };
        if !std::mem::replace(&mut mission.is_accepted, true) && !mission.is_ended {
            if self.arrived.is_none_or(|arrived| at.0 - arrived.0 > RESTORE_WINDOW_MS) {
                mission.accepted_at.get_or_insert(at);
            }
            self.enqueue(id, "", mission_event(Identifier::MissionAccepted, id, at, emitter));
        }
    }

    fn record_objective(
        &mut self,
        id: &str,
        objective: &str,
        identifier: Identifier,
        text: Option<String>,
        at: EpochMillis,
        emitter: &Emitter,
    ) {
        let Some(mission) = self.known.get_mut(id) else { return };
        let step = format!("{objective}:{}", identifier.as_str());
        if mission.steps.contains(&step) {
            let is_same = |s: &&mut Step| {
                s.mission == id
                    && s.objective == objective
                    && s.event.identifier == identifier
                    && s.event.text.is_none()
            };
            if let Some(pending) = self.pending.iter_mut().find(is_same) {
                pending.event.text = text;
            }
            return;
        }
        mission.steps.push(step);
        let event = Event { text, ..mission_event(identifier, &format!("{id}:{objective}"), at, emitter) };
        self.enqueue(id, objective, event);
    }

    fn end(&mut self, id: &str, outcome: Outcome, at: EpochMillis, emitter: &Emitter) {
        let Some(mission) = self.known.get_mut(id) else { return };
        if std::mem::replace(&mut mission.is_ended, true) {
            return;
        }
        let seconds = mission.accepted_at.map(|accepted| at.0 - accepted.0);
        let seconds = seconds.filter(|taken| (0..=MAX_MISSION_MS).contains(taken)).map(|taken| taken / 1000);
        remember_ending(&mut self.endings, Some(id.to_owned()), at);
        let identifier = match outcome {
            Outcome::Complete => Identifier::MissionComplete,
            _ => Identifier::MissionEnded,
        };
        if outcome == Outcome::Complete {
            self.completed = Some((id.to_owned(), at));
        }
        let outcome = outcome.name().map(str::to_owned);
        self.enqueue(id, "", Event { seconds, outcome, ..mission_event(identifier, id, at, emitter) });
    }

    /// Some builds write completions with the id that means no mission. The time and the title identify such a contract, unless a
    /// mission with an id has just ended.
    fn complete_without_id(&mut self, rest: &str, at: EpochMillis, emitter: &Emitter) {
        let Some(title) = text::contract_title(rest) else { return };
        let id = format!("{}:{title}", at.0);
        if self.known.contains_key(&id) {
            return;
        }
        *self.remember(&id) = Mission { title: Some(title.clone()), is_ended: true, ..Mission::default() };
        let ended = self.completed.take().filter(|(_, ended)| is_same_completion(*ended, at));
        if let Some(mission) = ended.and_then(|(id, _)| self.known.get_mut(&id)) {
            mission.merge(title);
            return;
        }
        remember_ending(&mut self.endings, None, at);
        let event = mission_event(Identifier::MissionComplete, &id, at, emitter);
        self.pending.push_back(Step { event, mission: id, objective: String::new(), lacks_id: true });
    }

    /// Merges a waiting completion without an id into the mission with this id, which has ended. If none waits, the next one is merged.
    fn merge_completion(&mut self, id: String, at: EpochMillis) {
        if self.known.get(&id).is_none_or(|mission| mission.is_merged) {
            return;
        }
        let is_same = |step: &Step| step.lacks_id && is_same_completion(step.event.event_time, at);
        let step = self.pending.iter().position(is_same).and_then(|place| self.pending.remove(place));
        if let Some(step) = &step {
            self.endings.retain(|(id, ended)| id.is_some() || *ended != step.event.event_time);
        }
        let title = step.and_then(|step| self.known.get(&step.mission)).and_then(|mission| mission.title.clone());
        match (title, self.known.get_mut(&id)) {
            (Some(title), Some(mission)) => {
                mission.merge(title);
                self.completed = None;
            }
            _ => self.completed = Some((id, at)),
        }
    }

    /// Handles a payout, which names no mission: it belongs to the only ending shortly before it.
    pub fn on_payout(&mut self, rest: &str, number: &str, at: EpochMillis, emitter: &mut Emitter) {
        let Some(amount) = text::amount(rest) else { return };
        let mut endings =
            self.endings.iter().filter(|(_, ended)| (0..=COMPLETION_WINDOW_MS).contains(&(at.0 - ended.0)));
        let mission_id = match (endings.next(), endings.next()) {
            (Some((id, _)), None) => id.clone(),
            _ => None,
        };
        let event = emitter.event(Identifier::Payout, at, number);
        emitter.emit_own(Event { amount: Some(amount), mission_id, ..event });
    }

    fn enqueue(&mut self, id: &str, objective: &str, event: Event) {
        self.pending.push_back(Step {
            event,
            mission: id.to_owned(),
            objective: objective.to_owned(),
            lacks_id: false,
        });
    }

    fn emit_step(&mut self, step: Step, emitter: &mut Emitter) {
        let Some(mission) = self.known.get_mut(&step.mission) else { return };
        let mut event = step.event;
        if let (Some(contract), Some(title)) = (&mission.contract, &mission.title)
            && self.titles.len() < MAX_MISSIONS
        {
            self.titles.insert(contract.clone(), title.clone());
        }
        let contract_id = mission.contract.clone().or_else(|| mission.definition.clone());
        let known_title = mission.contract.as_ref().and_then(|contract| self.titles.get(contract).cloned());
        let name = mission.title.clone().or(known_title).or_else(|| mission.contract.clone());
        let counts = matches!(event.identifier, Identifier::MissionAccepted | Identifier::MissionComplete);
        let named = match (&mission.emitted_as, name) {
            (Some((name, id)), _) => (Some(name.clone()), id.clone()),
            (None, Some(name)) => (Some(name), contract_id),
            (None, None) => (counts.then(|| UNNAMED.to_owned()), contract_id),
        };
        if counts && let (Some(name), id) = &named {
            mission.emitted_as = Some((name.clone(), id.clone()));
        }
        (event.contract_name, event.contract_id) = named;
        if counts || event.identifier == Identifier::MissionEnded {
            let (contract, issuer) = (mission.contract.as_deref(), mission.issuer.as_deref());
            event.contract_kind = contract_kind(contract, issuer, mission.title.as_deref()).map(str::to_owned);
            event.issuer = self.givers.get(&step.mission).or(mission.issuer.as_ref()).cloned();
            event.mission_id = Some(step.mission).filter(|_| !step.lacks_id);
        }
        emitter.emit_own(event);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Complete,
    Failed,
    Abandoned,
    Withdrawn,
    Deactivated,
}

impl Outcome {
    /// The name in events; a completion has its own identifier.
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Complete => None,
            Self::Failed => Some("failed"),
            Self::Abandoned => Some("abandoned"),
            Self::Withdrawn => Some("withdrawn"),
            Self::Deactivated => Some("deactivated"),
        }
    }
}

fn remember_ending(endings: &mut VecDeque<(Option<String>, EpochMillis)>, id: Option<String>, at: EpochMillis) {
    endings.retain(|(_, ended)| at.0 - ended.0 <= COMPLETION_WINDOW_MS);
    endings.push_back((id, at));
}

fn is_same_completion(one: EpochMillis, other: EpochMillis) -> bool {
    (one.0 - other.0).abs() <= COMPLETION_WINDOW_MS
}

/// Creates an event whose key omits the time, because mission ids are unique across sessions.
fn mission_event(identifier: Identifier, key: &str, at: EpochMillis, emitter: &Emitter) -> Event {
    let id = Some(text::clean_name(&format!("{}:{key}", identifier.as_str())));
    Event { event_id: id, ..emitter.event(identifier, at, key) }
}

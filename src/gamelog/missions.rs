//! Contracts of the local player: several lines of one contract joined to one acceptance and one ending.

use std::collections::{HashMap, VecDeque};

use crate::domain::events::{Event, Identifier};
use crate::domain::times::EpochMillis;

use super::grammar::{Fields, Notice};
use super::hud;
use super::session::{NOT_DUE, Teller};

/// The lines of one step follow each other within this time; after it, what is known of the name is all.
const JOIN_MS: i64 = 1000;
const MISSIONS_MAX: usize = 512;
const NO_MISSION: &str = "00000000-0000-0000-0000-000000000000";
/// What stands for the name of a contract that the log never names.
const UNNAMED: &str = "Unknown Mission";

#[derive(Default)]
pub(super) struct Missions {
    known: HashMap<String, Mission>,
    order: VecDeque<String>,
    titles: HashMap<String, String>,
    waiting: VecDeque<Step>,
}

#[derive(Default)]
struct Mission {
    title: Option<String>,
    contract: Option<String>,
    definition: Option<String>,
    /// The name under which its acceptance was told; its ending carries the same.
    told_as: Option<(String, Option<String>)>,
    is_accepted: bool,
    is_ended: bool,
    /// `objective id:state` of the steps told.
    steps: Vec<String>,
}

/// An event that waits for the other lines of the same step.
struct Step {
    event: Event,
    mission: String,
    objective: String,
}

impl Missions {
    pub fn due(&self) -> i64 {
        self.waiting.front().map_or(NOT_DUE, |step| step.event.event_time.0 + JOIN_MS + 1)
    }

    pub fn release(&mut self, now: EpochMillis, teller: &mut Teller) {
        while self.due() <= now.0 {
            let Some(step) = self.waiting.pop_front() else { return };
            self.tell(step, teller);
        }
    }

    /// A marker names the contract; the first one of a mission is also an acceptance.
    pub fn marker(&mut self, line: &Fields, at: EpochMillis, teller: &Teller) {
        let id = line.text("mission");
        let Some(mission) = self.mission(&id) else { return };
        let (contract, definition) = (hud::short(&line.text("contract")), hud::short(&line.text("definition")));
        mission.contract = Some(contract).filter(|c| !c.is_empty()).or(mission.contract.take());
        mission.definition = Some(definition).filter(|d| !d.is_empty()).or(mission.definition.take());
        self.accept(&id, at, teller);
    }

    pub fn started(&mut self, id: &str, definition: &str, at: EpochMillis, teller: &Teller) {
        let Some(mission) = self.mission(id) else { return };
        mission.definition = Some(hud::short(definition)).filter(|d| !d.is_empty()).or(mission.definition.take());
        self.accept(id, at, teller);
    }

    /// A notification is always the local player's, so it also makes its mission known.
    pub fn notice(
        &mut self,
        notice: Notice,
        rest: &str,
        id: &str,
        objective: &str,
        at: EpochMillis,
        teller: &mut Teller,
    ) {
        let is_about_objective = matches!(notice, Notice::NewObjective | Notice::ObjectiveComplete);
        let Some(mission) = self.mission(id) else { return };
        if !is_about_objective && mission.title.is_none() {
            mission.title = hud::title(rest);
        }
        match notice {
            Notice::Accepted => self.accept(id, at, teller),
            Notice::Complete => self.end(id, Outcome::Complete, at, teller),
            Notice::Failed => self.end(id, Outcome::Failed, at, teller),
            Notice::Withdrawn => self.end(id, Outcome::Withdrawn, at, teller),
            Notice::NewObjective => {
                self.objective(id, objective, Identifier::Objective, hud::objective(rest), at, teller);
            }
            Notice::ObjectiveComplete => {
                self.objective(id, objective, Identifier::MissionUpdated, hud::objective(rest), at, teller);
            }
            Notice::Downed => {}
        }
    }

    pub fn objective_state(&mut self, line: &Fields, at: EpochMillis, teller: &Teller) {
        let (id, objective) = (line.text("mission"), line.text("objective"));
        let identifier = match line.text("state").as_str() {
            "INPROGRESS" => Identifier::Objective,
            "COMPLETED" => Identifier::MissionUpdated,
            _ => return,
        };
        let is_hidden = line.text("flags").split('|').any(|flag| flag.trim() == "Hidden");
        // Such messages also come for missions the player never had.
        if !is_hidden && self.known.contains_key(&id) {
            self.objective(&id, &objective, identifier, None, at, teller);
        }
    }

    /// The only ending that names the player.
    pub fn end_mission(&mut self, line: &Fields, at: EpochMillis, teller: &mut Teller) {
        if teller.handle().is_some() && !teller.is_own(&line.text("handle"), &line.text("geid")) {
            return;
        }
        let outcome = match line.text("completion").as_str() {
            "Complete" => Outcome::Complete,
            "Abandon" => Outcome::Abandoned,
            "Fail" => Outcome::Failed,
            "Deactivate" => Outcome::Ended,
            _ => return,
        };
        let id = line.text("mission");
        if self.mission(&id).is_some() {
            self.end(&id, outcome, at, teller);
        }
    }

    pub fn ended(&mut self, id: &str, state: &str, at: EpochMillis, teller: &mut Teller) {
        let outcome = match state {
            "COMPLETED" => Outcome::Complete,
            "FAILED" => Outcome::Failed,
            "ABANDONED" => Outcome::Abandoned,
            "WITHDRAWN" => Outcome::Withdrawn,
            _ => return,
        };
        // This message also comes for missions the player never had.
        if self.known.contains_key(id) {
            self.end(id, outcome, at, teller);
        }
    }

    /// The mission of an id, made on first sight; `None` for the id that stands for no mission.
    fn mission(&mut self, id: &str) -> Option<&mut Mission> {
        if id == NO_MISSION || id.is_empty() || id.len() > 64 {
            return None;
        }
        if !self.known.contains_key(id) {
            self.order.push_back(id.to_owned());
            if self.order.len() > MISSIONS_MAX
                && let Some(oldest) = self.order.pop_front()
            {
                self.known.remove(&oldest);
            }
        }
        Some(self.known.entry(id.to_owned()).or_default())
    }

    fn accept(&mut self, id: &str, at: EpochMillis, teller: &Teller) {
        let Some(mission) = self.known.get_mut(id) else { return };
        if !std::mem::replace(&mut mission.is_accepted, true) && !mission.is_ended {
            self.wait(id, "", keyed(Identifier::MissionAccepted, id, at, teller));
        }
    }

    fn objective(
        &mut self,
        id: &str,
        objective: &str,
        identifier: Identifier,
        text: Option<String>,
        at: EpochMillis,
        teller: &Teller,
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
            if let Some(waiting) = self.waiting.iter_mut().find(is_same) {
                waiting.event.text = text;
            }
            return;
        }
        mission.steps.push(step);
        let event = Event { text, ..keyed(identifier, &format!("{id}:{objective}"), at, teller) };
        self.wait(id, objective, event);
    }

    fn end(&mut self, id: &str, outcome: Outcome, at: EpochMillis, teller: &Teller) {
        let Some(mission) = self.known.get_mut(id) else { return };
        if std::mem::replace(&mut mission.is_ended, true) {
            return;
        }
        let event = match outcome {
            Outcome::Complete => keyed(Identifier::MissionComplete, id, at, teller),
            other => {
                let event = keyed(Identifier::MissionUpdated, &format!("{id}:ended"), at, teller);
                Event { text: Some(other.text().to_owned()), ..event }
            }
        };
        self.wait(id, "", event);
    }

    fn wait(&mut self, id: &str, objective: &str, event: Event) {
        self.waiting.push_back(Step { event, mission: id.to_owned(), objective: objective.to_owned() });
    }

    fn tell(&mut self, step: Step, teller: &mut Teller) {
        let Some(mission) = self.known.get_mut(&step.mission) else { return };
        let mut event = step.event;
        if let (Some(contract), Some(title)) = (&mission.contract, &mission.title) {
            if self.titles.len() < MISSIONS_MAX {
                self.titles.insert(contract.clone(), title.clone());
            }
        }
        let contract_id = mission.contract.clone().or_else(|| mission.definition.clone());
        let learnt = mission.contract.as_ref().and_then(|contract| self.titles.get(contract).cloned());
        let name = mission.title.clone().or(learnt).or_else(|| mission.contract.clone());
        let counts = matches!(event.identifier, Identifier::MissionAccepted | Identifier::MissionComplete);
        let named = match (&mission.told_as, name) {
            (Some((name, id)), _) => (Some(name.clone()), id.clone()),
            (None, Some(name)) => (Some(name), contract_id),
            (None, None) => (counts.then(|| UNNAMED.to_owned()), contract_id),
        };
        if counts && let (Some(name), id) = &named {
            mission.told_as = Some((name.clone(), id.clone()));
        }
        (event.contract_name, event.contract_id) = named;
        teller.tell_own(event);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Complete,
    Failed,
    Abandoned,
    Withdrawn,
    Ended,
}

impl Outcome {
    fn text(self) -> &'static str {
        match self {
            Self::Complete => "Completed",
            Self::Failed => "Failed",
            Self::Abandoned => "Abandoned",
            Self::Withdrawn => "Withdrawn",
            Self::Ended => "Ended",
        }
    }
}

/// Mission ids are unique in all sessions, so the time is no part of the key.
fn keyed(identifier: Identifier, key: &str, at: EpochMillis, teller: &Teller) -> Event {
    let id = Some(hud::short(&format!("{}:{key}", identifier.as_str())));
    Event { event_id: id, ..teller.event(identifier, at, key) }
}

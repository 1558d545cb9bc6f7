//! What the reports of an event are worth, and the sender's own events that do not count.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::domain::counters::Side;
use crate::domain::trust::{CountedSides, Provenance, Reasons, State, Voice};
use crate::store::ingest::{EventRow, WitnessRow};
use crate::store::logs::LogBuild;
use crate::views::activity::ActivityRow;
use crate::views::secs;

/// What the sender of a report is to the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReportSource {
    /// The operator of the site.
    Operator,
    /// The account that claimed the player on this side, from the player's own log.
    Killer,
    Victim,
    Player,
    /// The log of a player in the event whom no account has claimed.
    Unclaimed,
    /// An account that did not take part.
    ThirdParty,
    /// The report arrived before sources were stored.
    Unknown,
}

impl ReportSource {
    fn of(provenance: Option<Provenance>) -> Self {
        match provenance.map(|known| known.voice) {
            None => Self::Unknown,
            Some(Voice::Operator) => Self::Operator,
            Some(Voice::Party(Side::Killer)) => Self::Killer,
            Some(Voice::Party(Side::Victim)) => Self::Victim,
            Some(Voice::Party(Side::Player)) => Self::Player,
            Some(Voice::Unclaimed(_)) => Self::Unclaimed,
            Some(Voice::ThirdParty) => Self::ThirdParty,
        }
    }
}

/// A report of an event. Accounts and keys are not named.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct EvidenceReport {
    pub source: ReportSource,
    /// Whether this report gives the fields of the event.
    pub stands: bool,
    /// Whether the account was old and active enough to confirm what others report.
    pub is_independent: bool,
    /// Epoch seconds; null if unknown.
    pub received_at: Option<i64>,
    /// The fields in which the report contradicts the event, with its values. Names of players are left out.
    #[schema(value_type = Object)]
    pub differs: Map<String, Value>,
    /// The build of the game that wrote the log.
    pub build: Option<String>,
    pub branch: Option<String>,
    pub channel: Option<String>,
}

/// What the reports of an event are worth.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct EventEvidence {
    pub id: String,
    /// `operator`, `confirmed`, `conceded`, `self_reported`, `third_party` or `legacy`.
    pub grade: &'static str,
    pub state: State,
    /// Why the event does not count.
    pub reasons: Vec<&'static str>,
    /// The sides for which it counts: `killer`, `victim` and `player`, as far as the event has them.
    pub counts: Vec<&'static str>,
    /// The report that stands first, then the others in the order of their arrival.
    pub reports: Vec<EvidenceReport>,
}

/// Fields of reports that name players.
const NAMING: [&str; 4] = ["killer", "victim", "player_name", "text"];

impl EventEvidence {
    /// The evidence of an event with its valid witnesses. `build_of` gives what is known of a log.
    pub fn new(event: &EventRow, witnesses: &[WitnessRow], build_of: impl Fn(Option<i64>) -> LogBuild) -> Self {
        let report = |code: i16, stands: bool, received_at: Option<i64>, log_id: Option<i64>, differs: Option<&str>| {
            let provenance = Provenance::from_code(code);
            let LogBuild { build, branch, channel } = build_of(log_id);
            EvidenceReport {
                source: ReportSource::of(provenance),
                stands,
                is_independent: provenance.is_some_and(|known| known.is_independent),
                received_at: received_at.map(secs),
                differs: without_names(differs),
                build,
                branch,
                channel,
            }
        };
        let reasons = event.reasons();
        let standing = report(event.provenance, true, event.received_at, event.log_id, None);
        let standing = (!reasons.contains(Reasons::NO_REPORTS)).then_some(standing);
        let others =
            witnesses.iter().map(|w| report(w.provenance, false, w.received_at, w.log_id, w.differs.as_deref()));
        Self {
            id: event.id.to_string(),
            grade: event.grade().as_str(),
            state: reasons.state(),
            reasons: reasons.names(),
            counts: sides(event),
            reports: standing.into_iter().chain(others).collect(),
        }
    }
}

fn without_names(differs: Option<&str>) -> Map<String, Value> {
    let mut fields: Map<String, Value> = differs.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    fields.retain(|name, _| !NAMING.contains(&name.as_str()));
    fields
}

fn sides(event: &EventRow) -> Vec<&'static str> {
    let counted: CountedSides = event.counted();
    let sides = [
        (Side::Killer, event.killer_id, "killer"),
        (Side::Victim, event.victim_id, "victim"),
        (Side::Player, event.player_id, "player"),
    ];
    let is_counted = |(side, id, _): &(Side, Option<i64>, &str)| id.is_some() && counted.contains(*side);
    sides.into_iter().filter(is_counted).map(|(_, _, name)| name).collect()
}

/// An event that the user reported and that does not count.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct HeldEvent {
    pub event: ActivityRow,
    pub reasons: Vec<&'static str>,
}

/// How many of the user's events do not count for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct HeldReason {
    pub reason: &'static str,
    pub events: i64,
}

/// A page of the user's events that do not count, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct HeldPage {
    /// All reasons, the most frequent first. An event with two reasons is in both.
    pub summary: Vec<HeldReason>,
    pub data: Vec<HeldEvent>,
    /// `before` of the next page; null on the last one.
    pub next: Option<i64>,
}

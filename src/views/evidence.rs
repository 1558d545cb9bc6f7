//! What the reports of an event are worth, and the sender's own events that do not count.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::domain::counters::Side;
use crate::domain::trust::{Provenance, Reasons, ReportSource, State};
use crate::store::ingest::{EventRow, WitnessRow};
use crate::store::logs::LogBuild;
use crate::views::activity::ActivityRow;
use crate::views::secs;

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
    /// `operator`, `confirmed`, `conceded`, `self_reported` or `third_party`.
    pub grade: &'static str,
    pub state: State,
    /// Why the event does not count.
    pub reasons: Vec<&'static str>,
    /// The sides for which it counts, as far as the event has them.
    pub counts: Vec<Side>,
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
            counts: event.counted_sides(),
            reports: standing.into_iter().chain(others).collect(),
        }
    }
}

fn without_names(differs: Option<&str>) -> Map<String, Value> {
    let mut fields: Map<String, Value> = differs.and_then(|json| serde_json::from_str(json).ok()).unwrap_or_default();
    fields.retain(|name, _| !NAMING.contains(&name.as_str()));
    fields
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

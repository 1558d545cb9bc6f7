//! The reports of stored events: which one stands, and what they are worth together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::domain::counters::Side;
use crate::domain::events::ValidEvent;
use crate::domain::fights;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Provenance, Report, Scope, Voice, assess};
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, WitnessRow};
use crate::store::keys;

use super::revision::Revision;
use super::rows::{Origin, parse_report};

/// The witnesses of events, and the scopes of all their reporters.
#[derive(Default)]
pub(super) struct Reports {
    by_event: BTreeMap<i64, Vec<WitnessRow>>,
    pub scopes: HashMap<i64, Scope>,
}

impl Reports {
    /// Reads the witnesses of these revisions.
    pub fn read(conn: &mut AnyConn, revisions: &[&Revision]) -> diesel::QueryResult<Self> {
        if revisions.is_empty() {
            return Ok(Self::default());
        }
        let event_ids: Vec<i64> = revisions.iter().map(|revision| revision.stored.id).collect();
        Self::of_events(conn, &event_ids, revisions.iter().filter_map(|revision| revision.origin.key_id))
    }

    /// Reads the witnesses of these events, whose own reports come from these keys.
    fn of_events(conn: &mut AnyConn, event_ids: &[i64], keys: impl Iterator<Item = i64>) -> diesel::QueryResult<Self> {
        let mut by_event: BTreeMap<i64, Vec<WitnessRow>> = event_ids.iter().map(|id| (*id, Vec::new())).collect();
        let mut key_ids: BTreeSet<i64> = keys.collect();
        for witness in ingest::list_witnesses(conn, event_ids)? {
            key_ids.insert(witness.ingest_key_id);
            by_event.entry(witness.event_id).or_default().push(witness);
        }
        let reporters = keys::reporters(conn, &key_ids.into_iter().collect::<Vec<_>>())?;
        let scopes = reporters.into_iter().map(|reporter| (reporter.key_id, reporter.scope)).collect();
        Ok(Self { by_event, scopes })
    }

    /// The logs of the witnesses.
    pub fn log_ids(&self) -> impl Iterator<Item = i64> + '_ {
        self.by_event.values().flatten().filter_map(|witness| witness.log_id)
    }

    /// Takes the witnesses of an event; `None` if they were not read.
    pub fn take(&mut self, event_id: i64) -> Option<Vec<WitnessRow>> {
        self.by_event.remove(&event_id)
    }
}

/// The scope of a key. Reports without a key are imported.
fn scope_of(key_id: Option<i64>, scopes: &HashMap<i64, Scope>) -> Scope {
    key_id.map_or(Scope::Operator, |id| scopes.get(&id).copied().unwrap_or(Scope::Key(id)))
}

/// What the sender of a witness is to the event that stands. A sender that names another player on the own side took part in another
/// event.
fn provenance_of(witness: &WitnessRow) -> Option<Provenance> {
    let known = Provenance::from_code(witness.provenance)?;
    let field = match known.voice {
        Voice::Party(Side::Killer) | Voice::Unclaimed(Side::Killer) => "killer",
        Voice::Party(Side::Victim) | Voice::Unclaimed(Side::Victim) => "victim",
        Voice::Party(Side::Player) | Voice::Unclaimed(Side::Player) => "player_name",
        Voice::Operator | Voice::ThirdParty => return Some(known),
    };
    let differs = witness.differs.as_deref().and_then(|json| serde_json::from_str::<Value>(json).ok());
    let is_of_another = differs.is_some_and(|differs| differs.get(field).is_some());
    Some(if is_of_another { Provenance { voice: Voice::ThirdParty, ..known } } else { known })
}

/// Whether a report of the event that stands comes from a party or from the operator.
pub(super) fn is_first_hand(witness: &WitnessRow) -> bool {
    provenance_of(witness).is_some_and(|known| known.voice.is_first_hand())
}

/// The order in which reports stand: those of parties and operators first, then by arrival.
fn precedence(provenance: Option<Provenance>, scope: Scope, received_at: Option<i64>) -> (bool, Option<i64>) {
    let is_first_hand = scope.is_operator() || provenance.is_some_and(|known| known.voice.is_first_hand());
    (!is_first_hand, received_at)
}

/// Chooses the report that stands and assesses the event. Returns the other reports, and whether another report stands than before.
pub(super) fn settle(
    revision: &mut Revision,
    mut witnesses: Vec<WitnessRow>,
    is_standing_void: bool,
    scopes: &HashMap<i64, Scope>,
    now: EpochMillis,
) -> (Vec<WitnessRow>, bool) {
    let origin = revision.origin;
    let standing = precedence(origin.provenance, scope_of(origin.key_id, scopes), origin.received_at);
    let best = witnesses
        .iter()
        .enumerate()
        .filter(|(_, witness)| !witness.is_void)
        .map(|(index, witness)| {
            let known = Provenance::from_code(witness.provenance);
            (precedence(known, scope_of(Some(witness.ingest_key_id), scopes), witness.received_at), index)
        })
        .filter(|(precedence, _)| is_standing_void || *precedence < standing)
        .min();
    let chosen = best.and_then(|(_, index)| Some((index, parse_report(&witnesses[index], &revision.after, now)?)));
    let is_displaced = chosen.is_some();
    revision.set_void(is_standing_void);
    if let Some((index, report)) = chosen {
        let promoted = witnesses.swap_remove(index);
        promote(revision, &promoted, report, &mut witnesses, now);
    }
    let reports = valid_reports(revision, &witnesses, scopes);
    if !reports.is_empty() {
        revision.set_assessment(assess(&revision.after, &reports));
    }
    (witnesses, is_displaced)
}

/// Puts the report of a witness in the place of the one that stands, which becomes a witness.
fn promote(
    revision: &mut Revision,
    promoted: &WitnessRow,
    report: ValidEvent,
    witnesses: &mut Vec<WitnessRow>,
    now: EpochMillis,
) {
    let reports: Vec<Option<ValidEvent>> =
        witnesses.iter().map(|witness| parse_report(witness, &revision.after, now)).collect();
    let origin = Origin {
        key_id: Some(promoted.ingest_key_id),
        provenance: Provenance::from_code(promoted.provenance),
        received_at: promoted.received_at,
        log_id: promoted.log_id,
    };
    let displaced = revision.displace(report, origin);
    for (witness, report) in witnesses.iter_mut().zip(reports) {
        witness.differs = report.as_ref().and_then(|report| fights::differences(&revision.after, report));
    }
    witnesses.extend(displaced);
}

/// The reports of an event that are not void.
pub(super) fn valid_reports(
    revision: &Revision,
    witnesses: &[WitnessRow],
    scopes: &HashMap<i64, Scope>,
) -> Vec<Report> {
    let Origin { key_id, provenance, .. } = revision.origin;
    let standing = Report { provenance, reporter: scope_of(key_id, scopes) };
    let standing = (!revision.is_void()).then_some(standing);
    standing.into_iter().chain(witness_reports(witnesses, scopes)).collect()
}

/// The reports of witnesses, without void ones.
fn witness_reports(witnesses: &[WitnessRow], scopes: &HashMap<i64, Scope>) -> impl Iterator<Item = Report> {
    witnesses.iter().filter(|witness| !witness.is_void).map(|witness| Report {
        provenance: provenance_of(witness),
        reporter: scope_of(Some(witness.ingest_key_id), scopes),
    })
}

/// The number of reports of an event with these witnesses, without void ones. A void event keeps one.
pub(super) fn count_reports(witnesses: &[WitnessRow]) -> i32 {
    let others = witnesses.iter().filter(|witness| !witness.is_void).count();
    i32::try_from(others).unwrap_or(i32::MAX).saturating_add(1)
}

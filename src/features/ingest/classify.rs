//! Sorts submitted events into new ones and reports of stored ones.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::app::BatchOutcome;
use crate::domain::events::{Identity, ValidEvent};
use crate::domain::fights::{self, FIGHT_WINDOW_MS};
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Provenance, Reporter, Scope};
use crate::error::AppError;
use crate::store::ingest::{self, KnownFight};
use crate::store::{Tx, keys};

use super::batch::Batch;
use super::sender::Sender;

/// An event with the batch and the reporter it was submitted with.
#[derive(Clone, Copy)]
pub(super) struct Submission<'a> {
    pub batch: usize,
    /// The index among the events of the batch.
    pub index: usize,
    pub reporter: Reporter,
    pub sender: &'a Sender,
    /// The stored log of the batch.
    pub log_id: Option<i64>,
    /// What the sender is to the event.
    pub provenance: Provenance,
    pub event: &'a ValidEvent,
}

impl Submission<'_> {
    fn scoped_identity(&self) -> (Scope, Identity) {
        (self.reporter.scope, self.event.identity)
    }
}

/// Submitted events by what they are to the database.
#[derive(Default)]
pub(super) struct Classified<'a> {
    pub new: Vec<Submission<'a>>,
    /// Repetitions of a stored event with another key of the same scope, with the id of that event.
    pub repeats: Vec<(i64, Submission<'a>)>,
    /// Reports of a stored fight by another reader, with the id of that event.
    pub fight_reports: Vec<(i64, Submission<'a>)>,
    pub outcomes: Vec<BatchOutcome>,
}

impl Classified<'_> {
    /// The ids of the stored events that are reported again, in ascending order.
    pub fn reported_ids(&self) -> Vec<i64> {
        let ids: BTreeSet<i64> =
            self.repeats.iter().chain(&self.fight_reports).map(|(event_id, _)| *event_id).collect();
        ids.into_iter().collect()
    }
}

/// `senders` are those of the batches.
pub(super) fn classify<'a>(
    tx: &mut Tx,
    batches: &'a [Batch],
    senders: &'a [Sender],
) -> diesel::QueryResult<Classified<'a>> {
    let mut classified = Classified { outcomes: vec![BatchOutcome::default(); batches.len()], ..Classified::default() };
    let mut unique: Vec<Submission> = Vec::new();
    let mut met: HashSet<(Scope, Identity)> = HashSet::new();
    for (batch, (Batch { reporter, events, .. }, sender)) in batches.iter().zip(senders).enumerate() {
        for (index, event) in events.iter().enumerate() {
            let (log_id, provenance) = (sender.log_id, sender.provenance(event));
            let submission = Submission { batch, index, reporter: *reporter, sender, log_id, provenance, event };
            if met.insert(submission.scoped_identity()) {
                unique.push(submission);
            } else {
                classified.outcomes[batch].duplicates += 1;
            }
        }
    }
    let known = known_identities(tx, &unique)?;
    let (repeated, unknown): (Vec<_>, Vec<_>) =
        unique.into_iter().partition(|submission| known.contains_key(&submission.scoped_identity()));
    for submission in repeated {
        classified.outcomes[submission.batch].duplicates += 1;
        // Keys of one user are one witness; the operator's keys may belong to several people.
        let reports = known.get(&submission.scoped_identity()).map(Vec::as_slice).unwrap_or_default();
        let is_other_key = reports.iter().all(|(_, key_id)| *key_id != Some(submission.reporter.key_id));
        match reports.first() {
            Some((event_id, _)) if is_other_key && submission.reporter.scope.is_operator() => {
                classified.repeats.push((*event_id, submission));
            }
            _ => {}
        }
    }
    match_fights(tx, unknown, &mut classified)?;
    Ok(classified)
}

/// Events and keys by scope and identity.
type KnownIdentities = HashMap<(Scope, Identity), Vec<(i64, Option<i64>)>>;

/// The stored reports in the scopes and with the identities of these submissions.
fn known_identities(tx: &mut Tx, submissions: &[Submission]) -> diesel::QueryResult<KnownIdentities> {
    let identities: Vec<Vec<u8>> = submissions.iter().map(|submission| submission.event.identity.0.to_vec()).collect();
    let scopes: HashSet<Scope> = submissions.iter().map(|submission| submission.reporter.scope).collect();
    let mut known = scoped_identities(tx, &identities)?;
    known.retain(|(scope, _), _| scopes.contains(scope));
    Ok(known)
}

/// The stored reports with one of these identities.
pub(super) fn scoped_identities(tx: &mut Tx, identities: &[Vec<u8>]) -> diesel::QueryResult<KnownIdentities> {
    let found = ingest::known_identities(tx, identities)?;
    if found.is_empty() {
        return Ok(HashMap::new());
    }
    let key_ids: BTreeSet<i64> = found.iter().filter_map(|report| report.ingest_key_id).collect();
    let reporters = keys::reporters(tx, &key_ids.into_iter().collect::<Vec<_>>())?;
    let scopes: HashMap<i64, Scope> = reporters.into_iter().map(|reporter| (reporter.key_id, reporter.scope)).collect();
    let mut known = KnownIdentities::new();
    for report in found {
        // Events without a key are imported.
        let scope = report.ingest_key_id.map_or(Some(Scope::Operator), |key_id| scopes.get(&key_id).copied());
        let identity = Identity::from_bytes(&report.identity);
        if let (Some(scope), Some(identity)) = (scope, identity) {
            known.entry((scope, identity)).or_default().push((report.event_id, report.ingest_key_id));
        }
    }
    Ok(known)
}

/// Finds the stored fights that new reports belong to: equal key, at most five seconds apart, not yet reported by the same
/// person.
fn match_fights<'a>(
    tx: &mut Tx,
    mut unknown: Vec<Submission<'a>>,
    classified: &mut Classified<'a>,
) -> diesel::QueryResult<()> {
    let fights: BTreeSet<i64> = unknown.iter().filter_map(|submission| submission.event.fight).collect();
    let stored = match span(&unknown) {
        Some((from, to)) => ingest::known_fights(tx, &fights.into_iter().collect::<Vec<_>>(), from, to)?,
        None => Vec::new(),
    };
    let mut reported_by = reporters_of(tx, &stored)?;
    unknown.sort_by_key(|submission| (submission.event.event_time, submission.event.identity));
    for submission in unknown {
        match nearest(&stored, submission, &reported_by) {
            Some(event_id) => {
                reported_by.insert((event_id, submission.reporter.person()));
                classified.fight_reports.push((event_id, submission));
                classified.outcomes[submission.batch].duplicates += 1;
            }
            None => {
                classified.new.push(submission);
                classified.outcomes[submission.batch].accepted += 1;
            }
        }
    }
    Ok(())
}

/// The people who have reported these fights, by event.
fn reporters_of(tx: &mut Tx, stored: &[KnownFight]) -> diesel::QueryResult<HashSet<(i64, Scope)>> {
    if stored.is_empty() {
        return Ok(HashSet::new());
    }
    let event_ids: Vec<i64> = stored.iter().map(|fight| fight.event_id).collect();
    let mut reports = ingest::witnesses_of(tx, &event_ids)?;
    reports.extend(stored.iter().filter_map(|fight| Some((fight.event_id, fight.ingest_key_id?))));
    let key_ids: BTreeSet<i64> = reports.iter().map(|(_, key_id)| *key_id).collect();
    let reporters = keys::reporters(tx, &key_ids.into_iter().collect::<Vec<_>>())?;
    let people: HashMap<i64, Scope> =
        reporters.into_iter().map(|reporter| (reporter.key_id, reporter.person())).collect();
    Ok(reports.into_iter().filter_map(|(event_id, key_id)| Some((event_id, *people.get(&key_id)?))).collect())
}

/// The range of times in which stored fights can match; `None` without any fight.
fn span(submission: &[Submission]) -> Option<(i64, i64)> {
    let times = submission
        .iter()
        .filter(|submission| submission.event.fight.is_some())
        .map(|submission| submission.event.event_time.0);
    let (from, to) = (times.clone().min()?, times.max()?);
    Some((from - FIGHT_WINDOW_MS, to + FIGHT_WINDOW_MS))
}

fn nearest(stored: &[KnownFight], submission: Submission, reported_by: &HashSet<(i64, Scope)>) -> Option<i64> {
    let fight = submission.event.fight?;
    stored
        .iter()
        .filter(|f| f.fight == Some(fight) && !reported_by.contains(&(f.event_id, submission.reporter.person())))
        .filter(|f| fights::is_within_fight_window(EpochMillis(f.event_time), submission.event.event_time))
        .min_by_key(|f| ((f.event_time - submission.event.event_time.0).abs(), f.event_id))
        .map(|f| f.event_id)
}

/// Requests a retry if another process stored one of these fights during this transaction.
pub(super) fn require_no_newer_fights(tx: &mut Tx, new: &[Submission], clock: i64) -> Result<(), AppError> {
    let Some((from, to)) = span(new) else { return Ok(()) };
    let fights: Vec<i64> = new.iter().filter_map(|submission| submission.event.fight).collect();
    let late = ingest::known_fights(tx, &fights, from, to)?;
    if late.iter().any(|f| f.event_id > clock) { Err(AppError::RetryTransaction) } else { Ok(()) }
}

/// Requests a retry if another process stored one of these events during this transaction.
pub(super) fn require_no_newer_events(tx: &mut Tx, new: &[Submission]) -> Result<(), AppError> {
    let known = known_identities(tx, new)?;
    let is_late = new.iter().any(|submission| known.contains_key(&submission.scoped_identity()));
    if is_late { Err(AppError::RetryTransaction) } else { Ok(()) }
}

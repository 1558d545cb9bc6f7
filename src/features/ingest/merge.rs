//! Stored events that are reported again.
//!
//! The first report of a party or of the operator stands, and before one arrives, the first of anybody. Later reports of parties and
//! operators fill its empty fields. Every other report becomes a witness, with the fields in which it contradicts.

use std::collections::BTreeMap;

use crate::domain::fights;
use crate::domain::patches::Patch;
use crate::domain::times::EpochMillis;
use crate::domain::trust::Provenance;
use crate::error::AppError;
use crate::store::Tx;
use crate::store::ingest::{self, WitnessRow};

use super::classify::{Classified, Submission};
use super::reports::{Reports, count_reports, is_first_hand, settle};
use super::resolve_players::ResolvedPlayers;
use super::revision::{self, Revision, require_unchanged};
use super::rows::report_json;

/// The stored events that the reports of a transaction concern.
#[derive(Default)]
pub(super) struct Merges {
    events: BTreeMap<i64, Revision>,
    /// Witnesses to add.
    added: Vec<WitnessRow>,
    /// Events of which another report stands, and all their witnesses.
    replaced: Vec<i64>,
    replacements: Vec<WitnessRow>,
    /// The reports of the transaction, as `(key, event)`.
    reported: Vec<(i64, i64)>,
}

impl Merges {
    /// Reads the events and merges the reports, in the order of their arrival.
    pub fn read(
        tx: &mut Tx,
        classified: &Classified,
        people: &mut ResolvedPlayers,
        now: EpochMillis,
    ) -> diesel::QueryResult<Self> {
        let ids = classified.reported_ids();
        if ids.is_empty() {
            return Ok(Self::default());
        }
        let revisions = revision::read(tx, &ids, people)?;
        let mut reports = Reports::read(tx, &revisions.iter().collect::<Vec<_>>())?;
        let mut submitted: BTreeMap<i64, Vec<&Submission>> = BTreeMap::new();
        let mut arrived: Vec<&(i64, Submission)> = classified.repeats.iter().chain(&classified.fight_reports).collect();
        arrived.sort_by_key(|(_, submission)| submission.batch);
        for (event_id, submission) in arrived {
            reports.scopes.insert(submission.reporter.key_id, submission.reporter.scope);
            submitted.entry(*event_id).or_default().push(submission);
        }
        let mut merges = Self::default();
        for revision in revisions {
            let event_id = revision.stored.id;
            let witnesses = reports.take(event_id).unwrap_or_default();
            let new = submitted.remove(&event_id).unwrap_or_default();
            merges.add(revision, witnesses, &new, &reports, now);
        }
        Ok(merges)
    }

    fn add(
        &mut self,
        mut revision: Revision,
        mut witnesses: Vec<WitnessRow>,
        new: &[&Submission],
        reports: &Reports,
        now: EpochMillis,
    ) {
        let event_id = revision.stored.id;
        let added: Vec<WitnessRow> = new.iter().map(|submission| witness(&revision, submission, now)).collect();
        self.reported.extend(new.iter().map(|submission| (submission.reporter.key_id, event_id)));
        witnesses.extend(added.iter().cloned());
        let is_void = revision.is_void();
        let (witnesses, is_displaced) = settle(&mut revision, witnesses, is_void, &reports.scopes, now);
        for (submission, _) in new.iter().zip(&added).filter(|(_, witness)| is_first_hand(witness)) {
            revision.after = fights::fill(revision.after.clone(), submission.event);
        }
        if is_displaced {
            revision.witnesses = count_reports(&witnesses);
            self.replaced.push(event_id);
            self.replacements.extend(witnesses);
        } else {
            self.added.extend(added);
        }
        self.events.insert(event_id, revision);
    }

    /// The events that change.
    pub fn changed(&self) -> impl Iterator<Item = &Revision> {
        self.events.values().filter(|revision| revision.is_changed())
    }

    /// Requests a retry if another transaction has changed one of the events since it was read.
    pub fn require_unchanged(&self, tx: &mut Tx, classified: &Classified) -> Result<(), AppError> {
        require_unchanged(tx, &classified.reported_ids(), self.events.values())
    }

    /// The reports of stored events, as `(key, event)`.
    pub fn reports(&self) -> impl Iterator<Item = (i64, i64)> {
        self.reported.iter().copied()
    }

    /// The keys of the reports that stand in changed events, as `(key, event)`.
    pub fn standing(&self) -> impl Iterator<Item = (i64, i64)> {
        self.changed().filter_map(|revision| Some((revision.origin.key_id?, revision.stored.id)))
    }

    /// Stores the witnesses, after their events.
    pub fn store_witnesses(&self, tx: &mut Tx) -> diesel::QueryResult<()> {
        if !self.replaced.is_empty() {
            ingest::replace_witnesses(tx, &self.replaced, &self.replacements)?;
        }
        ingest::add_witnesses(tx, &self.added)
    }
}

fn witness(revision: &Revision, submission: &Submission, now: EpochMillis) -> WitnessRow {
    WitnessRow {
        event_id: revision.stored.id,
        ingest_key_id: submission.reporter.key_id,
        identity: submission.event.identity.0.to_vec(),
        event_time: submission.event.event_time.0,
        received_at: Some(now.0),
        differs: fights::differences(&revision.after, submission.event),
        report: report_json(submission.event),
        is_void: false,
        log_id: submission.log_id,
        provenance: Provenance::code(Some(submission.provenance)),
    }
}

/// The versions of the patches that operators report.
pub(super) fn operator_patches<'a>(classified: &'a Classified) -> impl Iterator<Item = i64> + 'a {
    let reports = classified.fight_reports.iter().map(|(_, submission)| submission);
    let reported = classified.new.iter().chain(reports).filter(|submission| submission.reporter.scope.is_operator());
    reported.filter_map(|submission| submission.event.patch.as_ref().map(Patch::version))
}

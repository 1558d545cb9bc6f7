//! Stored events that are reported again.
//!
//! The first report stands. An operator's report stands against those of accounts: if it comes later, it takes the place of the one
//! that stands. Later reports of operators fill empty fields of an operator's report. Every other report becomes a witness, with the
//! fields in which it contradicts.

use std::collections::BTreeMap;

use crate::domain::events::ValidEvent;
use crate::domain::fights;
use crate::domain::patches::Patch;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Grade, Reasons};
use crate::error::AppError;
use crate::store::Tx;
use crate::store::ingest::WitnessRow;

use super::classify::{Classified, Submission};
use super::resolve_players::ResolvedPlayers;
use super::revision::{self, Revision, require_unchanged};
use super::rows::{Origin, report_json};

/// The stored events that the reports of a transaction concern, and the witnesses to add.
#[derive(Default)]
pub(super) struct Merges {
    events: BTreeMap<i64, Revision>,
    witnesses: Vec<WitnessRow>,
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
        let mut merges =
            Self { events: revisions.into_iter().map(|r| (r.stored.id, r)).collect(), witnesses: Vec::new() };
        for (event_id, submission) in &classified.repeats {
            merges.add_repeat(*event_id, *submission, now);
        }
        let mut reports = classified.fight_reports.clone();
        reports.sort_by_key(|(_, submission)| submission.batch);
        for (event_id, submission) in reports {
            merges.add_fight_report(event_id, submission, now);
        }
        Ok(merges)
    }

    fn add_repeat(&mut self, event_id: i64, submission: Submission, now: EpochMillis) {
        let Some(revision) = self.events.get_mut(&event_id) else { return };
        let report = if revision.reasons.contains(Reasons::NO_REPORTS) {
            revision.displace(submission.event.clone(), Origin::of(&submission, now))
        } else {
            Some(witness(event_id, submission, &revision.after, now))
        };
        self.witnesses.extend(report);
    }

    fn add_fight_report(&mut self, event_id: i64, submission: Submission, now: EpochMillis) {
        let Some(revision) = self.events.get_mut(&event_id) else { return };
        let is_final = Grade::of(submission.reporter.scope).is_final();
        let is_void = revision.reasons.contains(Reasons::NO_REPORTS);
        if is_void || (is_final && !revision.origin.grade.is_final()) {
            let displaced = revision.displace(submission.event.clone(), Origin::of(&submission, now));
            self.witnesses.extend(displaced);
        } else {
            self.witnesses.push(witness(event_id, submission, &revision.after, now));
            if is_final {
                revision.after = fights::fill(revision.after.clone(), submission.event);
            }
        }
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
        let standing = self.changed().filter_map(|revision| Some((revision.origin.key_id?, revision.stored.id)));
        standing.chain(self.witnesses.iter().map(|witness| (witness.ingest_key_id, witness.event_id)))
    }

    /// The witnesses, whose events must be stored before.
    pub fn into_witnesses(self) -> Vec<WitnessRow> {
        self.witnesses
    }
}

fn witness(event_id: i64, submission: Submission, standing: &ValidEvent, now: EpochMillis) -> WitnessRow {
    WitnessRow {
        event_id,
        ingest_key_id: submission.reporter.key_id,
        identity: submission.event.identity.0.to_vec(),
        event_time: submission.event.event_time.0,
        received_at: Some(now.0),
        differs: fights::differences(standing, submission.event),
        report: report_json(submission.event),
        is_void: false,
        log_id: submission.log_id,
    }
}

/// The versions of the patches that operators report.
pub(super) fn operator_patches<'a>(classified: &'a Classified) -> impl Iterator<Item = i64> + 'a {
    let reports = classified.fight_reports.iter().map(|(_, submission)| submission);
    let reported = classified.new.iter().chain(reports).filter(|submission| submission.reporter.scope.is_operator());
    reported.filter_map(|submission| submission.event.patch.as_ref().map(Patch::version))
}

//! Stored events that are reported again.
//!
//! The first report stands. An operator's report stands against those of accounts: if it comes later, it takes the place of the one
//! that stands. Later reports of operators fill empty fields of an operator's report. Every other report becomes a witness, with the
//! fields in which it contradicts.

use std::collections::{BTreeMap, HashMap};

use crate::domain::events::ValidEvent;
use crate::domain::fights;
use crate::domain::patches::Patch;
use crate::domain::times::EpochMillis;
use crate::domain::trust::Grade;
use crate::error::AppError;
use crate::store::ingest::{self, EventRow, WitnessRow};
use crate::store::{Tx, activity, patch, players};

use super::classify::{Classified, Submission};
use super::resolve_players::{PlayerIds, ResolvedPlayers};
use super::rows::{Origin, from_row, to_row};

/// A stored event, before and after the reports of a transaction.
pub(super) struct Merge {
    stored: EventRow,
    pub before: ValidEvent,
    pub before_ids: PlayerIds,
    pub after: ValidEvent,
    origin: Origin,
}

/// The stored events that the reports of a transaction concern, and the witnesses to add.
#[derive(Default)]
pub(super) struct Merges {
    events: BTreeMap<i64, Merge>,
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
        let stored = activity::find_many(tx, &ids)?;
        let mut player_ids: Vec<i64> = stored.iter().flat_map(EventRow::player_ids).collect();
        player_ids.sort_unstable();
        player_ids.dedup();
        people.add(players::find_refs_by_id(tx, &player_ids)?);
        let mut versions: Vec<i64> = stored.iter().filter_map(|row| row.patch_version).collect();
        versions.sort_unstable();
        versions.dedup();
        let names: HashMap<i64, String> = patch::names(tx, &versions)?.into_iter().collect();
        let mut merges = Self::default();
        for row in stored {
            let name = row.patch_version.and_then(|version| names.get(&version)).map(String::as_str);
            let Some(before) = from_row(&row, people, name) else { continue };
            merges.events.insert(row.id, Merge::new(row, before));
        }
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
        if let Some(merge) = self.events.get(&event_id) {
            self.witnesses.push(witness(event_id, submission, &merge.after, now));
        }
    }

    fn add_fight_report(&mut self, event_id: i64, submission: Submission, now: EpochMillis) {
        let Some(merge) = self.events.get_mut(&event_id) else { return };
        let origin = Origin::of(&submission, now);
        if origin.grade.is_final() && !merge.origin.grade.is_final() {
            let displaced = std::mem::replace(&mut merge.after, submission.event.clone());
            let former = std::mem::replace(&mut merge.origin, origin);
            self.witnesses.extend(former.key_id.map(|key_id| WitnessRow {
                event_id,
                ingest_key_id: key_id,
                identity: displaced.identity.0.to_vec(),
                event_time: displaced.event_time.0,
                received_at: former.received_at,
                differs: fights::differences(&merge.after, &displaced),
                log_id: former.log_id,
            }));
        } else {
            self.witnesses.push(witness(event_id, submission, &merge.after, now));
            if origin.grade.is_final() {
                merge.after = fights::fill(merge.after.clone(), submission.event);
            }
        }
    }

    /// The events that change.
    pub fn changed(&self) -> impl Iterator<Item = &Merge> {
        self.events.values().filter(|merge| merge.is_changed())
    }

    /// Requests a retry if another transaction has changed one of the events since it was read. Every change of an event adds a
    /// witness, so their number is compared.
    pub fn require_unchanged(&self, tx: &mut Tx, classified: &Classified) -> Result<(), AppError> {
        let ids = classified.reported_ids();
        if ids.is_empty() {
            return Ok(());
        }
        let now: HashMap<i64, i32> = ingest::lock_events(tx, &ids)?.into_iter().collect();
        let is_as_read = |merge: &Merge| now.get(&merge.stored.id) == Some(&merge.stored.witnesses);
        if now.len() == ids.len() && self.events.values().all(is_as_read) {
            Ok(())
        } else {
            Err(AppError::RetryTransaction)
        }
    }

    /// The witnesses, whose events must be stored before.
    pub fn into_witnesses(self) -> Vec<WitnessRow> {
        self.witnesses
    }
}

impl Merge {
    fn new(stored: EventRow, before: ValidEvent) -> Self {
        let origin = Origin {
            key_id: stored.ingest_key_id,
            grade: Grade::from_code(stored.grade).unwrap_or(Grade::Legacy),
            received_at: stored.received_at,
            log_id: stored.log_id,
        };
        let before_ids = PlayerIds { killer: stored.killer_id, victim: stored.victim_id, player: stored.player_id };
        Self { before_ids, after: before.clone(), before, stored, origin }
    }

    fn is_changed(&self) -> bool {
        self.after != self.before || self.origin.key_id != self.stored.ingest_key_id
    }

    /// The event as it is stored from now on. The caller inserts it again.
    pub fn replace(&self, tx: &mut Tx, after_ids: PlayerIds) -> diesel::QueryResult<EventRow> {
        let id = self.stored.id;
        for player_id in self.before_ids.distinct() {
            ingest::remove_event_player(tx, player_id, self.before.event_time.0, id)?;
        }
        let row = EventRow { witnesses: self.stored.witnesses, ..to_row(id, &self.after, after_ids, self.origin) };
        ingest::remove_event(tx, &row)?;
        Ok(row)
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
        log_id: submission.log_id,
    }
}

/// The versions of the patches that operators report.
pub(super) fn operator_patches<'a>(classified: &'a Classified) -> impl Iterator<Item = i64> + 'a {
    let reports = classified.fight_reports.iter().map(|(_, submission)| submission);
    let reported = classified.new.iter().chain(reports).filter(|submission| submission.reporter.scope.is_operator());
    reported.filter_map(|submission| submission.event.patch.as_ref().map(Patch::version))
}

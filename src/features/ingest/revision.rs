//! Stored events that change: another report stands, or an event begins or ceases to count.

use std::collections::{BTreeMap, HashMap};

use crate::domain::events::ValidEvent;
use crate::domain::fights;
use crate::domain::trust::{Assessment, CountedSides, Grade, Provenance, Reasons, Reporter, Scope, State};
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, EventRow, WitnessRow};
use crate::store::{Tx, activity, patch, players};

use super::playtime::{SeenEvent, add_seen};
use super::resolve_players::{PlayerIds, ResolvedPlayers};
use super::rows::{Origin, from_row, report_json, store_events, to_row};
use super::tally::{Tally, Weight};

/// A stored event, before and after a change.
#[derive(Clone)]
pub(super) struct Revision {
    pub stored: EventRow,
    pub before: ValidEvent,
    pub before_ids: PlayerIds,
    pub after: ValidEvent,
    /// Where the report that stands afterwards comes from.
    pub origin: Origin,
    /// What the reports are worth afterwards, and all reasons why the event does not count.
    pub assessment: Assessment,
    /// The number of reports afterwards, without void ones.
    pub witnesses: i32,
}

impl Revision {
    /// A revision that changes nothing yet.
    pub fn new(stored: EventRow, before: ValidEvent) -> Self {
        let origin = Origin {
            key_id: stored.ingest_key_id,
            provenance: Provenance::from_code(stored.provenance),
            received_at: stored.received_at,
            log_id: stored.log_id,
        };
        let before_ids = PlayerIds { killer: stored.killer_id, victim: stored.victim_id, player: stored.player_id };
        let assessment = Self::stored_assessment(&stored);
        let witnesses = stored.witnesses;
        Self { before_ids, after: before.clone(), before, stored, origin, assessment, witnesses }
    }

    fn stored_assessment(stored: &EventRow) -> Assessment {
        Assessment { grade: stored.grade(), counts: CountedSides::from_bits(stored.counts), reasons: stored.reasons() }
    }

    /// Whether the report that stands is void.
    pub fn is_void(&self) -> bool {
        self.assessment.reasons.contains(Reasons::NO_REPORTS)
    }

    /// Sets whether the report that stands is void.
    pub fn set_void(&mut self, is_void: bool) {
        let reasons = self.assessment.reasons.without(Reasons::NO_REPORTS);
        self.assessment.reasons = if is_void { reasons.with(Reasons::NO_REPORTS) } else { reasons };
    }

    /// Replaces what follows from the reports. A confirmation or an operator's report ends the limits of accounts.
    pub fn set_assessment(&mut self, assessed: Assessment) {
        let kept = self.assessment.reasons.without(Reasons::OF_REPORTS);
        let kept = if assessed.grade.is_confirmed() { kept.without(Reasons::UNTIL_CONFIRMED) } else { kept };
        self.assessment = Assessment { reasons: kept.with(assessed.reasons), ..assessed };
    }

    /// Puts a valid report in the place of the one that stands; returns the latter as a witness, unless its key is unknown.
    pub fn displace(&mut self, report: ValidEvent, origin: Origin) -> Option<WitnessRow> {
        let is_void = self.is_void();
        self.set_void(false);
        let displaced = std::mem::replace(&mut self.after, report);
        let former = std::mem::replace(&mut self.origin, origin);
        Some(WitnessRow {
            event_id: self.stored.id,
            ingest_key_id: former.key_id?,
            identity: displaced.identity.0.to_vec(),
            event_time: displaced.event_time.0,
            received_at: former.received_at,
            differs: fights::differences(&self.after, &displaced),
            report: report_json(&displaced),
            is_void,
            log_id: former.log_id,
            provenance: Provenance::code(former.provenance),
        })
    }

    /// Whether the report that stands is the operator's.
    pub fn is_operators(&self) -> bool {
        self.assessment.grade == Grade::Operator
    }

    /// The event with the key of the report that stands.
    pub fn reported(&self) -> (&ValidEvent, Reporter) {
        let key_id = self.origin.key_id.unwrap_or(0);
        (&self.after, Reporter { key_id, scope: Scope::Key(key_id) })
    }

    pub fn is_changed(&self) -> bool {
        self.has_another_report() || self.assessment != Self::stored_assessment(&self.stored)
    }

    fn has_another_report(&self) -> bool {
        self.after != self.before
            || self.origin.key_id != self.stored.ingest_key_id
            || Provenance::code(self.origin.provenance) != self.stored.provenance
    }

    /// Adds the difference in figures. Players that the revision adds are resolved already.
    pub fn count(&self, people: &ResolvedPlayers, tally: &mut Tally) {
        tally.mention(&self.after);
        if self.stored.stands() {
            tally.count(&self.before, self.before_ids, self.stored.counted(), Weight::Remove);
        }
        if self.stands() {
            tally.count(&self.after, people.ids_of(&self.after), self.counted(), Weight::Add);
        }
    }

    fn stands(&self) -> bool {
        self.assessment.reasons.state() == State::Stands
    }

    fn counted(&self) -> CountedSides {
        if self.assessment.reasons.counts() { self.assessment.counts } else { CountedSides::NONE }
    }

    /// Players that no longer have an event at its former time.
    fn left(&self, after_ids: PlayerIds) -> Vec<i64> {
        let is_kept = self.stands() && self.before.event_time == self.after.event_time;
        let kept = if is_kept { after_ids.distinct() } else { Vec::new() };
        let before = if self.stored.stands() { self.before_ids.distinct() } else { Vec::new() };
        before.into_iter().filter(|id| !kept.contains(id)).collect()
    }
}

/// Reads events, with their players and patches. Events with unknown codes are left out.
pub(super) fn read(
    conn: &mut AnyConn,
    ids: &[i64],
    people: &mut ResolvedPlayers,
) -> diesel::QueryResult<Vec<Revision>> {
    let stored = activity::find_many(conn, ids)?;
    let mut player_ids: Vec<i64> = stored.iter().flat_map(EventRow::player_ids).collect();
    player_ids.sort_unstable();
    player_ids.dedup();
    people.add(players::find_refs_by_id(conn, &player_ids)?);
    let mut versions: Vec<i64> = stored.iter().filter_map(|row| row.patch_version).collect();
    versions.sort_unstable();
    versions.dedup();
    let names: HashMap<i64, String> = patch::names(conn, &versions)?.into_iter().collect();
    let revision = |row: EventRow| {
        let name = row.patch_version.and_then(|version| names.get(&version)).map(String::as_str);
        let before = from_row(&row, people, name)?;
        Some(Revision::new(row, before))
    };
    Ok(stored.into_iter().filter_map(revision).collect())
}

/// Requests a retry if another transaction has changed one of these events since it was read. Every change adds a witness or
/// changes the reasons.
pub(super) fn require_unchanged<'a>(
    tx: &mut Tx,
    ids: &[i64],
    revisions: impl Iterator<Item = &'a Revision>,
) -> Result<(), AppError> {
    if ids.is_empty() {
        return Ok(());
    }
    let now: HashMap<i64, (i32, i32)> = ingest::lock_events(tx, ids)?.into_iter().collect();
    let is_as_read = |revision: &Revision| {
        now.get(&revision.stored.id) == Some(&(revision.stored.witnesses, revision.stored.reasons))
    };
    if now.len() == ids.len() && revisions.into_iter().all(is_as_read) {
        Ok(())
    } else {
        Err(AppError::RetryTransaction)
    }
}

/// Stores changed events and counts the difference. Returns the former times of events that players no longer have at that time, by
/// player.
pub(super) fn store_revisions<'a>(
    tx: &mut Tx,
    revisions: impl Iterator<Item = &'a Revision>,
    people: &ResolvedPlayers,
    tally: &mut Tally,
    seen: &mut BTreeMap<i64, Vec<SeenEvent>>,
) -> diesel::QueryResult<BTreeMap<i64, Vec<i64>>> {
    let mut moved: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    let mut rows = Vec::new();
    for revision in revisions {
        revision.count(people, tally);
        let after_ids = people.ids_of(&revision.after);
        if revision.stands() {
            add_seen(seen, &revision.after, after_ids);
        }
        for id in revision.left(after_ids) {
            moved.entry(id).or_default().push(revision.before.event_time.0);
            seen.entry(id).or_default();
        }
        if revision.stored.stands() {
            for player_id in revision.before_ids.distinct() {
                ingest::remove_event_player(tx, player_id, revision.before.event_time.0, revision.stored.id)?;
            }
        }
        let row = to_row(revision.stored.id, &revision.after, after_ids, revision.origin, revision.assessment);
        rows.push(EventRow { witnesses: revision.witnesses, ..row });
    }
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    ingest::remove_events(tx, &ids)?;
    store_events(tx, rows, people)?;
    Ok(moved)
}

//! Decisions of admins about stored events and reports: what they change, and the transaction that applies them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::times::EpochMillis;
use crate::domain::trust::{Provenance, Reasons, Scope};
use crate::error::AppError;
use crate::replication::{self, Change, IngestChange, RecordedChange};
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, WitnessRow};
use crate::store::key_days::{self, KeyDay};
use crate::store::{Tx, guilds, players};

use super::log_owners::LogOwners;
use super::names;
use super::playtime::{self, SeenEvent};
use super::reports::{Reports, count_reports, settle};
use super::resolve_players::ResolvedPlayers;
use super::revision::{self, Revision, store_revisions};
use super::tally::{Adoption, Tally};

/// What an admin decides about events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Adds reasons why the events do not stand.
    Add(Reasons),
    /// Removes reasons why the events do not stand.
    Remove(Reasons),
    /// Voids the reports of these keys. An event without other reports is void, too.
    VoidReports(BTreeSet<i64>),
    /// Adds reasons event by event.
    AddEach(BTreeMap<i64, Reasons>),
    /// Removes reasons event by event.
    RemoveEach(BTreeMap<i64, Reasons>),
    /// Restores void reports, as `(event, key)`.
    RestoreReports(BTreeSet<(i64, i64)>),
    /// Reads again whose logs the reports come from. A report of a party remains one.
    Reassess,
    /// Ends the wait for names that are known.
    KnownNames,
}

/// What a decision changed of an event: the report of a key, or without a key the event itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedEvent {
    pub event_id: i64,
    pub key_id: Option<i64>,
    /// The bits that changed; none for a report.
    pub reasons: Reasons,
}

/// The effect of a decision.
#[derive(Default)]
pub struct Plan {
    revisions: Vec<Revision>,
    /// All witnesses of the events whose reports change, afterwards.
    witnesses: Vec<WitnessRow>,
    /// The events whose witnesses are replaced.
    witnessed: Vec<i64>,
    pub changed: Vec<ChangedEvent>,
    people: ResolvedPlayers,
}

impl Plan {
    /// The change of the overall score of each player, by id. Players that the change would add are left out.
    pub fn effect(&self) -> BTreeMap<i64, i64> {
        let mut tally = Tally::default();
        self.revisions.iter().for_each(|revision| revision.count(&self.people, &mut tally));
        tally.overall_changes().collect()
    }
}

/// Computes what a decision changes.
pub fn plan(conn: &mut AnyConn, event_ids: &[i64], decision: &Decision, now: EpochMillis) -> diesel::QueryResult<Plan> {
    let mut plan = Plan::default();
    let revisions = revision::read(conn, event_ids, &mut plan.people)?;
    let concerns_reports =
        matches!(decision, Decision::VoidReports(_) | Decision::RestoreReports(_) | Decision::Reassess);
    let mut reports =
        if concerns_reports { Reports::read(conn, &revisions.iter().collect::<Vec<_>>())? } else { Reports::default() };
    let owners = match decision {
        Decision::Reassess => Some(LogOwners::read(conn, &revisions, &reports)?),
        _ => None,
    };
    for mut revision in revisions {
        plan.decide_reasons(&mut revision, decision);
        match (reports.take(revision.stored.id), &owners) {
            (Some(witnesses), Some(owners)) => {
                plan.reassess(revision, witnesses, owners, &reports.scopes, now);
            }
            (Some(witnesses), None) => {
                let changed = change_voidness(&mut revision, witnesses, decision);
                plan.apply_reports(revision, changed, &reports.scopes, now);
            }
            (None, _) if revision.is_changed() => plan.revisions.push(revision),
            (None, _) => {}
        }
    }
    Ok(plan)
}

impl Plan {
    fn decide_reasons(&mut self, revision: &mut Revision, decision: &Decision) {
        let before = revision.assessment.reasons;
        let own = |reasons: &BTreeMap<i64, Reasons>| reasons.get(&revision.stored.id).copied().unwrap_or_default();
        let after = match decision {
            Decision::Add(reasons) => before.with(*reasons),
            Decision::Remove(reasons) => before.without(*reasons),
            Decision::AddEach(reasons) => before.with(own(reasons)),
            Decision::RemoveEach(reasons) => before.without(own(reasons)),
            Decision::KnownNames if are_known(revision, &self.people) => before.without(Reasons::PROVISIONAL_NAME),
            Decision::VoidReports(_) | Decision::RestoreReports(_) | Decision::Reassess | Decision::KnownNames => {
                before
            }
        };
        revision.assessment.reasons = after;
        let changed = before.difference(after);
        if changed != Reasons::NONE {
            self.changed.push(ChangedEvent { event_id: revision.stored.id, key_id: None, reasons: changed });
        }
    }

    /// Chooses the report that stands, if the voidness of reports changed.
    fn apply_reports(
        &mut self,
        mut revision: Revision,
        changed: ChangedReports,
        scopes: &HashMap<i64, Scope>,
        now: EpochMillis,
    ) {
        let event_id = revision.stored.id;
        let is_reports_changed = !changed.key_ids.is_empty();
        if is_reports_changed {
            let of_key = |key_id| ChangedEvent { event_id, key_id: Some(key_id), reasons: Reasons::NONE };
            self.changed.extend(changed.key_ids.into_iter().map(of_key));
            let (witnesses, _) = settle(&mut revision, changed.witnesses, changed.is_standing_void, scopes, now);
            revision.witnesses = count_reports(&witnesses);
            self.witnesses.extend(witnesses);
            self.witnessed.push(event_id);
        }
        if is_reports_changed || revision.is_changed() {
            self.revisions.push(revision);
        }
    }
}

impl Plan {
    /// Assesses an event with what is known of the owners of its logs now.
    fn reassess(
        &mut self,
        mut revision: Revision,
        mut witnesses: Vec<WitnessRow>,
        owners: &LogOwners,
        scopes: &HashMap<i64, Scope>,
        now: EpochMillis,
    ) {
        let before = witnesses.clone();
        let scope_of = |key_id: Option<i64>| key_id.map_or(Some(Scope::Operator), |id| scopes.get(&id).copied());
        let origin = revision.origin;
        revision.origin.provenance =
            owners.provenance(&revision.after, scope_of(origin.key_id), origin.log_id, origin.provenance);
        for witness in &mut witnesses {
            let stored = Provenance::from_code(witness.provenance);
            let scope = scope_of(Some(witness.ingest_key_id));
            let known = owners.provenance(&revision.after, scope, witness.log_id, stored);
            witness.provenance = Provenance::code(known);
        }
        let is_void = revision.is_void();
        let event_id = revision.stored.id;
        let (witnesses, _) = settle(&mut revision, witnesses, is_void, scopes, now);
        let is_changed = revision.is_changed();
        if witnesses != before {
            revision.witnesses = count_reports(&witnesses);
            self.witnesses.extend(witnesses);
            self.witnessed.push(event_id);
        }
        if is_changed || self.witnessed.last() == Some(&event_id) {
            self.changed.push(ChangedEvent { event_id, key_id: None, reasons: Reasons::NONE });
            self.revisions.push(revision);
        }
    }
}

/// Whether no player of an event has a provisional name.
fn are_known(revision: &Revision, people: &ResolvedPlayers) -> bool {
    revision.stored.player_ids().all(|id| !people.is_provisional(id))
}

/// The reports of an event after their voidness changed.
struct ChangedReports {
    /// The keys whose reports changed.
    key_ids: Vec<i64>,
    witnesses: Vec<WitnessRow>,
    is_standing_void: bool,
}

fn change_voidness(revision: &mut Revision, mut witnesses: Vec<WitnessRow>, decision: &Decision) -> ChangedReports {
    let event_id = revision.stored.id;
    let changed_voidness = |key_id: i64, is_void: bool| match decision {
        Decision::VoidReports(keys) => is_void || keys.contains(&key_id),
        Decision::RestoreReports(reports) => is_void && !reports.contains(&(event_id, key_id)),
        _ => is_void,
    };
    let mut key_ids = Vec::new();
    let was_void = revision.is_void();
    let is_standing_void = revision.origin.key_id.map_or(was_void, |key_id| changed_voidness(key_id, was_void));
    if is_standing_void != was_void {
        key_ids.extend(revision.origin.key_id);
    }
    for witness in &mut witnesses {
        let is_void = changed_voidness(witness.ingest_key_id, witness.is_void);
        if is_void != witness.is_void {
            key_ids.push(witness.ingest_key_id);
            witness.is_void = is_void;
        }
    }
    ChangedReports { key_ids, witnesses, is_standing_void }
}

/// Applies a decision to events; figures, feeds and ranks follow. Returns what changed.
pub fn decide(
    tx: &mut Tx,
    event_ids: &[i64],
    decision: &Decision,
    now: EpochMillis,
) -> Result<(Vec<ChangedEvent>, Option<RecordedChange>), AppError> {
    let Plan { revisions, witnesses, witnessed, changed, mut people } = plan(tx, event_ids, decision, now)?;
    if revisions.is_empty() {
        return Ok((changed, None));
    }
    people.resolve(tx, revisions.iter().map(|revision| (&revision.after, revision.is_operators())), now)?;
    players::lock(tx, &people.ids())?;
    names::store_new(tx, revisions.iter().map(Revision::reported), &people, now)?;
    let ids: Vec<i64> = revisions.iter().map(|revision| revision.stored.id).collect();
    revision::require_unchanged(tx, &ids, revisions.iter())?;

    let mut tally = Tally::default();
    let mut seen: BTreeMap<i64, Vec<SeenEvent>> = BTreeMap::new();
    let moved = store_revisions(tx, revisions.iter(), &people, &mut tally, &mut seen)?;
    ingest::replace_witnesses(tx, &witnessed, &witnesses)?;
    let standing = revisions.iter().filter_map(|revision| Some((revision.origin.key_id?, revision.stored.id)));
    key_days::extend(tx, KeyDay::of_events(standing, now.day().0))?;
    playtime::update(tx, &seen, &moved, &mut tally)?;
    let scores = tally.store_players(tx, &people)?;
    let late = tally.late(now.day());
    let (guilds, _) = tally.store_shared(tx, &people, &late, &Adoption::none())?;
    let moved: Vec<i64> = moved.into_keys().collect();
    ingest::refresh_last_active(tx, &moved)?;
    let change = IngestChange {
        events: Vec::new(),
        new_players: people.new.clone(),
        scores,
        late,
        guilds,
        guild_tags: guilds::tags(tx, &people.guild_ids())?.into_iter().collect(),
        has_patch_changes: tally.touches_patches(),
        players: people.into_keys(),
        withdrawn: moved,
    };
    Ok((changed, Some(replication::record(tx, Change::Ingest(change))?)))
}

//! Decisions of admins about stored events and reports: what they change, and the transaction that applies them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::domain::events::ValidEvent;
use crate::domain::fights;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Grade, Reasons, Scope};
use crate::error::AppError;
use crate::replication::{self, Change, IngestChange, RecordedChange};
use crate::store::conn::AnyConn;
use crate::store::ingest::{self, WitnessRow};
use crate::store::key_days::{self, KeyDay};
use crate::store::{Tx, guilds, keys, players};

use super::playtime::{self, SeenEvent};
use super::resolve_players::ResolvedPlayers;
use super::revision::{self, Revision, store_revisions};
use super::rows::{Origin, parse_report, report_json};
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
    let mut reports = match decision {
        Decision::VoidReports(_) | Decision::RestoreReports(_) => Reports::read(conn, event_ids, &revisions)?,
        _ => Reports::default(),
    };
    for mut revision in revisions {
        plan.decide_reasons(&mut revision, decision);
        if let Some(witnesses) = reports.by_event.remove(&revision.stored.id) {
            let changed = change_voidness(&mut revision, witnesses, decision);
            plan.apply_reports(revision, changed, &reports.scopes, now);
        } else if revision.is_changed() {
            plan.revisions.push(revision);
        }
    }
    Ok(plan)
}

impl Plan {
    fn decide_reasons(&mut self, revision: &mut Revision, decision: &Decision) {
        let before = revision.reasons;
        let own = |reasons: &BTreeMap<i64, Reasons>| reasons.get(&revision.stored.id).copied().unwrap_or_default();
        revision.reasons = match decision {
            Decision::Add(reasons) => before.with(*reasons),
            Decision::Remove(reasons) => before.without(*reasons),
            Decision::AddEach(reasons) => before.with(own(reasons)),
            Decision::RemoveEach(reasons) => before.without(own(reasons)),
            Decision::VoidReports(_) | Decision::RestoreReports(_) => before,
        };
        let changed = before.difference(revision.reasons);
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
            let witnesses = choose_standing(&mut revision, changed.witnesses, changed.is_standing_void, scopes, now);
            self.witnesses.extend(witnesses);
            self.witnessed.push(event_id);
        }
        if is_reports_changed || revision.is_changed() {
            self.revisions.push(revision);
        }
    }
}

/// The witnesses of events, and the scopes of all their reporters.
#[derive(Default)]
struct Reports {
    by_event: HashMap<i64, Vec<WitnessRow>>,
    scopes: HashMap<i64, Scope>,
}

impl Reports {
    fn read(conn: &mut AnyConn, event_ids: &[i64], revisions: &[Revision]) -> diesel::QueryResult<Self> {
        let mut by_event: HashMap<i64, Vec<WitnessRow>> =
            revisions.iter().map(|revision| (revision.stored.id, Vec::new())).collect();
        let mut key_ids: BTreeSet<i64> = revisions.iter().filter_map(|revision| revision.origin.key_id).collect();
        for witness in ingest::list_witnesses(conn, event_ids)? {
            key_ids.insert(witness.ingest_key_id);
            by_event.entry(witness.event_id).or_default().push(witness);
        }
        let reporters = keys::reporters(conn, &key_ids.into_iter().collect::<Vec<_>>())?;
        let scopes = reporters.into_iter().map(|reporter| (reporter.key_id, reporter.scope)).collect();
        Ok(Self { by_event, scopes })
    }
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
    let was_void = revision.reasons.contains(Reasons::NO_REPORTS);
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

/// Chooses the report that stands: the first of an operator, or else the first; returns the others.
fn choose_standing(
    revision: &mut Revision,
    mut witnesses: Vec<WitnessRow>,
    is_standing_void: bool,
    scopes: &HashMap<i64, Scope>,
    now: EpochMillis,
) -> Vec<WitnessRow> {
    let precedence = |key_id: Option<i64>, received_at: Option<i64>| {
        let is_operator = key_id.is_none_or(|id| scopes.get(&id).is_some_and(|scope| scope.is_operator()));
        (!is_operator, received_at)
    };
    let standing = precedence(revision.origin.key_id, revision.origin.received_at);
    let best = witnesses
        .iter()
        .enumerate()
        .filter(|(_, witness)| !witness.is_void)
        .map(|(index, witness)| (precedence(Some(witness.ingest_key_id), witness.received_at), index))
        .filter(|(precedence, _)| is_standing_void || *precedence < standing)
        .min();
    let chosen = best.and_then(|(_, index)| Some((index, parse_report(&witnesses[index], &revision.after, now)?)));
    let mut is_standing_void = is_standing_void;
    if let Some((index, report)) = chosen {
        let promoted = witnesses.swap_remove(index);
        let reports: Vec<Option<ValidEvent>> =
            witnesses.iter().map(|witness| parse_report(witness, &revision.after, now)).collect();
        revision.set_void(is_standing_void);
        witnesses.extend(revision.displace(report, origin_of(&promoted, scopes)));
        is_standing_void = false;
        for (witness, report) in witnesses.iter_mut().zip(reports) {
            witness.differs = report.as_ref().and_then(|report| fights::differences(&revision.after, report));
            // Reports of earlier versions are known as differences to the one that stood so far.
            witness.report = report.as_ref().and_then(report_json);
        }
    }
    revision.set_void(is_standing_void);
    let others = witnesses.iter().filter(|witness| !witness.is_void).count();
    // A void event keeps the number that it had with its last report.
    revision.witnesses = i32::try_from(others).unwrap_or(i32::MAX).saturating_add(1);
    witnesses
}

/// Where the report of a witness comes from.
fn origin_of(witness: &WitnessRow, scopes: &HashMap<i64, Scope>) -> Origin {
    let scope = scopes.get(&witness.ingest_key_id).copied();
    Origin {
        key_id: Some(witness.ingest_key_id),
        grade: scope.map_or(Grade::Legacy, Grade::of),
        received_at: witness.received_at,
        log_id: witness.log_id,
    }
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
    people.resolve(tx, revisions.iter().map(|revision| (&revision.after, false)), now)?;
    players::lock(tx, &people.ids())?;
    let ids: Vec<i64> = revisions.iter().map(|revision| revision.stored.id).collect();
    revision::require_unchanged(tx, &ids, revisions.iter())?;

    let mut tally = Tally::default();
    let mut seen: BTreeMap<i64, Vec<SeenEvent>> = BTreeMap::new();
    let moved = store_revisions(tx, revisions.iter(), &people, &mut tally, &mut seen)?;
    ingest::replace_witnesses(tx, &witnessed, &witnesses)?;
    let standing = revisions.iter().filter_map(|revision| Some((revision.origin.key_id?, revision.stored.id)));
    key_days::extend(tx, KeyDay::of_reports(standing, now.day().0))?;
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

//! The transaction that stores batches of events and everything derived from them.

use std::collections::{BTreeMap, BTreeSet};

use crate::app::BatchOutcome;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Assessment, Reasons, Reporter, TrustRules};
use crate::error::AppError;
use crate::replication::{self, Change, IngestChange, RecordedChange};
use crate::store::ingest::{self, EventRow};
use crate::store::key_days::{self, KeyDay};
use crate::store::{Tx, guilds, keys, players, users};

use super::admission::assess_new;
use super::batch::Batch;
use super::classify::{Submission, classify, require_no_newer_events, require_no_newer_fights};
use super::merge::{Merges, operator_patches};
use super::names;
use super::patches;
use super::playtime::{self, SeenEvent, add_seen};
use super::resolve_players::ResolvedPlayers;
use super::revision::{Revision, store_revisions};
use super::rows::{Origin, store_events, to_row};
use super::sender::senders;
use super::tally::{Adoption, Tally, Weight};

/// What a transaction changed: the input of its response and its effects.
#[derive(Default)]
pub struct Committed {
    /// One per batch, in order.
    pub outcomes: Vec<BatchOutcome>,
    /// `None` if nothing changed.
    pub change: Option<RecordedChange>,
}

/// Stores batches whose events and fights are distinct. On an error, nothing is stored. `first_patch` is the version of the patch
/// that is shown before any is adopted.
pub fn commit(
    tx: &mut Tx,
    batches: &[Batch],
    rules: &TrustRules,
    first_patch: Option<i64>,
    now: EpochMillis,
) -> Result<Committed, AppError> {
    let clock = ingest::last_id(tx)?;
    let senders = senders(tx, batches, rules, now)?;
    let mut classified = classify(tx, batches, &senders)?;
    let mut tally = Tally::default();
    let mut people = ResolvedPlayers::default();
    let merges = Merges::read(tx, &classified, &mut people, now)?;
    let new = classified.new.iter().map(|submission| (submission.event, submission.reporter.scope.is_operator()));
    people.resolve(tx, new.chain(merges.changed().map(|merge| (&merge.after, merge.is_operators()))), now)?;
    players::lock(tx, &people.ids())?;
    people.refresh_provisional(tx)?;
    merges.require_unchanged(tx, &classified)?;

    let named = classified.new.iter().map(|submission| (submission.event, submission.reporter));
    let excess_names = names::store_new(tx, named.chain(merges.changed().map(Revision::reported)), &people, now)?;
    let assessed = assess_new(tx, &classified.new, &people, &excess_names, rules)?;
    let mut seen: BTreeMap<i64, Vec<SeenEvent>> = BTreeMap::new();
    for (Submission { batch, index, event, .. }, assessment) in classified.new.iter().zip(&assessed) {
        if assessment.reasons != Reasons::NONE {
            classified.outcomes[*batch].held.push((*index, assessment.reasons));
            tally.mention(event);
            continue;
        }
        let ids = people.ids_of(event);
        tally.count(event, ids, assessment.counts, Weight::Add);
        add_seen(&mut seen, event, ids);
    }
    let moved = store_revisions(tx, merges.changed(), &people, &mut tally, &mut seen)?;
    playtime::update(tx, &seen, &moved, &mut tally)?;
    let scores = tally.store_players(tx, &people)?;

    let events = number_events(tx, &classified.new, &assessed, &people, clock, now)?;
    let late = tally.late(now.day());
    let adoption = Adoption { versions: operator_patches(&classified).collect(), at: now };
    let (guilds, patch_states) = tally.store_shared(tx, &people, &late, &adoption)?;
    store_events(tx, events.clone(), &people)?;
    let moved: Vec<i64> = moved.into_keys().collect();
    ingest::refresh_last_active(tx, &moved)?;
    update_geids(tx, &classified.new, &people)?;
    let reported = events.iter().filter_map(|event| Some((event.ingest_key_id?, event.id))).chain(merges.reports());
    key_days::extend(tx, KeyDay::of_reports(reported, now.day().0))?;
    key_days::extend(tx, KeyDay::of_events(merges.standing(), now.day().0))?;
    merges.store_witnesses(tx)?;
    touch_reporters(tx, batches, now)?;
    patches::adopt_reported(tx, &classified.new, &patch_states, first_patch, now)?;
    let guild_tags = guilds::tags(tx, &people.guild_ids())?.into_iter().collect();
    let change = IngestChange {
        events,
        new_players: people.new.clone(),
        scores,
        late,
        guilds,
        guild_tags,
        has_patch_changes: tally.touches_patches(),
        players: people.into_keys(),
        withdrawn: Vec::new(),
    };
    let change = if change.is_empty() { None } else { Some(replication::record(tx, Change::Ingest(change))?) };
    Ok(Committed { outcomes: classified.outcomes, change })
}

/// Reserves ids for new events. `clock` is the last id that the transaction saw when it began: if another process has reserved ids
/// since, it may have stored the same events, and the transaction is retried if so.
fn number_events(
    tx: &mut Tx,
    new: &[Submission],
    assessed: &[Assessment],
    people: &ResolvedPlayers,
    clock: i64,
    now: EpochMillis,
) -> Result<Vec<EventRow>, AppError> {
    let count = new.len() as i64;
    let last = if count > 0 { ingest::reserve_ids(tx, count)? } else { clock };
    if last - count != clock {
        require_no_newer_fights(tx, new, clock)?;
        require_no_newer_events(tx, new)?;
    }
    let row = |((submission, assessment), id): ((&Submission, &Assessment), i64)| {
        to_row(id, submission.event, people.ids_of(submission.event), Origin::of(submission, now), *assessment)
    };
    Ok(new.iter().zip(assessed).zip(last - count + 1..).map(row).collect())
}

/// Records that keys were used, and the days on which their users were seen.
fn touch_reporters(tx: &mut Tx, batches: &[Batch], now: EpochMillis) -> diesel::QueryResult<()> {
    // In ascending order, so that concurrent transactions do not deadlock.
    let reporters: BTreeSet<Reporter> = batches.iter().map(|batch| batch.reporter).collect();
    for reporter in &reporters {
        keys::touch(tx, reporter.key_id, now.0)?;
    }
    let users: BTreeSet<i64> = reporters.iter().filter_map(|reporter| reporter.scope.user_id()).collect();
    users::add_day(tx, &users.into_iter().collect::<Vec<_>>(), now.day())
}

/// Stores the newest entity id that each player's own events contain. It changes when the player recreates the character. Only the
/// operator and the owner's own log can set it.
fn update_geids(tx: &mut Tx, new: &[Submission], people: &ResolvedPlayers) -> diesel::QueryResult<()> {
    let named = new.iter().filter_map(|submission| {
        let geid = submission.event.player_geid.as_deref()?;
        let is_owner = submission.provenance.voice.is_first_hand();
        Some((people.ids_of(submission.event).player?, submission.event.event_time, geid)).filter(|_| is_owner)
    });
    let mut newest: BTreeMap<i64, (EpochMillis, &str)> = BTreeMap::new();
    for (id, at, geid) in named {
        let known = newest.entry(id).or_insert((at, geid));
        *known = (*known).max((at, geid));
    }
    newest.into_iter().try_for_each(|(id, (_, geid))| players::set_geid(tx, id, geid))
}

//! The transaction that stores batches of events and everything derived from them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::domain::events::{EventKind, Identifier, Identity, Party, ValidEvent, mode_code, mode_from_code};
use crate::domain::fights::{self, FIGHT_WINDOW_MS};
use crate::domain::names::Handle;
use crate::domain::patches::Patch;
use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::replication::{self, Change, IngestChange, RecordedChange};
use crate::store::ingest::{self, EventPlayer, EventRow, KnownFight};
use crate::store::{Tx, activity, guilds, keys, patch, players};

use super::playtime::{self, LOGIN, LOGOUT, SeenEvent};
use super::resolve_players::{PlayerIds, ResolvedPlayers};
use super::tally::Tally;

/// Validated events of one sender.
#[derive(Clone)]
pub struct Batch {
    pub key_id: i64,
    pub events: Vec<ValidEvent>,
}

/// An event with the batch and the key it was submitted with.
#[derive(Clone, Copy)]
struct Submission<'a> {
    batch: usize,
    key_id: i64,
    event: &'a ValidEvent,
}

/// The counts of one batch for its response.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct BatchOutcome {
    pub accepted: usize,
    pub duplicates: usize,
}

/// The result of a transaction: the input of its response and its effects.
#[derive(Default)]
pub struct Committed {
    /// One per batch, in order.
    pub outcomes: Vec<BatchOutcome>,
    /// `None` if nothing changed.
    pub change: Option<RecordedChange>,
}

/// Submitted events by what they are to the database.
#[derive(Default)]
struct Classified<'a> {
    new: Vec<Submission<'a>>,
    /// Repetitions of a stored event by another reader, with the id of that event.
    repeats: Vec<(i64, Submission<'a>)>,
    /// Reports of a stored fight by another reader, with the id of that event.
    fight_reports: Vec<(i64, Submission<'a>)>,
    outcomes: Vec<BatchOutcome>,
}

/// Stores batches whose events and fights are distinct. On an error, nothing is stored.
pub fn commit(tx: &mut Tx, batches: &[Batch], now: EpochMillis) -> Result<Committed, AppError> {
    let clock = ingest::last_id(tx)?;
    let classified = classify(tx, batches)?;
    let mut tally = Tally::default();
    let submission = classified.new.iter().chain(classified.fight_reports.iter().map(|(_, submission)| submission));
    let mut people = ResolvedPlayers::resolve(tx, submission.map(|submission| submission.event), now)?;
    let merges = read_merges(tx, &classified, &mut people)?;
    players::lock(tx, &people.ids())?;
    require_unchanged_events(tx, &classified, &merges)?;

    let mut seen: BTreeMap<i64, Vec<SeenEvent>> = BTreeMap::new();
    for Submission { event, .. } in &classified.new {
        let ids = people.ids_of(event);
        tally.count(event, ids, 1);
        add_seen(&mut seen, event, ids);
    }
    let moved = store_merges(tx, merges, &people, &mut tally, &mut seen)?;
    playtime::update(tx, &seen, &moved, &mut tally)?;
    let scores = tally.store_players(tx, &people)?;

    let events = number_events(tx, &classified.new, &people, clock)?;
    let late = tally.late(now.day());
    let guilds = tally.store_shared(tx, &people, &late)?;
    store_events(tx, events.clone(), &people)?;
    let moved: Vec<i64> = moved.into_keys().collect();
    ingest::refresh_last_active(tx, &moved)?;
    update_geids(tx, &classified.new, &people)?;
    for (event_id, Submission { key_id, event, .. }) in classified.repeats.iter().chain(&classified.fight_reports) {
        ingest::add_witness(tx, *event_id, *key_id, &event.identity.0, event.event_time.0)?;
    }
    // In ascending order, so that concurrent transactions do not deadlock.
    for key_id in batches.iter().map(|batch| batch.key_id).collect::<BTreeSet<_>>() {
        keys::touch(tx, key_id, now.0)?;
    }
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
    };
    let change = if change.is_empty() { None } else { Some(replication::record(tx, Change::Ingest(change))?) };
    Ok(Committed { outcomes: classified.outcomes, change })
}

/// Stores merged fights and counts the difference. Returns the former times of the events whose time changed, by player.
fn store_merges(
    tx: &mut Tx,
    merges: Vec<FightMerge>,
    people: &ResolvedPlayers,
    tally: &mut Tally,
    seen: &mut BTreeMap<i64, Vec<SeenEvent>>,
) -> diesel::QueryResult<BTreeMap<i64, Vec<i64>>> {
    let mut moved: BTreeMap<i64, Vec<i64>> = BTreeMap::new();
    for merge in merges {
        tally.count(&merge.before, merge.before_ids, -1);
        tally.count(&merge.after, merge.after_ids, 1);
        add_seen(seen, &merge.after, merge.after_ids);
        if merge.before.event_time != merge.after.event_time {
            for id in merge.after_ids.distinct() {
                moved.entry(id).or_default().push(merge.before.event_time.0);
            }
        }
        store_merge(tx, merge, people)?;
    }
    Ok(moved)
}

/// Reserves ids for new events. `clock` is the last id that the transaction saw when it began: if another process has reserved ids
/// since, it may have stored the same events, and the transaction is retried if so.
fn number_events(
    tx: &mut Tx,
    new: &[Submission],
    people: &ResolvedPlayers,
    clock: i64,
) -> Result<Vec<EventRow>, AppError> {
    let count = new.len() as i64;
    let last = if count > 0 { ingest::reserve_ids(tx, count)? } else { clock };
    if last - count != clock {
        require_no_newer_fights(tx, new, clock)?;
        require_no_newer_events(tx, new)?;
    }
    let row = |(submission, id): (&Submission, i64)| {
        to_row(id, submission.event, people.ids_of(submission.event), submission.key_id)
    };
    Ok(new.iter().zip(last - count + 1..).map(row).collect())
}

/// Stores the newest entity id that each player's own events contain. It changes when the player recreates the character.
fn update_geids(tx: &mut Tx, new: &[Submission], people: &ResolvedPlayers) -> diesel::QueryResult<()> {
    let mut newest: BTreeMap<i64, (EpochMillis, &str)> = BTreeMap::new();
    for Submission { event, .. } in new {
        let (Some(id), Some(geid)) = (people.ids_of(event).player, event.player_geid.as_deref()) else { continue };
        let known = newest.entry(id).or_insert((event.event_time, geid));
        *known = (*known).max((event.event_time, geid));
    }
    newest.into_iter().try_for_each(|(id, (_, geid))| players::set_geid(tx, id, geid))
}

fn classify<'a>(tx: &mut Tx, batches: &'a [Batch]) -> diesel::QueryResult<Classified<'a>> {
    let mut classified = Classified { outcomes: vec![BatchOutcome::default(); batches.len()], ..Classified::default() };
    let mut unique: Vec<Submission> = Vec::new();
    let mut met: HashMap<Identity, i64> = HashMap::new();
    for (batch, Batch { key_id, events }) in batches.iter().enumerate() {
        for event in events {
            if met.insert(event.identity, *key_id).is_none() {
                unique.push(Submission { batch, key_id: *key_id, event });
            } else {
                classified.outcomes[batch].duplicates += 1;
            }
        }
    }
    let identities: Vec<Vec<u8>> = unique.iter().map(|submission| submission.event.identity.0.to_vec()).collect();
    let mut known: HashMap<Vec<u8>, Vec<(i64, Option<i64>)>> = HashMap::new();
    for found in ingest::known_identities(tx, &identities)? {
        known.entry(found.identity).or_default().push((found.event_id, found.ingest_key_id));
    }
    let (repeated, unknown): (Vec<_>, Vec<_>) =
        unique.into_iter().partition(|t| known.contains_key(&t.event.identity.0[..]));
    for submission in repeated {
        classified.outcomes[submission.batch].duplicates += 1;
        let reports = known.get(&submission.event.identity.0[..]).map(Vec::as_slice).unwrap_or_default();
        match reports.first() {
            Some((event_id, _)) if reports.iter().all(|(_, key_id)| *key_id != Some(submission.key_id)) => {
                classified.repeats.push((*event_id, submission));
            }
            _ => {}
        }
    }
    match_fights(tx, unknown, &mut classified)?;
    Ok(classified)
}

/// Finds the stored fights that new reports belong to: equal key, at most five seconds apart, not yet reported by the same
/// sender.
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
    let stored_ids: Vec<i64> = stored.iter().map(|f| f.event_id).collect();
    let mut reported_by: HashSet<(i64, i64)> = HashSet::new();
    if !stored_ids.is_empty() {
        reported_by.extend(ingest::witnesses_of(tx, &stored_ids)?);
    }
    reported_by.extend(stored.iter().filter_map(|f| Some((f.event_id, f.ingest_key_id?))));
    unknown.sort_by_key(|submission| (submission.event.event_time, submission.event.identity));
    for submission in unknown {
        match nearest(&stored, submission, &reported_by) {
            Some(event_id) => {
                reported_by.insert((event_id, submission.key_id));
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

/// The range of times in which stored fights can match; `None` without any fight.
fn span(submission: &[Submission]) -> Option<(i64, i64)> {
    let times = submission
        .iter()
        .filter(|submission| submission.event.fight.is_some())
        .map(|submission| submission.event.event_time.0);
    let (from, to) = (times.clone().min()?, times.max()?);
    Some((from - FIGHT_WINDOW_MS, to + FIGHT_WINDOW_MS))
}

fn nearest(stored: &[KnownFight], submission: Submission, reported_by: &HashSet<(i64, i64)>) -> Option<i64> {
    let fight = submission.event.fight?;
    stored
        .iter()
        .filter(|f| f.fight == Some(fight) && !reported_by.contains(&(f.event_id, submission.key_id)))
        .filter(|f| fights::is_within_fight_window(EpochMillis(f.event_time), submission.event.event_time))
        .min_by_key(|f| ((f.event_time - submission.event.event_time.0).abs(), f.event_id))
        .map(|f| f.event_id)
}

/// Requests a retry if another process stored one of these fights during this transaction.
fn require_no_newer_fights(tx: &mut Tx, new: &[Submission], clock: i64) -> Result<(), AppError> {
    let Some((from, to)) = span(new) else { return Ok(()) };
    let fights: Vec<i64> = new.iter().filter_map(|submission| submission.event.fight).collect();
    let late = ingest::known_fights(tx, &fights, from, to)?;
    if late.iter().any(|f| f.event_id > clock) { Err(AppError::RetryTransaction) } else { Ok(()) }
}

/// Requests a retry if another process stored one of these events during this transaction. A unique index detects this too, but
/// not across partitions.
fn require_no_newer_events(tx: &mut Tx, new: &[Submission]) -> Result<(), AppError> {
    let identities: Vec<Vec<u8>> = new.iter().map(|submission| submission.event.identity.0.to_vec()).collect();
    let is_late = !ingest::known_identities(tx, &identities)?.is_empty();
    if is_late { Err(AppError::RetryTransaction) } else { Ok(()) }
}

/// Requests a retry if another transaction has changed one of these events since it was read. Every change of an event adds a
/// witness, so their number is compared.
fn require_unchanged_events(tx: &mut Tx, classified: &Classified, merges: &[FightMerge]) -> Result<(), AppError> {
    let submission: BTreeSet<i64> =
        classified.repeats.iter().chain(&classified.fight_reports).map(|(event_id, _)| *event_id).collect();
    if submission.is_empty() {
        return Ok(());
    }
    let now: HashMap<i64, i32> =
        ingest::lock_events(tx, &submission.iter().copied().collect::<Vec<_>>())?.into_iter().collect();
    let is_as_read = |merge: &FightMerge| now.get(&merge.event_id) == Some(&merge.witnesses);
    if now.len() == submission.len() && merges.iter().all(is_as_read) {
        Ok(())
    } else {
        Err(AppError::RetryTransaction)
    }
}

/// A stored event, before and after merging a second report.
struct FightMerge {
    event_id: i64,
    before: ValidEvent,
    before_ids: PlayerIds,
    after: ValidEvent,
    after_ids: PlayerIds,
    witnesses: i32,
    key_id: Option<i64>,
}

fn read_merges(
    tx: &mut Tx,
    classified: &Classified,
    people: &mut ResolvedPlayers,
) -> Result<Vec<FightMerge>, AppError> {
    let mut merges = Vec::new();
    for (event_id, Submission { event: submission, .. }) in &classified.fight_reports {
        let Some(stored) = ingest::event_by_id(tx, *event_id)? else { continue };
        let ids = PlayerIds { killer: stored.killer_id, victim: stored.victim_id, player: stored.player_id };
        people.add(players::find_refs_by_id(tx, &ids.distinct())?);
        let names = patch::names(tx, &stored.patch_version.into_iter().collect::<Vec<_>>())?;
        let Some(before) = from_row(&stored, people, names.first().map(|(_, name)| name.as_str())) else { continue };
        let after = if submission.event_time < before.event_time {
            fights::merge(
                ValidEvent { identity: before.identity, fight: before.fight, ..ValidEvent::clone(submission) },
                &before,
            )
        } else {
            fights::merge(before.clone(), submission)
        };
        let after_ids = people.ids_of(&after);
        if after != before {
            let key_id = stored.ingest_key_id;
            merges.push(FightMerge {
                event_id: *event_id,
                before,
                before_ids: ids,
                after,
                after_ids,
                witnesses: stored.witnesses,
                key_id,
            });
        }
    }
    Ok(merges)
}

fn store_merge(tx: &mut Tx, merge: FightMerge, people: &ResolvedPlayers) -> diesel::QueryResult<()> {
    for player_id in merge.before_ids.distinct() {
        ingest::remove_event_player(tx, player_id, merge.before.event_time.0, merge.event_id)?;
    }
    let mut after = to_row(merge.event_id, &merge.after, merge.after_ids, 0);
    after.ingest_key_id = merge.key_id;
    after.witnesses = merge.witnesses;
    ingest::remove_event(tx, &after)?;
    store_events(tx, vec![after], people)
}

/// Inserts events and the feed entries of their players.
pub(super) fn store_events(tx: &mut Tx, rows: Vec<EventRow>, people: &ResolvedPlayers) -> diesel::QueryResult<()> {
    let is_hidden = |id: i64| people.by_id(id).is_some_and(|person| person.is_hidden);
    let has_hidden = |row: &&EventRow| row.player_ids().any(is_hidden);
    let of_hidden: Vec<i64> = rows.iter().filter(has_hidden).map(|row| row.id).collect();
    let entries = event_players(&rows, people);
    ingest::insert_events(tx, rows)?;
    ingest::insert_event_players(tx, &entries)?;
    activity::mark_hidden(tx, &of_hidden)
}

pub(super) fn add_seen(seen: &mut BTreeMap<i64, Vec<SeenEvent>>, event: &ValidEvent, ids: PlayerIds) {
    let what = (event.event_time.0, category(event), event.patch.as_ref().map(Patch::version));
    for player_id in ids.distinct() {
        seen.entry(player_id).or_default().push(what);
    }
}

/// The category of an event, by which feeds are filtered. The codes are those of the table `events`.
pub fn category(event: &ValidEvent) -> i16 {
    match event.identifier.kind() {
        EventKind::Kill if event.is_suicide() || event.killer == Party::Nobody => 0,
        EventKind::Kill if event.killer.is_npc() || event.victim.is_npc() => 2,
        EventKind::Kill => 1,
        EventKind::SoftDeath
        | EventKind::Destruction
        | EventKind::InstantDestruction
        | EventKind::SeatEntered
        | EventKind::SeatExited => 3,
        EventKind::MissionAccepted | EventKind::MissionCompleted | EventKind::MissionOther => 4,
        EventKind::Login => LOGIN,
        EventKind::Logout => LOGOUT,
        EventKind::Connection => 7,
    }
}

pub(super) fn to_row(id: i64, event: &ValidEvent, ids: PlayerIds, key_id: i64) -> EventRow {
    let npc = |party: &Party| party.name().filter(|_| party.is_npc()).map(ToOwned::to_owned);
    EventRow {
        id,
        identity: event.identity.0.to_vec(),
        fight: event.fight,
        identifier: event.identifier.code(),
        category: category(event),
        event_time: event.event_time.0,
        event_id: event.event_id.clone(),
        game_mode: mode_code(event.game_mode),
        sub_game_mode: event.sub_game_mode.clone(),
        patch_version: event.patch.as_ref().map(Patch::version),
        killer_id: ids.killer,
        victim_id: ids.victim,
        player_id: ids.player,
        killer_npc: npc(&event.killer),
        victim_npc: npc(&event.victim),
        player_npc: npc(&event.player),
        weapon: event.weapon.clone(),
        vehicle_name: event.vehicle_name.clone(),
        damage_type: event.damage_type.clone(),
        zone: event.zone.clone(),
        contract_id: event.contract_id.clone(),
        contract_name: event.contract_name.clone(),
        text: event.text.clone(),
        ingest_key_id: Some(key_id),
        witnesses: 1,
    }
}

/// Converts a stored event to its validated form; `None` if it contains unknown codes.
pub(super) fn from_row(row: &EventRow, people: &ResolvedPlayers, patch_name: Option<&str>) -> Option<ValidEvent> {
    let party = |id: Option<i64>, npc: &Option<String>| match (id.and_then(|id| people.by_id(id)), npc) {
        (Some(person), _) => Handle::parse(&person.handle).map_or(Party::Nobody, Party::Player),
        (None, Some(name)) => Party::Npc(name.clone()),
        (None, None) => Party::Nobody,
    };
    let mut identity = Identity::default();
    identity.0.copy_from_slice(row.identity.get(..16)?);
    Some(ValidEvent {
        identifier: Identifier::from_code(row.identifier)?,
        event_time: EpochMillis(row.event_time),
        event_id: row.event_id.clone(),
        game_mode: mode_from_code(row.game_mode),
        sub_game_mode: row.sub_game_mode.clone(),
        patch: patch_name.and_then(Patch::parse),
        killer: party(row.killer_id, &row.killer_npc),
        victim: party(row.victim_id, &row.victim_npc),
        player: party(row.player_id, &row.player_npc),
        player_geid: None,
        weapon: row.weapon.clone(),
        vehicle_name: row.vehicle_name.clone(),
        damage_type: row.damage_type.clone(),
        zone: row.zone.clone(),
        contract_id: row.contract_id.clone(),
        contract_name: row.contract_name.clone(),
        text: row.text.clone(),
        identity,
        fight: row.fight,
    })
}

fn event_players(events: &[EventRow], people: &ResolvedPlayers) -> Vec<EventPlayer> {
    let mut rows = Vec::with_capacity(events.len() * 2);
    for event in events {
        let ids = PlayerIds { killer: event.killer_id, victim: event.victim_id, player: event.player_id };
        rows.extend(ids.distinct().into_iter().map(|player_id| EventPlayer {
            player_id,
            event_time: event.event_time,
            event_id: event.id,
            category: event.category,
            guild_id: people.by_id(player_id).filter(|p| !p.is_hidden).and_then(|p| p.guild_id),
        }));
    }
    rows
}

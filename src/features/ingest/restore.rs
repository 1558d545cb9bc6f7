//! Restores exported events unchanged, with their readers and witnesses and without validation.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::domain::events::{Identity, ValidEvent};
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Assessment, CountedSides, Grade, Provenance, Reasons, Scope};
use crate::error::AppError;
use crate::store::ingest::{self, PatchChange, WitnessRow};
use crate::store::key_days::{self, KeyDay};
use crate::store::{Tx, keys, logs, transfer};

use super::classify::scoped_identities;
use super::resolve_players::ResolvedPlayers;
use super::rows::{Origin, store_events, to_row};

/// An exported event. Readers are identified by the hashes of their keys.
#[derive(Debug, Clone)]
pub struct StoredEvent {
    pub event: ValidEvent,
    pub reader: Option<String>,
    /// `None` in files that an operator writes.
    pub grade: Option<Grade>,
    pub received_at: Option<i64>,
    pub reasons: Reasons,
    /// `None` in files that an operator writes.
    pub counts: Option<CountedSides>,
    pub provenance: Option<Provenance>,
    /// The reader's id of the log that the event comes from.
    pub log: Option<String>,
    pub witnesses: Vec<StoredWitness>,
}

#[derive(Debug, Clone)]
pub struct StoredWitness {
    pub reader: String,
    pub identity: Identity,
    pub event_time: i64,
    pub received_at: Option<i64>,
    pub differs: Option<String>,
    pub report: Option<String>,
    pub is_void: bool,
    pub provenance: Option<Provenance>,
    pub log: Option<String>,
}

impl StoredEvent {
    /// What the event is worth: what its export says, or the word of the operator.
    fn assessment(&self) -> Assessment {
        Assessment {
            grade: self.grade.unwrap_or(Grade::Operator),
            counts: self.counts.unwrap_or(CountedSides::ALL),
            reasons: self.reasons,
        }
    }
}

/// Inserts events in order and skips those that exist; returns the number of inserted events. With `adopts_patches`, all patches of
/// the events appear on the site. Figures must be recomputed afterwards.
pub fn restore_events(
    tx: &mut Tx,
    stored: &[StoredEvent],
    adopts_patches: bool,
    now: EpochMillis,
) -> Result<usize, AppError> {
    let key_ids = key_ids(tx, stored, now)?;
    let scopes: HashMap<i64, Scope> = keys::reporters(tx, &key_ids.values().copied().collect::<Vec<_>>())?
        .into_iter()
        .map(|reporter| (reporter.key_id, reporter.scope))
        .collect();
    let key_of = |s: &StoredEvent| s.reader.as_ref().and_then(|hash| key_ids.get(hash).copied());
    let scope_of = |s: &StoredEvent| key_of(s).and_then(|id| scopes.get(&id).copied()).unwrap_or(Scope::Operator);
    let identities: Vec<Vec<u8>> = stored.iter().map(|s| s.event.identity.0.to_vec()).collect();
    let mut known: HashSet<(Scope, Identity)> = scoped_identities(tx, &identities)?.into_keys().collect();
    let new: Vec<&StoredEvent> = stored.iter().filter(|s| known.insert((scope_of(s), s.event.identity))).collect();
    if new.is_empty() {
        return Ok(0);
    }
    let mut people = ResolvedPlayers::default();
    let is_known = |s: &StoredEvent| !s.reasons.contains(Reasons::PROVISIONAL_NAME);
    people.resolve(tx, new.iter().map(|s| (&s.event, is_known(s))), now)?;
    add_patches(tx, &new, adopts_patches.then_some(now.0))?;
    let log_ids = log_ids(tx, &new, &key_ids)?;
    let last = ingest::reserve_ids(tx, new.len() as i64)?;
    let ids = last - new.len() as i64 + 1..;
    let rows: Vec<_> = new
        .iter()
        .zip(ids)
        .map(|(s, id)| {
            let log_id = log_id(&log_ids, key_of(s), s.log.as_ref());
            let (key_id, provenance) = (key_of(s), s.provenance);
            let origin = Origin { key_id, provenance, received_at: s.received_at, log_id };
            to_row(id, &s.event, people.ids_of(&s.event), origin, s.assessment())
        })
        .collect();
    store_events(tx, rows.clone(), &people)?;
    let witnesses = witnesses(new.iter().copied().zip(rows.iter().map(|row| row.id)), &key_ids, &log_ids);
    ingest::add_witnesses(tx, &witnesses)?;
    let reports = rows.iter().filter_map(|row| Some((row.ingest_key_id?, row.id)));
    let reports = reports.chain(witnesses.iter().map(|witness| (witness.ingest_key_id, witness.event_id)));
    key_days::extend(tx, KeyDay::of_events(reports, key_days::IMPORTED))?;
    Ok(rows.len())
}

/// Inserts the patches of events. Those that exist are unchanged, except that they are adopted if a time is given.
fn add_patches(tx: &mut Tx, new: &[&StoredEvent], adopted_at: Option<i64>) -> diesel::QueryResult<()> {
    let mut patches: BTreeMap<i64, PatchChange> = BTreeMap::new();
    for patch in new.iter().filter_map(|s| s.event.patch.as_ref()) {
        let change = patches.entry(patch.version()).or_insert_with(|| PatchChange {
            version: patch.version(),
            name: String::new(),
            npc_kills: 0,
            player_kills: 0,
            vehicle_destructions: 0,
            adopted_at,
        });
        if patch.as_str() > change.name.as_str() {
            change.name = patch.as_str().to_owned();
        }
    }
    ingest::add_patches(tx, &patches.into_values().collect::<Vec<_>>())?;
    Ok(())
}

/// The witnesses of events, given with their ids.
fn witnesses<'a>(
    events: impl Iterator<Item = (&'a StoredEvent, i64)>,
    key_ids: &HashMap<String, i64>,
    log_ids: &LogIds,
) -> Vec<WitnessRow> {
    let witnesses = events.flat_map(|(event, event_id)| {
        event.witnesses.iter().filter_map(move |witness| {
            let key_id = *key_ids.get(&witness.reader)?;
            Some(WitnessRow {
                event_id,
                ingest_key_id: key_id,
                identity: witness.identity.0.to_vec(),
                event_time: witness.event_time,
                received_at: witness.received_at,
                differs: witness.differs.clone(),
                report: witness.report.clone(),
                is_void: witness.is_void,
                provenance: Provenance::code(witness.provenance),
                log_id: log_id(log_ids, Some(key_id), witness.log.as_ref()),
            })
        })
    });
    witnesses.collect()
}

/// The ids of logs, by key and the reader's id of the log.
type LogIds = HashMap<(i64, String), i64>;

/// The stored logs that these events and their witnesses name. An export of events alone contains no logs.
fn log_ids(tx: &mut Tx, new: &[&StoredEvent], key_ids: &HashMap<String, i64>) -> diesel::QueryResult<LogIds> {
    let named = new.iter().flat_map(|s| {
        let own = s.reader.as_ref().zip(s.log.as_ref());
        own.into_iter().chain(s.witnesses.iter().filter_map(|w| Some((&w.reader, w.log.as_ref()?))))
    });
    let named: BTreeSet<(i64, String)> =
        named.filter_map(|(reader, log)| Some((*key_ids.get(reader)?, log.clone()))).collect();
    if named.is_empty() {
        return Ok(LogIds::new());
    }
    Ok(logs::ids_of_keys(tx, &named.into_iter().collect::<Vec<_>>())?.into_iter().collect())
}

fn log_id(ids: &LogIds, key_id: Option<i64>, log: Option<&String>) -> Option<i64> {
    ids.get(&(key_id?, log?.clone())).copied()
}

/// The ids of the keys of all readers.
fn key_ids(tx: &mut Tx, stored: &[StoredEvent], now: EpochMillis) -> Result<HashMap<String, i64>, AppError> {
    let named = stored.iter().flat_map(|s| s.reader.iter().chain(s.witnesses.iter().map(|w| &w.reader)));
    let mut hashes: Vec<String> = named.cloned().collect();
    hashes.sort_unstable();
    hashes.dedup();
    if hashes.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(transfer::keys_by_hash(tx, &hashes, now.0)?.into_iter().collect())
}

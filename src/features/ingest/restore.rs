//! Restores exported events unchanged, with their readers and witnesses and without validation.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::domain::events::{Identity, ValidEvent};
use crate::domain::patches::Patch;
use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::store::ingest::{self, PatchChange};
use crate::store::{Tx, transfer};

use super::commit::{store_events, to_row};
use super::resolve_players::ResolvedPlayers;

/// An exported event. Readers are identified by the hashes of their keys.
#[derive(Debug, Clone)]
pub struct StoredEvent {
    pub event: ValidEvent,
    pub reader: Option<String>,
    pub witnesses: Vec<StoredWitness>,
}

#[derive(Debug, Clone)]
pub struct StoredWitness {
    pub reader: String,
    pub identity: Identity,
    pub event_time: i64,
}

/// Inserts events in order and skips those that exist; returns the number of inserted events. Figures must be recomputed
/// afterwards.
pub fn restore_events(tx: &mut Tx, stored: &[StoredEvent], now: EpochMillis) -> Result<usize, AppError> {
    let identities: Vec<Vec<u8>> = stored.iter().map(|s| s.event.identity.0.to_vec()).collect();
    let mut known: HashSet<Vec<u8>> =
        ingest::known_identities(tx, &identities)?.into_iter().map(|found| found.identity).collect();
    let new: Vec<&StoredEvent> = stored.iter().filter(|s| known.insert(s.event.identity.0.to_vec())).collect();
    if new.is_empty() {
        return Ok(0);
    }
    let people = ResolvedPlayers::resolve(tx, new.iter().map(|s| &s.event), now)?;
    let keys = keys(tx, &new, now)?;
    let mut patches: BTreeMap<i64, &str> = BTreeMap::new();
    for patch in new.iter().filter_map(|s| s.event.patch.as_ref()) {
        let name = patches.entry(patch.version()).or_default();
        *name = (*name).max(patch.as_str());
    }
    let patches: Vec<PatchChange> = patches.into_iter().map(|(version, name)| empty_patch(version, name)).collect();
    if !patches.is_empty() {
        ingest::add_patches(tx, &patches)?;
    }
    let last = ingest::reserve_ids(tx, new.len() as i64)?;
    let ids = last - new.len() as i64 + 1..;
    let rows: Vec<_> = new
        .iter()
        .zip(ids)
        .map(|(s, id)| {
            let mut row = to_row(id, &s.event, people.ids_of(&s.event), 0);
            row.ingest_key_id = s.reader.as_ref().and_then(|hash| keys.get(hash).copied());
            row
        })
        .collect();
    store_events(tx, rows.clone(), &people)?;
    for (s, row) in new.iter().zip(&rows) {
        for witness in &s.witnesses {
            if let Some(key) = keys.get(&witness.reader) {
                ingest::add_witness(tx, row.id, *key, &witness.identity.0, witness.event_time)?;
            }
        }
    }
    Ok(rows.len())
}

fn keys(tx: &mut Tx, new: &[&StoredEvent], now: EpochMillis) -> Result<HashMap<String, i64>, AppError> {
    let named = new.iter().flat_map(|s| s.reader.iter().chain(s.witnesses.iter().map(|w| &w.reader)));
    let mut hashes: Vec<String> = named.cloned().collect();
    hashes.sort_unstable();
    hashes.dedup();
    if hashes.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(transfer::keys_by_hash(tx, &hashes, now.0)?.into_iter().collect())
}

fn empty_patch(version: i64, name: &str) -> PatchChange {
    let name = Patch::parse(name).map_or_else(|| name.to_owned(), |patch| patch.as_str().to_owned());
    PatchChange { version, name, npc_kills: 0, player_kills: 0, vehicle_destructions: 0 }
}

//! Provisional names: players whom only accounts have reported.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::domain::events::ValidEvent;
use crate::domain::times::EpochMillis;
use crate::domain::trust::limits::{NEW_NAMES, Occurrences};
use crate::domain::trust::{Reporter, Scope};
use crate::store::Tx;
use crate::store::names::{self, ProvisionalName};
use crate::store::{ingest, reassessments};

use super::resolve_players::ResolvedPlayers;

/// An hour before and after an event, in milliseconds: more than the longest window of the limit.
const AROUND_MS: i64 = 3_600_000;

/// Stores who reported new names first. Returns the players whose names their account may not add.
pub(super) fn store_new<'a>(
    tx: &mut Tx,
    events: impl Iterator<Item = (&'a ValidEvent, Reporter)>,
    people: &ResolvedPlayers,
    now: EpochMillis,
) -> diesel::QueryResult<HashSet<i64>> {
    if people.provisional.is_empty() {
        return Ok(HashSet::new());
    }
    let mut first: BTreeMap<i64, (Scope, ProvisionalName)> = BTreeMap::new();
    for (event, reporter) in events {
        let new = people.ids_of(event).distinct().into_iter().filter(|id| people.provisional.contains(id));
        for player_id in new {
            let (ingest_key_id, event_time) = (reporter.key_id, event.event_time.0);
            let name = ProvisionalName { player_id, ingest_key_id, event_time, received_at: now.0 };
            first.entry(player_id).or_insert((reporter.scope, name));
        }
    }
    let excess = find_excess(tx, &first)?;
    names::insert(tx, &first.into_values().map(|(_, name)| name).collect::<Vec<_>>())?;
    Ok(excess)
}

/// The new names beyond the limit of their account.
fn find_excess(tx: &mut Tx, first: &BTreeMap<i64, (Scope, ProvisionalName)>) -> diesel::QueryResult<HashSet<i64>> {
    let mut by_scope: BTreeMap<Scope, Vec<&ProvisionalName>> = BTreeMap::new();
    for (scope, name) in first.values() {
        by_scope.entry(*scope).or_default().push(name);
    }
    let mut excess = HashSet::new();
    for (scope, mut new) in by_scope {
        new.sort_by_key(|name| (name.event_time, name.player_id));
        let (Some(from), Some(to)) = (new.first(), new.last()) else { continue };
        let range = (from.event_time - AROUND_MS, to.event_time + AROUND_MS);
        let mut known = Occurrences::default();
        for at in names::times(tx, scope, range)? {
            known.add(EpochMillis(at));
        }
        let beyond = new.iter().filter(|name| !known.add_within(EpochMillis(name.event_time), NEW_NAMES));
        excess.extend(beyond.map(|name| name.player_id));
    }
    Ok(excess)
}

/// Makes provisional names known, and queues the events that wait for them. Returns the players that were provisional.
pub fn make_known(tx: &mut Tx, player_ids: &[i64]) -> diesel::QueryResult<Vec<i64>> {
    let ids: BTreeSet<i64> = player_ids.iter().copied().collect();
    let known = names::make_known(tx, &ids.into_iter().collect::<Vec<_>>())?;
    if !known.is_empty() {
        let last_id = ingest::last_id(tx)?;
        reassessments::add_names(tx, &known, last_id)?;
    }
    Ok(known)
}

/// Queues the events of names that an import made known.
pub fn settle_known(tx: &mut Tx) -> diesel::QueryResult<()> {
    let known = names::remove_known(tx)?;
    if !known.is_empty() {
        let last_id = ingest::last_id(tx)?;
        reassessments::add_names(tx, &known, last_id)?;
    }
    Ok(())
}

//! Disputes of stored events: which events they suspend, and what the events are worth.

use std::collections::{BTreeMap, HashMap};

use crate::domain::trust::CountedSides;
use crate::store::conn::AnyConn;
use crate::store::disputes;

use super::resolve_players::ResolvedPlayers;
use super::revision::{self, Revision};
use super::tally::{Tally, Weight};

/// Reads the disputes of revisions.
pub(super) fn read(conn: &mut AnyConn, revisions: Vec<&mut Revision>) -> diesel::QueryResult<()> {
    if revisions.is_empty() {
        return Ok(());
    }
    let ids: Vec<i64> = revisions.iter().map(|revision| revision.stored.id).collect();
    let mut by_event = disputes::suspending(conn, &ids)?;
    for revision in revisions {
        revision.disputes = by_event.remove(&revision.stored.id).unwrap_or_default();
    }
    Ok(())
}

/// How each of these events changes the overall scores while it counts: the change by player, by event.
pub fn stakes(conn: &mut AnyConn, event_ids: &[i64]) -> diesel::QueryResult<HashMap<i64, BTreeMap<i64, i64>>> {
    let revisions = revision::read(conn, event_ids, &mut ResolvedPlayers::default())?;
    let stake = |revision: Revision| {
        let mut tally = Tally::default();
        let counts = CountedSides::from_bits(revision.stored.counts);
        tally.count(&revision.before, revision.before_ids, counts, Weight::add(revision.stored.grade()));
        (revision.stored.id, tally.overall_changes().collect())
    };
    Ok(revisions.into_iter().map(stake).collect())
}

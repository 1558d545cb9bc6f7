//! The owners of stored logs, by which stored reports are assessed again.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::domain::events::ValidEvent;
use crate::domain::times::EpochMillis;
use crate::domain::trust::{LogOwner, Provenance, Scope, Voice};
use crate::store::conn::AnyConn;
use crate::store::{logs, users};

use super::decision::Reassessed;
use super::reports::Reports;
use super::revision::Revision;

/// The handles that logs name, the users who claimed these players, and which accounts are independent.
pub(super) struct LogOwners {
    handles: HashMap<i64, String>,
    owners: HashMap<String, i64>,
    independent: HashSet<i64>,
}

impl LogOwners {
    /// Reads the owners of the logs of all reports.
    pub fn read(
        conn: &mut AnyConn,
        revisions: &[Revision],
        reports: &Reports,
        now: EpochMillis,
    ) -> diesel::QueryResult<Self> {
        let standing = revisions.iter().filter_map(|revision| revision.origin.log_id);
        let log_ids: BTreeSet<i64> = standing.chain(reports.log_ids()).collect();
        let handles: HashMap<i64, String> =
            logs::handles(conn, &log_ids.into_iter().collect::<Vec<_>>())?.into_iter().collect();
        let folded: BTreeSet<String> = handles.values().cloned().collect();
        let owners = users::owners_of_handles(conn, &folded.into_iter().collect::<Vec<_>>())?;
        let user_ids: BTreeSet<i64> = reports.scopes.values().filter_map(|scope| scope.user_id()).collect();
        let ages = users::ages(conn, &user_ids.into_iter().collect::<Vec<_>>())?;
        let independent = ages.into_iter().filter(|age| age.is_independent(now)).map(|age| age.user_id).collect();
        Ok(Self { handles, owners, independent })
    }

    /// What the sender of a report is to its event. A party and an operator remain what they were.
    pub fn provenance(
        &self,
        event: &ValidEvent,
        scope: Option<Scope>,
        log_id: Option<i64>,
        stored: Option<Provenance>,
        which: Reassessed,
    ) -> Option<Provenance> {
        let is_kept = match stored {
            Some(known) => known.voice.is_first_hand(),
            None => which == Reassessed::Graded,
        };
        let Some(scope) = scope.filter(|_| !is_kept) else { return stored };
        if scope.is_operator() {
            return Some(Provenance::OPERATOR);
        }
        let handle = log_id.and_then(|id| self.handles.get(&id));
        let owner = match handle.map(|handle| (handle, self.owners.get(handle))) {
            Some((handle, Some(user_id))) if Some(*user_id) == scope.user_id() => LogOwner::Reporter(handle.clone()),
            Some((handle, None)) => LogOwner::Nobody(handle.clone()),
            Some((_, Some(_))) | None => LogOwner::Stranger,
        };
        let is_independent = match (stored, scope.user_id()) {
            (Some(known), _) => known.is_independent,
            (None, user_id) => user_id.is_some_and(|id| self.independent.contains(&id)),
        };
        Some(Provenance { voice: self.upgraded(owner.voice(event), stored), is_independent })
    }

    /// A report that waits for a claim is not lowered when another account claims the player.
    fn upgraded(&self, voice: Voice, stored: Option<Provenance>) -> Voice {
        match stored {
            Some(known) if !voice.is_first_hand() => known.voice,
            _ => voice,
        }
    }
}

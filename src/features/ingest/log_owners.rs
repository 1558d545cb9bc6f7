//! The owners of stored logs, by which stored reports are assessed again.

use std::collections::{BTreeSet, HashMap};

use crate::domain::events::ValidEvent;
use crate::domain::trust::{LogOwner, Provenance, Scope};
use crate::store::conn::AnyConn;
use crate::store::{logs, users};

use super::reports::Reports;
use super::revision::Revision;

/// The handles that logs name and the users who claimed these players.
pub(super) struct LogOwners {
    handles: HashMap<i64, String>,
    owners: HashMap<String, i64>,
}

impl LogOwners {
    /// Reads the owners of the logs of all reports.
    pub fn read(conn: &mut AnyConn, revisions: &[Revision], reports: &Reports) -> diesel::QueryResult<Self> {
        let standing = revisions.iter().filter_map(|revision| revision.origin.log_id);
        let log_ids: BTreeSet<i64> = standing.chain(reports.log_ids()).collect();
        let handles: HashMap<i64, String> =
            logs::handles(conn, &log_ids.into_iter().collect::<Vec<_>>())?.into_iter().collect();
        let folded: BTreeSet<String> = handles.values().cloned().collect();
        let owners = users::owners_of_handles(conn, &folded.into_iter().collect::<Vec<_>>())?;
        Ok(Self { handles, owners })
    }

    /// What the sender of a report is to its event. A party and an operator remain what they were.
    pub fn provenance(
        &self,
        event: &ValidEvent,
        scope: Option<Scope>,
        log_id: Option<i64>,
        stored: Option<Provenance>,
    ) -> Option<Provenance> {
        let (Some(known), Some(scope)) = (stored.filter(|known| !known.voice.is_first_hand()), scope) else {
            return stored;
        };
        if scope.is_operator() {
            return Some(Provenance::OPERATOR);
        }
        let handle = log_id.and_then(|id| self.handles.get(&id));
        let owner = match handle.map(|handle| (handle, self.owners.get(handle))) {
            Some((handle, Some(user_id))) if Some(*user_id) == scope.user_id() => LogOwner::Reporter(handle.clone()),
            Some((handle, None)) => LogOwner::Nobody(handle.clone()),
            Some((_, Some(_))) | None => LogOwner::Stranger,
        };
        // A report that waits for a claim is not lowered when another account claims the player.
        let voice = owner.voice(event);
        Some(if voice.is_first_hand() { Provenance { voice, ..known } } else { known })
    }
}

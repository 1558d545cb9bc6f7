//! Events that are stored only while the owner of their player shares them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::domain::names::Handle;
use crate::store::conn::AnyConn;
use crate::store::players;

use super::batch::Accepted;

/// Leaves out the events that the owners of their players do not share.
pub(super) fn shared<'a>(conn: &mut AnyConn, events: &'a [Accepted]) -> diesel::QueryResult<Cow<'a, [Accepted]>> {
    let opt_in = || events.iter().filter(|accepted| accepted.event.identifier.opt_in().is_some());
    if opt_in().next().is_none() {
        return Ok(Cow::Borrowed(events));
    }
    let handles: BTreeSet<String> =
        opt_in().filter_map(|accepted| accepted.event.player.player()).map(Handle::folded).collect();
    let sharing = players::sharing(conn, &handles.into_iter().collect::<Vec<_>>())?;
    let is_shared = |accepted: &&Accepted| {
        let Some(kind) = accepted.event.identifier.opt_in() else { return true };
        let of_player = accepted.event.player.player().and_then(|player| sharing.get(&player.folded()));
        of_player.is_some_and(|sharing| sharing.includes(kind))
    };
    Ok(Cow::Owned(events.iter().filter(is_shared).cloned().collect()))
}

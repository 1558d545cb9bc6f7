//! What an account has reported before, as far as it matters to a new batch.

use std::collections::{HashMap, HashSet};

use crate::domain::events::{Identity, ValidEvent};
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Account, Activity, LONGEST_WINDOW_MS};
use crate::store::conn::AnyConn;
use crate::store::{distinct, ingest, players};

use super::players::ResolvedPlayers;
use super::rows::from_row;

/// What an account has reported before from the log of its player, given by the folded handle: events of the batch that are stored, and
/// events around the times of the batch.
pub(super) fn known(
    conn: &mut AnyConn,
    account: Account,
    handle: &str,
    events: &[(usize, ValidEvent)],
) -> diesel::QueryResult<(HashSet<Identity>, Activity)> {
    let wanted: Vec<Vec<u8>> = events.iter().map(|(_, event)| event.identity.0.to_vec()).collect();
    let stored = ingest::known_identities(conn, &wanted)?;
    let own = stored.iter().filter(|report| report.account == account.code());
    let identities = own.filter_map(|report| Identity::from_bytes(&report.identity)).collect();
    Ok((identities, read_activity(conn, account, handle, events.iter().map(|(_, event)| event.event_time))?))
}

/// The stored events of an account within the longest window around these times.
fn read_activity(
    conn: &mut AnyConn,
    account: Account,
    handle: &str,
    times: impl Iterator<Item = EpochMillis>,
) -> diesel::QueryResult<Activity> {
    let mut activity = Activity::default();
    let player = players::find_refs(conn, &[handle.to_owned()])?.pop();
    let Some(player) = player else { return Ok(activity) };
    for (from, to) in spans(times) {
        let rows = ingest::reports_between(conn, account, player.id, from, to)?;
        let mut players = ResolvedPlayers::default();
        players.read(conn, rows.iter().flat_map(|row| row.player_ids()))?;
        rows.iter().filter_map(|row| from_row(row, &players, &HashMap::new())).for_each(|event| activity.add(&event));
    }
    Ok(activity)
}

/// The times within the longest window of any of these, as ranges that do not overlap: a batch of backups spans years.
fn spans(times: impl Iterator<Item = EpochMillis>) -> Vec<(i64, i64)> {
    let times = distinct(times.map(|time| time.0));
    let near = times.chunk_by(|one, next| next - one <= 2 * LONGEST_WINDOW_MS);
    near.filter_map(|near| Some((near.first()? - LONGEST_WINDOW_MS, near.last()? + LONGEST_WINDOW_MS))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_times_share_a_range_and_years_between_are_not_read() {
        let times = [5, 0, 10 * LONGEST_WINDOW_MS].map(EpochMillis);
        let day = LONGEST_WINDOW_MS;
        assert_eq!(spans(times.into_iter()), [(-day, 5 + day), (9 * day, 11 * day)]);
    }
}

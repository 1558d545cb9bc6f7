//! What an account has reported before, as far as it matters to a new batch.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::domain::events::{Identity, ValidEvent};
use crate::domain::times::EpochMillis;
use crate::domain::trust::{Account, Activity, LONGEST_WINDOW_MS};
use crate::store::conn::AnyConn;
use crate::store::{ingest, players};

use super::players::ResolvedPlayers;
use super::rows::from_row;

/// What an account has reported before.
#[derive(Default)]
pub(super) struct Known {
    /// Events of the batch that are stored.
    pub identities: HashSet<Identity>,
    /// Events around the times of the batch.
    pub activity: Activity,
}

impl Known {
    /// Reads what an account has reported from the log of its player, given by the folded handle, as far as it matters to events of a
    /// batch.
    pub fn read(
        conn: &mut AnyConn,
        account: Account,
        handle: &str,
        events: &[(usize, ValidEvent)],
    ) -> diesel::QueryResult<Self> {
        let wanted: Vec<Vec<u8>> = events.iter().map(|(_, event)| event.identity.0.to_vec()).collect();
        let stored = ingest::known_identities(conn, &wanted)?;
        let own = stored.iter().filter(|report| report.account == account.code());
        let identities = own.filter_map(|report| Identity::from_bytes(&report.identity)).collect();
        let activity = read_activity(conn, account, handle, events.iter().map(|(_, event)| event.event_time))?;
        Ok(Self { identities, activity })
    }
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
        let ids: BTreeSet<i64> = rows.iter().flat_map(|row| row.player_ids()).collect();
        let mut players = ResolvedPlayers::default();
        players.add(players::find_refs_by_id(conn, &ids.into_iter().collect::<Vec<_>>())?);
        rows.iter().filter_map(|row| from_row(row, &players, &HashMap::new())).for_each(|event| activity.add(&event));
    }
    Ok(activity)
}

/// The times within the longest window of any of these, as ranges that do not overlap: a batch of backups spans years.
fn spans(times: impl Iterator<Item = EpochMillis>) -> Vec<(i64, i64)> {
    let mut sorted: Vec<i64> = times.map(|time| time.0).collect();
    sorted.sort_unstable();
    let mut spans: Vec<(i64, i64)> = Vec::new();
    for at in sorted {
        let (from, to) = (at - LONGEST_WINDOW_MS, at + LONGEST_WINDOW_MS);
        match spans.last_mut() {
            Some((_, end)) if from <= *end => *end = to,
            _ => spans.push((from, to)),
        }
    }
    spans
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

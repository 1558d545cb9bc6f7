//! What changed since the last run: events, claims and the share.

use std::collections::{BTreeMap, HashSet};

use crate::error::AppError;
use crate::store::ingest;
use crate::store::repeats::{self, RepeatRow};
use crate::store::{Store, Tx};

/// Number of kills per transaction.
const CHUNK: i64 = 500;
/// Number of events that one read passes, most of which are not kills.
const MAX_PASSED_EVENTS: i64 = 20_000;

/// Reads the next new events; returns whether there may be more.
pub(super) async fn read_next_events(store: &Store) -> Result<bool, AppError> {
    let (from, last) = store.read(|conn| Ok((repeats::state(conn)?.position, ingest::last_id(conn)?))).await?;
    if from >= last {
        return Ok(false);
    }
    let last = last.min(from + MAX_PASSED_EVENTS);
    let kills = store.read(move |conn| repeats::kills_between(conn, from, last, CHUNK)).await?;
    let position = kills.last().filter(|_| kills.len() as i64 == CHUNK).map_or(last, |last| last.kill.id);
    let apply = move |tx: &mut Tx| {
        if repeats::advance_position(tx, from, position)? {
            let mut since = BTreeMap::new();
            repeats::extend_changes(&mut since, kills.iter().map(|stored| &stored.kill));
            repeats::add_changes(tx, repeats::KILLS, &since)?;
            // Imported events may be withheld already.
            let withheld = kills.iter().filter(|stored| stored.is_withheld);
            let rows: Vec<_> = withheld.map(|stored| RepeatRow::new(&stored.kill, repeats::WITHHELD)).collect();
            repeats::upsert(tx, &rows)?;
        }
        Ok::<_, AppError>(true)
    };
    store.write(apply).await
}

/// Finds players that were claimed or unclaimed.
pub(super) async fn follow_claims(store: &Store) -> Result<(), AppError> {
    let (known, current) = store
        .read(|conn| {
            let known: HashSet<i64> = repeats::known_claims(conn)?.into_iter().collect();
            Ok((known, repeats::current_claims(conn)?.into_iter().collect::<HashSet<i64>>()))
        })
        .await?;
    let added: Vec<i64> = current.difference(&known).copied().collect();
    let removed: Vec<i64> = known.difference(&current).copied().collect();
    if added.is_empty() && removed.is_empty() {
        return Ok(());
    }
    let apply = move |tx: &mut Tx| {
        repeats::change_claims(tx, &added, &removed)?;
        let since = added.iter().chain(&removed).map(|player| (*player, 0)).collect();
        Ok::<_, AppError>(repeats::add_changes(tx, repeats::CIRCLE, &since)?)
    };
    store.write(apply).await
}

/// Decides everything again after the setting changed.
pub(super) async fn follow_share(store: &Store, share: u32) -> Result<(), AppError> {
    let share = i32::try_from(share).unwrap_or(i32::MAX);
    if store.read(repeats::state).await?.share == Some(share) {
        return Ok(());
    }
    let apply = move |tx: &mut Tx| {
        repeats::set_share(tx, share)?;
        Ok::<_, AppError>(repeats::decide_all(tx)?)
    };
    store.write(apply).await
}

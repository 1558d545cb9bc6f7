//! Finds the players whose circles may have changed.

use std::collections::BTreeMap;

use crate::domain::trust::Links;
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::store::{Store, Tx, repeats};

use super::pairs;

/// Number of rows per read.
const CHUNK: i64 = 5_000;
/// Number of players per transaction.
const MAX_PLAYERS: usize = 100;

/// Reads the links between claimed players, and between those whose circle changed.
pub(super) fn read_links(conn: &mut AnyConn) -> diesel::QueryResult<Links> {
    let (mut links, mut after) = (Links::default(), 0);
    loop {
        let rows = repeats::between_claimed(conn, after, CHUNK)?;
        let Some(last) = rows.last() else { return Ok(links) };
        after = last.event_id;
        rows.iter().for_each(|row| links.add(&row.kill()));
    }
}

/// Adds the decisions that depend on changed circles.
pub(super) async fn update(store: &Store) -> Result<(), AppError> {
    let (changes, links) =
        store.read(|conn| Ok((repeats::next_changes(conn, repeats::CIRCLE, i64::MAX)?, read_links(conn)?))).await?;
    let changes: BTreeMap<i64, i64> = changes.into_iter().collect();
    let reached: Vec<(i64, i64)> = links.reach(&changes).into_iter().collect();
    for players in reached.chunks(MAX_PLAYERS) {
        let players = players.to_vec();
        let apply = move |tx: &mut Tx| {
            players.iter().try_for_each(|(player, since)| pairs::add_decisions(tx, *player, *since))?;
            Ok::<_, AppError>(())
        };
        store.write(apply).await?;
    }
    if changes.is_empty() {
        return Ok(());
    }
    let complete = move |tx: &mut Tx| {
        for (player, since) in &changes {
            repeats::complete_change(tx, repeats::CIRCLE, *player, *since)?;
        }
        Ok::<_, AppError>(())
    };
    store.write(complete).await
}

//! Players that become listed, or cease to be: they appear in search, on leaderboards and with a page, with the figures that they have.

use crate::domain::scores::Scores;
use crate::store::changes::EntityChange;
use crate::store::{Tx, leaderboard, players};

/// Lists players that are not listed yet, and records their figures in the change.
pub fn list(tx: &mut Tx, ids: &[i64], entities: &mut EntityChange) -> diesel::QueryResult<()> {
    let listed = players::list(tx, ids)?;
    entities.new_players += listed.len() as i64;
    let visible = leaderboard::scores_of(tx, &listed)?.into_iter().filter(|row| !row.is_hidden);
    entities.player_figures.extend(visible.map(|row| (Scores::default(), row.scores)));
    entities.players.extend(listed);
    Ok(())
}

/// Takes a listed player off the lists, and records that its figures leave the leaderboards.
pub fn unlist(tx: &mut Tx, id: i64, entities: &mut EntityChange) -> diesel::QueryResult<()> {
    let visible = leaderboard::scores_of(tx, &[id])?.into_iter().filter(|row| !row.is_hidden);
    entities.player_figures.extend(visible.map(|row| (row.scores, Scores::default())));
    players::unlist(tx, id)?;
    entities.new_players -= 1;
    entities.players.push(id);
    Ok(())
}

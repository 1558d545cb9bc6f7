//! Players and guilds that were changed by anything but events, so that a search index that was not written in time
//! still learns of it at the next start.

use diesel::prelude::*;

use super::conn::{AnyConn, bulk};
use super::schema::*;
use super::writer::Tx;

const PLAYER: i16 = 1;
const GUILD: i16 = 2;

pub fn note_players(tx: &mut Tx, ids: &[i64]) -> QueryResult<()> {
    note(tx, PLAYER, ids)
}

pub fn note_guilds(tx: &mut Tx, ids: &[i64]) -> QueryResult<()> {
    note(tx, GUILD, ids)
}

/// One note for each is enough, since the index reads what the database says then.
fn note(tx: &mut Tx, kind: i16, ids: &[i64]) -> QueryResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let earlier = search_changes::table.filter(search_changes::kind.eq(kind));
    diesel::delete(earlier.filter(search_changes::entity_id.eq_any(ids))).execute(&mut **tx)?;
    bulk!(search_changes, ids, |id| { kind: kind, entity_id: *id }).execute(tx)?;
    Ok(())
}

/// The ids of all players and of all guilds that were ever noted.
pub fn all(conn: &mut AnyConn) -> QueryResult<(Vec<i64>, Vec<i64>)> {
    let of = |conn: &mut AnyConn, kind: i16| -> QueryResult<Vec<i64>> {
        search_changes::table
            .filter(search_changes::kind.eq(kind))
            .order(search_changes::entity_id)
            .select(search_changes::entity_id)
            .distinct()
            .load(conn)
    };
    Ok((of(conn, PLAYER)?, of(conn, GUILD)?))
}

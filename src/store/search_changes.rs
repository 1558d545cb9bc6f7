//! Changes of players and guilds other than events, recorded by database triggers, and of the pinned patch.

use diesel::prelude::*;

use super::conn::AnyConn;
use super::schema::search_changes;
use super::writer::Tx;

/// A player (kind 1) or guild (kind 2) that was inserted, changed or deleted, or a patch (kind 3) that was pinned or unpinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable)]
pub struct ChangeRow {
    pub id: i64,
    pub kind: i16,
    pub entity_id: i64,
}

pub const PLAYER: i16 = 1;
pub const PATCH: i16 = 3;

/// The oldest and newest id; 0 if the table is empty.
pub fn bounds(conn: &mut AnyConn) -> QueryResult<(i64, i64)> {
    use search_changes as c;
    // Two queries: each takes one index step; a combined one would scan the index on SQLite.
    let oldest: Option<i64> = c::table.select(diesel::dsl::min(c::id)).first(conn)?;
    let newest: Option<i64> = c::table.select(diesel::dsl::max(c::id)).first(conn)?;
    Ok((oldest.unwrap_or(0), newest.unwrap_or(0)))
}

/// Changes after `id`, oldest first.
pub fn after(conn: &mut AnyConn, id: i64, limit: i64) -> QueryResult<Vec<ChangeRow>> {
    use search_changes as c;
    c::table.filter(c::id.gt(id)).order(c::id).limit(limit).select((c::id, c::kind, c::entity_id)).load(conn)
}

/// Deletes changes up to this id.
pub fn delete_up_to(tx: &mut Tx, up_to: i64) -> QueryResult<usize> {
    diesel::delete(search_changes::table.filter(search_changes::id.le(up_to))).execute(&mut **tx)
}

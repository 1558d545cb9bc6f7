//! Patches and their totals.

use diesel::prelude::*;

use super::conn::AnyConn;
use super::schema::*;

/// The totals of all players in the persistent universe over a patch.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = patches)]
pub struct PatchRow {
    pub version: i64,
    pub name: String,
    pub npc_kills: i64,
    pub player_kills: i64,
    pub vehicle_destructions: i64,
}

/// The newest patch of any event.
pub fn newest(conn: &mut AnyConn) -> QueryResult<Option<PatchRow>> {
    patches::table.order(patches::version.desc()).select(PatchRow::as_select()).first(conn).optional()
}

/// The most used items of a patch: `(name, uses, completed)`; kind 1 is a vehicle, 2 a weapon, 3 a contract.
pub fn most_used(conn: &mut AnyConn, version: i64, kind: i16, limit: i64) -> QueryResult<Vec<(String, i64, i64)>> {
    use patch_use as u;
    u::table
        .filter(u::patch_version.eq(version))
        .filter(u::kind.eq(kind))
        .filter(u::uses.gt(0))
        .order((u::uses.desc(), u::name.asc()))
        .limit(limit)
        .select((u::name, u::uses, u::completed))
        .load(conn)
}

/// The names of these patches.
pub fn names(conn: &mut AnyConn, versions: &[i64]) -> QueryResult<Vec<(i64, String)>> {
    patches::table.filter(patches::version.eq_any(versions)).select((patches::version, patches::name)).load(conn)
}

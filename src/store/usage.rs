//! Weapons, vehicles and contracts of players.

use diesel::prelude::*;

use super::conn::{AnyConn, MultiBackend};
use super::schema::*;

/// Kills by weapon class: `(weapon, kills)`, most first. `None` returns the rows of all modes.
pub fn weapons(conn: &mut AnyConn, player_id: i64, game_mode: Option<i16>) -> QueryResult<Vec<(String, i64)>> {
    use weapon_use as w;
    let mut query = w::table
        .filter(w::player_id.eq(player_id))
        .filter(w::kills.gt(0))
        .select((w::weapon, w::kills))
        .into_boxed::<MultiBackend>();
    if let Some(mode) = game_mode {
        query = query.filter(w::game_mode.eq(mode));
    }
    query.order((w::kills.desc(), w::weapon.asc())).load(conn)
}

/// Uses by vehicle class: `(vehicle, uses)`, most first. `None` returns the rows of all modes.
pub fn vehicles(conn: &mut AnyConn, player_id: i64, game_mode: Option<i16>) -> QueryResult<Vec<(String, i64)>> {
    use vehicle_use as v;
    let mut query = v::table
        .filter(v::player_id.eq(player_id))
        .filter(v::uses.gt(0))
        .select((v::vehicle, v::uses))
        .into_boxed::<MultiBackend>();
    if let Some(mode) = game_mode {
        query = query.filter(v::game_mode.eq(mode));
    }
    query.order((v::uses.desc(), v::vehicle.asc())).load(conn)
}

/// A contract of a player.
#[derive(Debug, Clone, Queryable)]
pub struct MissionUseRow {
    pub contract: String,
    /// Empty when unknown.
    pub class: String,
    pub accepted: i64,
    pub completed: i64,
}

/// Contracts of a player, most accepted first.
pub fn missions(conn: &mut AnyConn, player_id: i64) -> QueryResult<Vec<MissionUseRow>> {
    use mission_use as m;
    m::table
        .filter(m::player_id.eq(player_id))
        .filter(m::accepted.gt(0).or(m::completed.gt(0)))
        .order((m::accepted.desc(), m::completed.desc(), m::contract.asc()))
        .select((m::contract, m::class, m::accepted, m::completed))
        .load(conn)
}

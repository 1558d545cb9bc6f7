//! Data of a user and the user's player for the data export.

use diesel::prelude::*;

use super::conn::AnyConn;
use super::ingest::PlaySessionRow;
use super::schema::*;
use crate::domain::play_sessions::SessionKind;

/// Times of the user's attempts to verify a claim, oldest first.
pub fn claim_attempts(conn: &mut AnyConn, user_id: i64) -> QueryResult<Vec<i64>> {
    claim_attempts::table
        .filter(claim_attempts::user_id.eq(user_id))
        .order(claim_attempts::attempted_at)
        .select(claim_attempts::attempted_at)
        .load(conn)
}

/// Former handles of a player: `(handle, time it was replaced)`.
pub fn former_handles(conn: &mut AnyConn, player_id: i64) -> QueryResult<Vec<(String, i64)>> {
    use former_handles as f;
    f::table.filter(f::player_id.eq(player_id)).order(f::replaced_at).select((f::handle, f::replaced_at)).load(conn)
}

/// All play sessions of a player, oldest first.
pub fn play_sessions(conn: &mut AnyConn, player_id: i64) -> QueryResult<Vec<PlaySessionRow>> {
    play_sessions::table
        .filter(play_sessions::player_id.eq(player_id))
        .filter(play_sessions::kind.eq(SessionKind::Play.code()))
        .order(play_sessions::login_at)
        .select(PlaySessionRow::as_select())
        .load(conn)
}

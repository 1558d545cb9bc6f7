//! Sessions of signed-in browsers; ids are stored as hashes.

use std::collections::HashMap;

use diesel::prelude::*;

use super::conn::AnyConn;
use super::schema::*;
use super::users::UserRow;
use super::writer::Tx;

/// A session; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub struct SessionRow {
    pub id: String,
    pub user_id: i64,
    /// Hash of the id of the only valid token.
    pub token_id: String,
    pub created_at: i64,
    pub refreshed_at: i64,
    pub ended_at: Option<i64>,
    /// For example `Firefox on Windows`; empty if unknown.
    pub device: String,
    pub last_seen_at: i64,
}

/// A session to insert.
#[derive(Debug, Clone)]
pub struct NewSession {
    pub id: String,
    pub token_id: String,
    pub device: String,
}

pub fn insert(tx: &mut Tx, user_id: i64, new: &NewSession, at: i64) -> QueryResult<()> {
    diesel::insert_into(sessions::table)
        .values((
            sessions::id.eq(&new.id),
            sessions::user_id.eq(user_id),
            sessions::token_id.eq(&new.token_id),
            sessions::created_at.eq(at),
            sessions::refreshed_at.eq(at),
            sessions::device.eq(&new.device),
            sessions::last_seen_at.eq(at),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// A session with its user and the tag of the guild that the user owns.
pub fn find(conn: &mut AnyConn, id: &str) -> QueryResult<Option<(SessionRow, UserRow, Option<String>)>> {
    sessions::table
        .inner_join(users::table)
        .left_join(guilds::table.on(guilds::id.nullable().eq(users::guild_id)))
        .filter(sessions::id.eq(id))
        .select((SessionRow::as_select(), UserRow::as_select(), guilds::tag.nullable()))
        .first(conn)
        .optional()
}

/// Replaces the valid token; false if `old_token` is not valid or the session has ended.
pub fn rotate(tx: &mut Tx, id: &str, old_token: &str, new_token: &str, at: i64) -> QueryResult<bool> {
    let session =
        sessions::table.find(id).filter(sessions::token_id.eq(old_token)).filter(sessions::ended_at.is_null());
    let changed = diesel::update(session)
        .set((sessions::token_id.eq(new_token), sessions::refreshed_at.eq(at), sessions::last_seen_at.eq(at)))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

pub fn end(tx: &mut Tx, id: &str, at: i64) -> QueryResult<()> {
    diesel::update(sessions::table.find(id).filter(sessions::ended_at.is_null()))
        .set(sessions::ended_at.eq(at))
        .execute(&mut **tx)?;
    Ok(())
}

/// All sessions of a user, newest first.
pub fn list_by_user(conn: &mut AnyConn, user_id: i64) -> QueryResult<Vec<SessionRow>> {
    sessions::table
        .filter(sessions::user_id.eq(user_id))
        .order(sessions::created_at.desc())
        .select(SessionRow::as_select())
        .load(conn)
}

/// The sessions of a user that have not ended, were refreshed after one time and created after another; last seen first.
pub fn list_active(
    conn: &mut AnyConn,
    user_id: i64,
    refreshed_after: i64,
    created_after: i64,
) -> QueryResult<Vec<SessionRow>> {
    sessions::table
        .filter(sessions::user_id.eq(user_id))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::refreshed_at.gt(refreshed_after))
        .filter(sessions::created_at.gt(created_after))
        .order((sessions::last_seen_at.desc(), sessions::created_at.desc(), sessions::id))
        .select(SessionRow::as_select())
        .load(conn)
}

/// Ends a session of a user; returns the number of changed rows.
pub fn end_own(tx: &mut Tx, user_id: i64, id: &str, at: i64) -> QueryResult<usize> {
    let own = sessions::table.find(id).filter(sessions::user_id.eq(user_id)).filter(sessions::ended_at.is_null());
    diesel::update(own).set(sessions::ended_at.eq(at)).execute(&mut **tx)
}

/// Updates when a session was last used.
pub fn touch(tx: &mut Tx, id: &str, at: i64) -> QueryResult<()> {
    diesel::update(sessions::table.find(id)).set(sessions::last_seen_at.eq(at)).execute(&mut **tx)?;
    Ok(())
}

/// Deletes sessions that were last refreshed, or created, before a time each.
pub fn delete_before(tx: &mut Tx, refreshed_at: i64, created_at: i64) -> QueryResult<usize> {
    let old = sessions::refreshed_at.lt(refreshed_at).or(sessions::created_at.lt(created_at));
    diesel::delete(sessions::table.filter(old)).execute(&mut **tx)
}

/// Number of sessions that have not ended, and of those that were refreshed since `since`.
pub fn counts(conn: &mut AnyConn, since: i64) -> QueryResult<(i64, i64)> {
    let active = sessions::table.filter(sessions::ended_at.is_null()).count().get_result(conn)?;
    let recent = sessions::table
        .filter(sessions::ended_at.is_null())
        .filter(sessions::refreshed_at.ge(since))
        .count()
        .get_result(conn)?;
    Ok((active, recent))
}

/// A user who is signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedInRow {
    pub user_id: i64,
    /// Handle of the claimed player, if any.
    pub handle: Option<String>,
    pub sessions: i64,
    /// Latest refresh of one of the sessions, epoch milliseconds.
    pub refreshed_at: i64,
}

/// Users with active sessions, the last active first.
pub fn signed_in(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<SignedInRow>> {
    use diesel::dsl::{count_star, max};
    let rows: Vec<(i64, i64, Option<i64>)> = sessions::table
        .filter(sessions::ended_at.is_null())
        .group_by(sessions::user_id)
        .select((sessions::user_id, count_star(), max(sessions::refreshed_at)))
        .order(max(sessions::refreshed_at).desc())
        .limit(limit)
        .load(conn)?;
    let ids: Vec<i64> = rows.iter().map(|(user_id, ..)| *user_id).collect();
    let handles: HashMap<i64, String> = users::table
        .inner_join(players::table.on(players::id.nullable().eq(users::player_id)))
        .filter(users::id.eq_any(ids))
        .select((users::id, players::handle))
        .load(conn)?
        .into_iter()
        .collect();
    let row = |(user_id, sessions, refreshed_at): (i64, i64, Option<i64>)| SignedInRow {
        user_id,
        handle: handles.get(&user_id).cloned(),
        sessions,
        refreshed_at: refreshed_at.unwrap_or(0),
    };
    Ok(rows.into_iter().map(row).collect())
}

/// Ends the sessions of all users; returns how many. Only for a database that no process uses.
pub(super) fn end_for_all_users(conn: &mut AnyConn, at: i64) -> QueryResult<usize> {
    diesel::update(sessions::table.filter(sessions::ended_at.is_null())).set(sessions::ended_at.eq(at)).execute(conn)
}

/// Ends all sessions of a user; returns how many.
pub fn end_all(tx: &mut Tx, user_id: i64, at: i64) -> QueryResult<usize> {
    diesel::update(sessions::table.filter(sessions::user_id.eq(user_id)).filter(sessions::ended_at.is_null()))
        .set(sessions::ended_at.eq(at))
        .execute(&mut **tx)
}

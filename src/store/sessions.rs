//! Sessions: signed-in browsers. Ids lie here as hashes.

use diesel::prelude::*;

use super::conn::AnyConn;
use super::schema::*;
use super::users::UserRow;
use super::writer::Tx;

/// A session as it lies in the database; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub struct SessionRow {
    pub id: String,
    pub user_id: i64,
    /// Hash of the id of the only token that is good.
    pub token_id: String,
    pub created_at: i64,
    pub refreshed_at: i64,
    pub ended_at: Option<i64>,
}

pub fn insert(tx: &mut Tx, id: &str, user_id: i64, token_id: &str, at: i64) -> QueryResult<()> {
    diesel::insert_into(sessions::table)
        .values((
            sessions::id.eq(id),
            sessions::user_id.eq(user_id),
            sessions::token_id.eq(token_id),
            sessions::created_at.eq(at),
            sessions::refreshed_at.eq(at),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// A session with its user and the tag of the guild that user owns.
pub fn find(conn: &mut AnyConn, id: &str) -> QueryResult<Option<(SessionRow, UserRow, Option<String>)>> {
    sessions::table
        .inner_join(users::table)
        .left_join(guilds::table.on(guilds::id.nullable().eq(users::guild_id)))
        .filter(sessions::id.eq(id))
        .select((SessionRow::as_select(), UserRow::as_select(), guilds::tag.nullable()))
        .first(conn)
        .optional()
}

/// Puts a new token in the place of the good one; false when that was another one or the session is over.
pub fn rotate(tx: &mut Tx, id: &str, old_token: &str, new_token: &str, at: i64) -> QueryResult<bool> {
    let session =
        sessions::table.find(id).filter(sessions::token_id.eq(old_token)).filter(sessions::ended_at.is_null());
    let changed = diesel::update(session)
        .set((sessions::token_id.eq(new_token), sessions::refreshed_at.eq(at)))
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
pub fn of_user(conn: &mut AnyConn, user_id: i64) -> QueryResult<Vec<SessionRow>> {
    sessions::table
        .filter(sessions::user_id.eq(user_id))
        .order(sessions::created_at.desc())
        .select(SessionRow::as_select())
        .load(conn)
}

/// Forgets sessions that ended, or were last refreshed, before a moment.
pub fn forget_before(tx: &mut Tx, at: i64) -> QueryResult<usize> {
    diesel::delete(sessions::table.filter(sessions::refreshed_at.lt(at))).execute(&mut **tx)
}

/// How many sessions live, and how many of them were refreshed since a moment.
pub fn counts(conn: &mut AnyConn, since: i64) -> QueryResult<(i64, i64)> {
    let alive = sessions::table.filter(sessions::ended_at.is_null()).count().get_result(conn)?;
    let fresh = sessions::table
        .filter(sessions::ended_at.is_null())
        .filter(sessions::refreshed_at.ge(since))
        .count()
        .get_result(conn)?;
    Ok((alive, fresh))
}

//! Ingest keys, stored as hashes.

use diesel::prelude::*;

use super::conn::AnyConn;
use super::schema::*;
use super::writer::Tx;
use crate::domain::trust::{Account, Reporter};

/// An ingest key; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = ingest_keys)]
pub struct KeyRow {
    pub id: i64,
    pub name: String,
    pub user_id: Option<i64>,
    pub created_at: i64,
    pub last_used_at: Option<i64>,
    pub revoked_at: Option<i64>,
    /// Since when the key awaits a review after a restore; until then it cannot upload.
    pub review_since: Option<i64>,
    /// Whether the limits of account keys do not apply.
    pub is_operator: bool,
    /// Since when an admin blocks the key.
    pub blocked_at: Option<i64>,
}

impl KeyRow {
    pub fn reporter(&self) -> Reporter {
        Reporter { key_id: self.id, account: Account::of(self.id, self.user_id, self.is_operator) }
    }
}

/// A key to insert.
#[derive(Debug, Clone, Copy, Insertable)]
#[diesel(table_name = ingest_keys)]
pub struct NewKey<'a> {
    pub name: &'a str,
    pub key_hash: &'a str,
    pub user_id: Option<i64>,
    pub is_operator: bool,
    pub created_at: i64,
}

pub fn insert(tx: &mut Tx, new: NewKey) -> QueryResult<i64> {
    diesel::insert_into(ingest_keys::table).values(new).returning(ingest_keys::id).get_result(&mut **tx)
}

pub fn find_by_hash(conn: &mut AnyConn, key_hash: &str) -> QueryResult<Option<KeyRow>> {
    ingest_keys::table.filter(ingest_keys::key_hash.eq(key_hash)).select(KeyRow::as_select()).first(conn).optional()
}

pub fn find(conn: &mut AnyConn, id: i64) -> QueryResult<Option<KeyRow>> {
    ingest_keys::table.find(id).select(KeyRow::as_select()).first(conn).optional()
}

/// The reporters with these keys.
pub fn reporters(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<Reporter>> {
    let rows: Vec<KeyRow> =
        ingest_keys::table.filter(ingest_keys::id.eq_any(ids)).select(KeyRow::as_select()).load(conn)?;
    Ok(rows.iter().map(KeyRow::reporter).collect())
}

/// The ids of the keys of an account; none for the operator, whose keys are not limited.
pub fn of_account(conn: &mut AnyConn, account: Account) -> QueryResult<Vec<i64>> {
    match account {
        Account::Operator => Ok(Vec::new()),
        Account::Key(id) => Ok(vec![id]),
        Account::User(user_id) => {
            ingest_keys::table.filter(ingest_keys::user_id.eq(user_id)).select(ingest_keys::id).load(conn)
        }
    }
}

/// Blocks a key, or ends that with `None`.
pub fn set_blocked(tx: &mut Tx, id: i64, at: Option<i64>) -> QueryResult<()> {
    diesel::update(ingest_keys::table.find(id)).set(ingest_keys::blocked_at.eq(at)).execute(&mut **tx)?;
    Ok(())
}

/// What a user uploads in the browser belongs to this row, which was never a key: it was revoked when it was created.
pub fn find_of_session(conn: &mut AnyConn, user_id: i64) -> QueryResult<Option<KeyRow>> {
    ingest_keys::table
        .filter(ingest_keys::user_id.eq(user_id))
        .filter(ingest_keys::revoked_at.eq(ingest_keys::created_at.nullable()))
        .select(KeyRow::as_select())
        .first(conn)
        .optional()
}

/// All keys, or those of one user; oldest first. A row that was revoked when it was created represents the reader of
/// imported events or the browser of a user and was never a key.
pub fn list(conn: &mut AnyConn, user_id: Option<i64>) -> QueryResult<Vec<KeyRow>> {
    let is_key = ingest_keys::revoked_at.is_null().or(ingest_keys::revoked_at.ne(ingest_keys::created_at.nullable()));
    let query = ingest_keys::table.filter(is_key).select(KeyRow::as_select()).order(ingest_keys::id);
    match user_id {
        None => query.load(conn),
        Some(user_id) => query.filter(ingest_keys::user_id.eq(user_id)).load(conn),
    }
}

/// Revokes a key that is not revoked; returns the number of changed rows.
pub fn revoke(tx: &mut Tx, id: i64, at: i64) -> QueryResult<usize> {
    diesel::update(ingest_keys::table.find(id).filter(ingest_keys::revoked_at.is_null()))
        .set(ingest_keys::revoked_at.eq(at))
        .execute(&mut **tx)
}

/// Number of keys of a user that are not revoked.
pub fn count_live(conn: &mut AnyConn, user_id: i64) -> QueryResult<i64> {
    let live = ingest_keys::table.filter(ingest_keys::user_id.eq(user_id)).filter(ingest_keys::revoked_at.is_null());
    live.count().get_result(conn)
}

/// Number of keys that are not revoked.
pub fn count_all_live(conn: &mut AnyConn) -> QueryResult<i64> {
    ingest_keys::table.filter(ingest_keys::revoked_at.is_null()).count().get_result(conn)
}

/// Keys that await a review, oldest first.
pub fn for_review(conn: &mut AnyConn, limit: i64) -> QueryResult<Vec<KeyRow>> {
    ingest_keys::table
        .filter(ingest_keys::review_since.is_not_null())
        .filter(ingest_keys::revoked_at.is_null())
        .order(ingest_keys::id)
        .limit(limit)
        .select(KeyRow::as_select())
        .load(conn)
}

/// Marks all active keys for review; returns how many. Only for a database that no process uses.
pub(super) fn mark_for_review(conn: &mut AnyConn, at: i64) -> QueryResult<usize> {
    diesel::update(ingest_keys::table.filter(ingest_keys::revoked_at.is_null()))
        .set(ingest_keys::review_since.eq(at))
        .execute(conn)
}

/// Ends the review of keys, so that they can upload again.
pub fn confirm(tx: &mut Tx, ids: &[i64]) -> QueryResult<usize> {
    diesel::update(ingest_keys::table.filter(ingest_keys::id.eq_any(ids)))
        .set(ingest_keys::review_since.eq(None::<i64>))
        .execute(&mut **tx)
}

pub fn touch(tx: &mut Tx, id: i64, at: i64) -> QueryResult<()> {
    diesel::update(ingest_keys::table.find(id)).set(ingest_keys::last_used_at.eq(at)).execute(&mut **tx)?;
    Ok(())
}

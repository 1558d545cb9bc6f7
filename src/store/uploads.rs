//! Uploaded pictures: their owners, and whether settings use them.

use diesel::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

use super::conn::AnyConn;
use super::in_chunks;
use super::schema::*;
use super::writer::Tx;
use crate::domain::json::as_secs;

// An uploaded picture; times in epoch milliseconds, which its JSON has in seconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable, Serialize, ToSchema)]
#[diesel(table_name = uploads)]
#[schema(as = PictureExport)]
pub struct UploadRow {
    #[serde(skip)]
    pub id: i64,
    #[serde(skip)]
    pub user_id: i64,
    // `/uploads/{name}`.
    pub path: String,
    /// The upload route.
    pub kind: String,
    pub bytes: i64,
    pub is_used: bool,
    #[serde(serialize_with = "as_secs")]
    pub created_at: i64,
}

pub fn insert(tx: &mut Tx, user_id: i64, path: &str, kind: &str, bytes: i64, at: i64) -> QueryResult<()> {
    diesel::insert_into(uploads::table)
        .values((
            uploads::user_id.eq(user_id),
            uploads::path.eq(path),
            uploads::kind.eq(kind),
            uploads::bytes.eq(bytes),
            uploads::created_at.eq(at),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

pub fn find(conn: &mut AnyConn, path: &str) -> QueryResult<Option<UploadRow>> {
    uploads::table.filter(uploads::path.eq(path)).select(UploadRow::as_select()).first(conn).optional()
}

pub fn list_by_user(conn: &mut AnyConn, user_id: i64) -> QueryResult<Vec<UploadRow>> {
    uploads::table.filter(uploads::user_id.eq(user_id)).order(uploads::id).select(UploadRow::as_select()).load(conn)
}

/// Deletes the rows of a user's unused pictures except the newest `keep`; returns their paths.
pub fn remove_oldest_unused(tx: &mut Tx, user_id: i64, keep: i64) -> QueryResult<Vec<String>> {
    let own = uploads::table.filter(uploads::user_id.eq(user_id)).filter(uploads::is_used.eq(false));
    let newest_first: Vec<i64> =
        own.order((uploads::created_at.desc(), uploads::id.desc())).select(uploads::id).load(&mut **tx)?;
    let old = newest_first.get(usize::try_from(keep).unwrap_or(0)..).unwrap_or_default();
    diesel::delete(uploads::table.filter(uploads::id.eq_any(old)).filter(uploads::is_used.eq(false)))
        .returning(uploads::path)
        .get_results(&mut **tx)
}

/// Marks a picture as used by settings; false if it is used already or does not exist.
pub fn mark_used(tx: &mut Tx, user_id: i64, path: &str) -> QueryResult<bool> {
    let free = uploads::table
        .filter(uploads::path.eq(path))
        .filter(uploads::user_id.eq(user_id))
        .filter(uploads::is_used.eq(false));
    Ok(diesel::update(free).set(uploads::is_used.eq(true)).execute(&mut **tx)? == 1)
}

pub fn remove(tx: &mut Tx, path: &str) -> QueryResult<()> {
    diesel::delete(uploads::table.filter(uploads::path.eq(path))).execute(&mut **tx)?;
    Ok(())
}

/// Deletes the rows of unused pictures created before `before`; returns their paths.
pub fn remove_unused(tx: &mut Tx, before: i64) -> QueryResult<Vec<String>> {
    diesel::delete(uploads::table.filter(uploads::is_used.eq(false)).filter(uploads::created_at.lt(before)))
        .returning(uploads::path)
        .get_results(&mut **tx)
}

/// The paths that have a row.
pub fn find_existing(conn: &mut AnyConn, paths: &[String]) -> QueryResult<Vec<String>> {
    in_chunks(paths, |paths| uploads::table.filter(uploads::path.eq_any(paths)).select(uploads::path).load(conn))
}

/// Number of pictures and their total size in bytes.
pub fn totals(conn: &mut AnyConn) -> QueryResult<(i64, i64)> {
    let sizes: Vec<i64> = uploads::table.select(uploads::bytes).load(conn)?;
    Ok((sizes.len() as i64, sizes.iter().sum()))
}

//! Commits of the site's source repositories.

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::in_chunks;
use super::schema::*;
use super::writer::Tx;

/// A commit; `committed_at` is in epoch seconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = commits)]
pub struct CommitRow {
    pub id: String,
    pub author_name: Option<String>,
    pub author_username: Option<String>,
    pub author_avatar_url: Option<String>,
    pub committed_at: i64,
    pub message: String,
    pub branch: String,
    pub repository: String,
}

/// A page of commits, newest first.
pub fn page(conn: &mut AnyConn, limit: i64, offset: i64) -> QueryResult<Vec<CommitRow>> {
    commits::table
        .order((commits::committed_at.desc(), commits::id.asc()))
        .limit(limit)
        .offset(offset)
        .select(CommitRow::as_select())
        .load(conn)
}

pub fn count(conn: &mut AnyConn) -> QueryResult<i64> {
    commits::table.count().get_result(conn)
}

/// The commits with these ids, in any order.
pub fn find(conn: &mut AnyConn, ids: &[String]) -> QueryResult<Vec<CommitRow>> {
    commits::table.filter(commits::id.eq_any(ids)).select(CommitRow::as_select()).load(conn)
}

/// The distinct avatar URLs of all authors.
pub fn avatar_urls(conn: &mut AnyConn) -> QueryResult<Vec<String>> {
    let known = commits::table.filter(commits::author_avatar_url.is_not_null()).select(commits::author_avatar_url);
    let found: Vec<Option<String>> = known.distinct().load(conn)?;
    Ok(found.into_iter().flatten().collect())
}

/// The ids that are stored.
pub fn find_existing(conn: &mut AnyConn, ids: &[String]) -> QueryResult<Vec<String>> {
    in_chunks(ids, |ids| commits::table.filter(commits::id.eq_any(ids)).select(commits::id).load(conn))
}

/// Inserts or updates commits; returns how many are new.
pub fn upsert(tx: &mut Tx, rows: &[CommitRow]) -> QueryResult<usize> {
    let before = count(tx)?;
    // A commit without an avatar does not clear a known one.
    let (with, without): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.author_avatar_url.is_some());
    let branch = ("branch", Merge::Replace);
    for (rows, merges) in [(with, &[("author_avatar_url", Merge::Replace), branch][..]), (without, &[branch])] {
        bulk!(commits, rows, |c| {
            id: c.id.as_str(),
            author_name: c.author_name.as_deref(),
            author_username: c.author_username.as_deref(),
            author_avatar_url: c.author_avatar_url.as_deref(),
            committed_at: c.committed_at,
            message: c.message.as_str(),
            branch: c.branch.as_str(),
            repository: c.repository.as_str(),
        })
        .on_conflict("commits", &["id"], merges)
        .execute(tx)?;
    }
    Ok(usize::try_from(count(tx)? - before).unwrap_or_default())
}

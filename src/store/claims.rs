//! Pending claims, and attempts to verify them.

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;
use crate::domain::claims::{ClaimAttempt, ClaimKind};

/// A pending claim with the code to look for; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = claims)]
pub struct ClaimRow {
    pub id: i64,
    pub user_id: i64,
    pub kind: i16,
    /// Folded handle or guild tag.
    pub target: String,
    pub code: String,
    pub created_at: i64,
}

/// Starts a claim; replaces an earlier one of the same kind.
pub fn put(tx: &mut Tx, user_id: i64, kind: ClaimKind, target: &str, code: &str, at: i64) -> QueryResult<()> {
    bulk!(claims, [(user_id, kind.code(), target, code, at)], |(user, kind, target, code, at)| {
        user_id: user,
        kind: kind,
        target: target,
        code: code,
        created_at: at,
    })
    .on_conflict(
        "claims",
        &["user_id", "kind"],
        &[("target", Merge::Replace), ("code", Merge::Replace), ("created_at", Merge::Replace)],
    )
    .execute(tx)?;
    Ok(())
}

pub fn find(conn: &mut AnyConn, user_id: i64, kind: ClaimKind) -> QueryResult<Option<ClaimRow>> {
    claims::table
        .filter(claims::user_id.eq(user_id))
        .filter(claims::kind.eq(kind.code()))
        .select(ClaimRow::as_select())
        .first(conn)
        .optional()
}

pub fn list_by_user(conn: &mut AnyConn, user_id: i64) -> QueryResult<Vec<ClaimRow>> {
    claims::table.filter(claims::user_id.eq(user_id)).order(claims::kind).select(ClaimRow::as_select()).load(conn)
}

pub fn remove(tx: &mut Tx, user_id: i64, kind: ClaimKind) -> QueryResult<()> {
    let own = claims::table.filter(claims::user_id.eq(user_id)).filter(claims::kind.eq(kind.code()));
    diesel::delete(own).execute(&mut **tx)?;
    Ok(())
}

/// Deletes claims created before one time and attempts recorded before another.
pub fn delete_before(tx: &mut Tx, claims_at: i64, attempts_at: i64) -> QueryResult<usize> {
    let begun = diesel::delete(claims::table.filter(claims::created_at.lt(claims_at))).execute(&mut **tx)?;
    let attempted = diesel::delete(claim_attempts::table.filter(claim_attempts::attempted_at.lt(attempts_at)))
        .execute(&mut **tx)?;
    Ok(begun + attempted)
}

/// A user's attempts after `after`, `(time, kind)`, oldest first; deletes older ones.
pub fn list_attempts(tx: &mut Tx, user_id: i64, after: i64) -> QueryResult<Vec<(i64, i16)>> {
    let own = claim_attempts::table.filter(claim_attempts::user_id.eq(user_id));
    diesel::delete(own.filter(claim_attempts::attempted_at.le(after))).execute(&mut **tx)?;
    own.order(claim_attempts::attempted_at).select((claim_attempts::attempted_at, claim_attempts::kind)).load(&mut **tx)
}

pub fn add_attempt(tx: &mut Tx, user_id: i64, kind: ClaimAttempt, at: i64) -> QueryResult<()> {
    diesel::insert_into(claim_attempts::table)
        .values((
            claim_attempts::user_id.eq(user_id),
            claim_attempts::attempted_at.eq(at),
            claim_attempts::kind.eq(kind.code()),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

/// Removes the attempt of a user at this time.
pub fn remove_attempt(tx: &mut Tx, user_id: i64, at: i64) -> QueryResult<()> {
    diesel::delete(claim_attempts::table.find((user_id, at))).execute(&mut **tx)?;
    Ok(())
}

//! Page visits: single visits for a few days, daily totals permanently. Neither addresses nor fingerprints are stored.

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;

/// A visit to store.
#[derive(Debug, Clone)]
pub struct NewVisit {
    /// Epoch milliseconds.
    pub visited_at: i64,
    pub session_id: String,
    pub kind: String,
    pub page_path: String,
    /// JSON.
    pub data: String,
    /// Duration in milliseconds, for kinds that have one.
    pub ms: i64,
}

/// Inserts single visits.
pub fn insert(tx: &mut Tx, new: &[NewVisit]) -> QueryResult<()> {
    bulk!(visits, new, |v| {
        visited_at: v.visited_at,
        session_id: v.session_id.as_str(),
        kind: v.kind.as_str(),
        page_path: v.page_path.as_str(),
        data: v.data.as_str(),
    })
    .execute(tx)?;
    Ok(())
}

/// Adds visits to the totals of their day.
pub fn add_to_days(tx: &mut Tx, day: i32, new: &[NewVisit]) -> QueryResult<()> {
    new.iter().try_for_each(|visit| add_to_day(tx, day, &visit.page_path, &visit.kind, 1, visit.ms))
}

/// Adds a number of visits and their duration to a daily total.
pub fn add_to_day(tx: &mut Tx, day: i32, page_path: &str, kind: &str, visits: i64, ms: i64) -> QueryResult<()> {
    bulk!(visit_days, [(day, page_path, kind, visits, ms)], |(day, path, kind, visits, ms)| {
        day: day,
        page_path: path,
        kind: kind,
        visits: visits,
        total_ms: ms,
    })
    .on_conflict("visit_days", &["day", "page_path", "kind"], &[("visits", Merge::Add), ("total_ms", Merge::Add)])
    .execute(tx)?;
    Ok(())
}

/// A daily total; 0 if there is none.
pub fn sum(conn: &mut AnyConn, day: i32, page_path: &str, kind: &str) -> QueryResult<i64> {
    let found = visit_days::table.find((day, page_path, kind)).select(visit_days::visits).first(conn).optional()?;
    Ok(found.unwrap_or(0))
}

/// Whether a session has a visit since `since`.
pub fn is_known(conn: &mut AnyConn, session_id: &str, since: i64) -> QueryResult<bool> {
    let seen = visits::table.filter(visits::visited_at.ge(since)).filter(visits::session_id.eq(session_id));
    diesel::select(diesel::dsl::exists(seen)).get_result(conn)
}

/// Whether a daily total may be increased: it exists, or fewer than `max` totals of its kind exist on that day.
pub fn may_add(conn: &mut AnyConn, day: i32, kind: &str, page_path: &str, max: i64) -> QueryResult<bool> {
    use visit_days as d;
    let known = d::table.filter(d::day.eq(day)).filter(d::page_path.eq(page_path)).filter(d::kind.eq(kind));
    if diesel::select(diesel::dsl::exists(known)).get_result(conn)? {
        return Ok(true);
    }
    let count: i64 = d::table.filter(d::day.eq(day)).filter(d::kind.eq(kind)).count().get_result(conn)?;
    Ok(count < max)
}

/// Deletes single visits from before `at`; returns how many.
pub fn delete_before(tx: &mut Tx, at: i64) -> QueryResult<usize> {
    diesel::delete(visits::table.filter(visits::visited_at.lt(at))).execute(&mut **tx)
}

/// Deletes the daily totals of a kind from before a day; returns how many.
pub fn delete_days_before(tx: &mut Tx, day: i32, kind: &str) -> QueryResult<usize> {
    let old = visit_days::table.filter(visit_days::day.lt(day)).filter(visit_days::kind.eq(kind));
    diesel::delete(old).execute(&mut **tx)
}

/// `(day, path, kind, visits, total_ms)`.
pub type VisitDay = (i32, String, String, i64, i64);

/// Daily totals from a day on.
pub fn days(conn: &mut AnyConn, from_day: i32) -> QueryResult<Vec<VisitDay>> {
    use visit_days as d;
    d::table
        .filter(d::day.ge(from_day))
        .order(d::day)
        .select((d::day, d::page_path, d::kind, d::visits, d::total_ms))
        .load(conn)
}

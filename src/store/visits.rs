//! Page visits: single ones for a few days, daily sums for good. No address, no fingerprint.

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;

/// One told visit.
#[derive(Debug, Clone)]
pub struct NewVisit {
    /// Epoch milliseconds.
    pub visited_at: i64,
    pub session_id: String,
    pub kind: String,
    pub page_path: String,
    /// JSON.
    pub data: String,
    /// Of how long something took, where the kind has it.
    pub ms: i64,
}

/// Stores visits and adds them to the sums of their day.
pub fn insert(tx: &mut Tx, day: i32, new: &[NewVisit]) -> QueryResult<()> {
    bulk!(visits, new, |v| {
        visited_at: v.visited_at,
        session_id: v.session_id.as_str(),
        kind: v.kind.as_str(),
        page_path: v.page_path.as_str(),
        data: v.data.as_str(),
    })
    .execute(tx)?;
    for visit in new {
        add_to_day(tx, day, &visit.page_path, &visit.kind, visit.ms)?;
    }
    Ok(())
}

/// Adds one to a daily sum.
pub fn add_to_day(tx: &mut Tx, day: i32, page_path: &str, kind: &str, ms: i64) -> QueryResult<()> {
    bulk!(visit_days, [(day, page_path, kind, ms)], |(day, path, kind, ms)| {
        day: day,
        page_path: path,
        kind: kind,
        visits: 1i64,
        total_ms: ms,
    })
    .on_conflict("visit_days", &["day", "page_path", "kind"], &[("visits", Merge::Add), ("total_ms", Merge::Add)])
    .execute(tx)?;
    Ok(())
}

/// Whether a session has been counted since a moment.
pub fn is_known(conn: &mut AnyConn, session_id: &str, since: i64) -> QueryResult<bool> {
    let seen = visits::table.filter(visits::visited_at.ge(since)).filter(visits::session_id.eq(session_id));
    diesel::select(diesel::dsl::exists(seen)).get_result(conn)
}

/// Whether a daily sum may be added to: it is there, or there are fewer than `most` of its kind that day.
pub fn may_add(conn: &mut AnyConn, day: i32, kind: &str, page_path: &str, most: i64) -> QueryResult<bool> {
    use visit_days as d;
    let known = d::table.filter(d::day.eq(day)).filter(d::page_path.eq(page_path)).filter(d::kind.eq(kind));
    if diesel::select(diesel::dsl::exists(known)).get_result(conn)? {
        return Ok(true);
    }
    let count: i64 = d::table.filter(d::day.eq(day)).filter(d::kind.eq(kind)).count().get_result(conn)?;
    Ok(count < most)
}

/// Forgets single visits from before a moment; gives how many.
pub fn forget_before(tx: &mut Tx, at: i64) -> QueryResult<usize> {
    diesel::delete(visits::table.filter(visits::visited_at.lt(at))).execute(&mut **tx)
}

/// `(day, path, kind, visits, milliseconds of all of them)`.
pub type VisitDay = (i32, String, String, i64, i64);

/// Daily sums from a day on: `(day, path, kind, visits, total_ms)`.
pub fn days(conn: &mut AnyConn, from_day: i32) -> QueryResult<Vec<VisitDay>> {
    use visit_days as d;
    d::table
        .filter(d::day.ge(from_day))
        .order(d::day)
        .select((d::day, d::page_path, d::kind, d::visits, d::total_ms))
        .load(conn)
}

/// The newest single visits since a moment: `(when, session, kind, data)`.
pub fn since(conn: &mut AnyConn, at: i64, limit: i64) -> QueryResult<Vec<(i64, String, String, String)>> {
    use visits as v;
    v::table
        .filter(v::visited_at.ge(at))
        .order(v::visited_at.desc())
        .limit(limit)
        .select((v::visited_at, v::session_id, v::kind, v::data))
        .load(conn)
}

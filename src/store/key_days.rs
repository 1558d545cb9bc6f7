//! The ranges of event ids that each ingest key reported, by UTC day: what an index of events by key would cost space for.

use std::collections::BTreeMap;

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;

/// The day of imported events.
pub const IMPORTED: i32 = -1;

/// A range of events that contains all those that a key reported on a day. It may contain events of other keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyDay {
    pub key_id: i64,
    pub day: i32,
    pub first_id: i64,
    pub last_id: i64,
    /// The number of reports.
    pub reports: i64,
}

impl KeyDay {
    /// The ranges of reports `(key, event)` of one day, by key.
    pub fn of_reports(reports: impl Iterator<Item = (i64, i64)>, day: i32) -> Vec<Self> {
        let mut ranges: BTreeMap<i64, Self> = BTreeMap::new();
        for (key_id, event_id) in reports {
            let empty = Self { key_id, day, first_id: event_id, last_id: event_id, reports: 0 };
            let range = ranges.entry(key_id).or_insert(empty);
            range.reports += 1;
            range.first_id = range.first_id.min(event_id);
            range.last_id = range.last_id.max(event_id);
        }
        ranges.into_values().collect()
    }

    /// The ranges of events `(key, event)` that were reported before.
    pub fn of_events(events: impl Iterator<Item = (i64, i64)>, day: i32) -> Vec<Self> {
        Self::of_reports(events, day).into_iter().map(|range| Self { reports: 0, ..range }).collect()
    }
}

/// Extends the stored ranges.
pub fn extend(tx: &mut Tx, ranges: Vec<KeyDay>) -> QueryResult<()> {
    let merges = [("first_id", Merge::Min), ("last_id", Merge::Max), ("reports", Merge::Add)];
    bulk!(key_days, ranges, |r| {
        key_id: r.key_id,
        day: r.day,
        first_id: r.first_id,
        last_id: r.last_id,
        reports: r.reports,
    })
    .on_conflict("key_days", &["key_id", "day"], &merges)
    .execute(tx)?;
    Ok(())
}

/// The number of reports of these keys on a day.
pub fn count_reports(conn: &mut AnyConn, key_ids: &[i64], day: i32) -> QueryResult<i64> {
    let of_day = key_days::table.filter(key_days::key_id.eq_any(key_ids)).filter(key_days::day.eq(day));
    let reports: Vec<i64> = of_day.select(key_days::reports).load(conn)?;
    Ok(reports.into_iter().sum())
}

/// The number of accounts of users that uploaded on or after a day, up to `limit`.
pub fn active_accounts(conn: &mut AnyConn, day: i32, limit: i64) -> QueryResult<usize> {
    let recent = key_days::table.inner_join(ingest_keys::table.on(ingest_keys::id.eq(key_days::key_id)));
    let users = recent.filter(key_days::day.ge(day)).filter(ingest_keys::user_id.is_not_null());
    Ok(users.select(ingest_keys::user_id).distinct().limit(limit).load::<Option<i64>>(conn)?.len())
}

/// The first and the last event that these keys may have reported; `None` if there are none.
pub fn range(conn: &mut AnyConn, key_ids: &[i64]) -> QueryResult<Option<(i64, i64)>> {
    use diesel::dsl::{max, min};
    let of_keys = key_days::table.filter(key_days::key_id.eq_any(key_ids));
    let (first, last): (Option<i64>, Option<i64>) =
        of_keys.select((min(key_days::first_id), max(key_days::last_id))).first(conn)?;
    Ok(first.zip(last))
}

//! The ranges of event ids that each ingest key reported, by UTC day: what an index of events by key would cost space for.

use std::collections::BTreeMap;

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;

/// The day of imported events, and of those reported before the ranges existed.
pub const IMPORTED: i32 = -1;

/// A range of events that contains all those that a key reported on a day. It may contain events of other keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyDay {
    pub key_id: i64,
    pub day: i32,
    pub first_id: i64,
    pub last_id: i64,
}

impl KeyDay {
    /// The ranges of reports `(key, event)` of one day, by key.
    pub fn of_reports(reports: impl Iterator<Item = (i64, i64)>, day: i32) -> Vec<Self> {
        let mut ranges: BTreeMap<i64, Self> = BTreeMap::new();
        for (key_id, event_id) in reports {
            let range = ranges.entry(key_id).or_insert(Self { key_id, day, first_id: event_id, last_id: event_id });
            range.first_id = range.first_id.min(event_id);
            range.last_id = range.last_id.max(event_id);
        }
        ranges.into_values().collect()
    }
}

/// Extends the stored ranges.
pub fn extend(tx: &mut Tx, ranges: Vec<KeyDay>) -> QueryResult<()> {
    if ranges.is_empty() {
        return Ok(());
    }
    bulk!(key_days, ranges, |r| { key_id: r.key_id, day: r.day, first_id: r.first_id, last_id: r.last_id })
        .on_conflict("key_days", &["key_id", "day"], &[("first_id", Merge::Min), ("last_id", Merge::Max)])
        .execute(tx)?;
    Ok(())
}

/// The first and the last event that these keys may have reported; `None` if there are none.
pub fn range(conn: &mut AnyConn, key_ids: &[i64]) -> QueryResult<Option<(i64, i64)>> {
    use diesel::dsl::{max, min};
    let of_keys = key_days::table.filter(key_days::key_id.eq_any(key_ids));
    let (first, last): (Option<i64>, Option<i64>) =
        of_keys.select((min(key_days::first_id), max(key_days::last_id))).first(conn)?;
    Ok(first.zip(last))
}

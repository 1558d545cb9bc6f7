//! Leaves of the log.

use std::collections::HashMap;

use diesel::prelude::*;

use super::CHUNK;
use crate::domain::trust::TargetKind;
use crate::store::conn::{AnyConn, bulk};
use crate::store::schema::*;
use crate::store::writer::Tx;

/// What a leaf is about; the stored value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i16)]
pub enum LeafKind {
    Event = 1,
    LedgerEntry = 2,
}

impl LeafKind {
    pub fn code(self) -> i16 {
        self as i16
    }

    pub fn from_code(code: i16) -> Option<Self> {
        [Self::Event, Self::LedgerEntry].into_iter().find(|kind| kind.code() == code)
    }
}

/// A leaf. Its hash is in the tiles.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = tlog_leaves)]
pub struct LeafRow {
    pub position: i64,
    /// The code of a [`LeafKind`].
    pub kind: i16,
    /// The id of the event or ledger entry.
    pub subject_id: i64,
    /// `None` once erased.
    pub salt: Option<Vec<u8>>,
    /// `None` if it can be written from the subject's row, or was erased.
    pub line: Option<String>,
}

pub fn insert_leaves(tx: &mut Tx, rows: &[LeafRow]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(tlog_leaves, chunk, |leaf| {
            position: leaf.position,
            kind: leaf.kind,
            subject_id: leaf.subject_id,
            salt: leaf.salt.as_deref(),
            line: leaf.line.as_deref(),
        })
        .execute(tx)?;
    }
    Ok(())
}

/// Stores the line of a leaf whose subject has changed, unless the leaf was erased.
pub fn archive_line(tx: &mut Tx, position: i64, line: &str) -> QueryResult<()> {
    use tlog_leaves as l;
    let leaf = l::table.find(position).filter(l::salt.is_not_null()).filter(l::line.is_null());
    diesel::update(leaf).set(l::line.eq(line)).execute(&mut **tx)?;
    Ok(())
}

/// Leaves from one position to another, exclusive.
pub fn leaves_between(conn: &mut AnyConn, from: i64, until: i64) -> QueryResult<Vec<LeafRow>> {
    use tlog_leaves as l;
    let range = l::table.filter(l::position.ge(from)).filter(l::position.lt(until));
    range.order(l::position).select(LeafRow::as_select()).load(conn)
}

/// All leaves of a subject.
pub fn leaves_of(conn: &mut AnyConn, kind: LeafKind, subject_id: i64) -> QueryResult<Vec<LeafRow>> {
    use tlog_leaves as l;
    let of_subject = l::table.filter(l::kind.eq(kind.code())).filter(l::subject_id.eq(subject_id));
    of_subject.order(l::position).select(LeafRow::as_select()).load(conn)
}

/// The position of the newest leaf of each of these subjects that has one.
pub fn newest_leaves(conn: &mut AnyConn, kind: LeafKind, subject_ids: &[i64]) -> QueryResult<HashMap<i64, i64>> {
    use tlog_leaves as l;
    let mut newest = HashMap::new();
    for chunk in subject_ids.chunks(CHUNK) {
        let of_subjects = l::table.filter(l::kind.eq(kind.code())).filter(l::subject_id.eq_any(chunk));
        let rows = of_subjects.order(l::position).select((l::subject_id, l::position)).load::<(i64, i64)>(conn)?;
        newest.extend(rows);
    }
    Ok(newest)
}

/// Leaves after a position that have a stored line: `(position, line)`.
pub fn leaves_with_line(conn: &mut AnyConn, after: i64, limit: i64) -> QueryResult<Vec<(i64, String)>> {
    use tlog_leaves as l;
    let stored = l::table.filter(l::line.is_not_null()).filter(l::position.gt(after));
    stored.order(l::position).limit(limit).select((l::position, l::line.assume_not_null())).load(conn)
}

/// Erases salt and line of all leaves of these events, or of the leaves at these positions.
pub fn erase(tx: &mut Tx, event_ids: &[i64], positions: &[i64]) -> QueryResult<()> {
    use tlog_leaves as l;
    let nothing = (l::salt.eq(None::<Vec<u8>>), l::line.eq(None::<String>));
    for chunk in event_ids.chunks(CHUNK) {
        let of_events = l::table.filter(l::kind.eq(LeafKind::Event.code())).filter(l::subject_id.eq_any(chunk));
        diesel::update(of_events).set(nothing.clone()).execute(&mut **tx)?;
    }
    for chunk in positions.chunks(CHUNK) {
        diesel::update(l::table.filter(l::position.eq_any(chunk))).set(nothing.clone()).execute(&mut **tx)?;
    }
    Ok(())
}

/// Erases salts of the leaves of ledger entries about a player.
pub fn erase_players_entries(tx: &mut Tx, player_id: i64) -> QueryResult<()> {
    use tlog_leaves as l;
    let about = ledger::table
        .filter(ledger::target.eq(TargetKind::Player.code()))
        .filter(ledger::subject.eq(player_id.to_string()))
        .select(ledger::id);
    let ids: Vec<i64> = about.load(&mut **tx)?;
    for chunk in ids.chunks(CHUNK) {
        let of_entries = l::table.filter(l::kind.eq(LeafKind::LedgerEntry.code())).filter(l::subject_id.eq_any(chunk));
        diesel::update(of_entries).set(l::salt.eq(None::<Vec<u8>>)).execute(&mut **tx)?;
    }
    Ok(())
}

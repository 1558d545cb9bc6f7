//! Stored events to assess again, because a player was claimed, a name became known, or the operator started it.

use diesel::prelude::*;

use super::conn::{AnyConn, bulk};
use super::schema::*;
use super::writer::Tx;

/// A user claimed a player: the user's reports from that player's logs are those of a party.
pub const CLAIM: i16 = 1;
/// The name of a player became known.
pub const NAME: i16 = 2;
/// Events from before grades existed.
pub const LEGACY: i16 = 3;

/// Events to assess again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = reassessments)]
pub struct ReassessmentRow {
    pub id: i64,
    pub kind: i16,
    /// The user of a claim, or the player of a name.
    pub subject: i64,
    /// The last event that was processed.
    pub position: i64,
    /// The last event that existed.
    pub last_id: i64,
}

/// Queues the reports of a user who claimed a player.
pub fn add_claim(tx: &mut Tx, user_id: i64, player_id: i64, last_id: i64) -> QueryResult<()> {
    add(tx, CLAIM, &[(user_id, player_id)], last_id)
}

/// Queues the events of players whose names became known.
pub fn add_names(tx: &mut Tx, player_ids: &[i64], last_id: i64) -> QueryResult<()> {
    add(tx, NAME, &player_ids.iter().map(|id| (*id, 0)).collect::<Vec<_>>(), last_id)
}

/// Queues all events from before grades existed.
pub fn add_legacy(tx: &mut Tx, last_id: i64) -> QueryResult<()> {
    add(tx, LEGACY, &[(0, 0)], last_id)
}

fn add(tx: &mut Tx, kind: i16, subjects: &[(i64, i64)], last_id: i64) -> QueryResult<()> {
    bulk!(reassessments, subjects, |(subject, other)| {
        kind: kind,
        subject: *subject,
        other: *other,
        position: 0i64,
        last_id: last_id,
    })
    .execute(tx)?;
    Ok(())
}

/// The oldest reassessment that is not complete.
pub fn next(conn: &mut AnyConn) -> QueryResult<Option<ReassessmentRow>> {
    reassessments::table.order(reassessments::id).select(ReassessmentRow::as_select()).first(conn).optional()
}

/// Whether a reassessment of this kind is not complete.
pub fn is_pending(conn: &mut AnyConn, kind: i16) -> QueryResult<bool> {
    Ok(reassessments::table.filter(reassessments::kind.eq(kind)).count().get_result::<i64>(conn)? > 0)
}

/// Advances a reassessment; returns whether it still was at `from`.
pub fn advance(tx: &mut Tx, id: i64, from: i64, position: i64) -> QueryResult<bool> {
    let own = reassessments::table.find(id).filter(reassessments::position.eq(from));
    Ok(diesel::update(own).set(reassessments::position.eq(position)).execute(&mut **tx)? > 0)
}

/// Completes a reassessment.
pub fn remove(tx: &mut Tx, id: i64) -> QueryResult<()> {
    diesel::delete(reassessments::table.find(id)).execute(&mut **tx)?;
    Ok(())
}

/// Events above an id from before grades existed, oldest first.
pub fn legacy_events(conn: &mut AnyConn, after: i64, last_id: i64, limit: i64) -> QueryResult<Vec<i64>> {
    events::table
        .filter(events::id.gt(after))
        .filter(events::id.le(last_id))
        .filter(events::grade.eq(0))
        .order(events::id)
        .limit(limit)
        .select(events::id)
        .load(conn)
}

/// The number of events from before grades existed.
pub fn count_legacy(conn: &mut AnyConn) -> QueryResult<i64> {
    events::table.filter(events::grade.eq(0)).count().get_result(conn)
}

//! Stored events to assess again, because a player was claimed or a name became known.

use diesel::prelude::*;

use super::conn::{AnyConn, bulk};
use super::schema::*;
use super::writer::Tx;

/// A user claimed a player: the user's reports from that player's logs are those of a party.
pub const CLAIM: i16 = 1;
/// The name of a player became known.
pub const NAME: i16 = 2;

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

//! The marker of a database that holds a generated universe.

use diesel::prelude::*;

use super::conn::{AnyConn, bulk};
use super::schema::demo_universe as d;
use super::writer::Tx;

/// The id of the only row.
const ROW_ID: i16 = 1;

/// Size and state of the generated universe; times in epoch milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = d)]
pub struct DemoRow {
    pub seed: i64,
    pub players: i64,
    pub guilds: i64,
    pub events: i64,
    /// The ingest key of its events.
    pub key_id: i64,
    /// The time for which the universe was generated.
    pub created_at: i64,
    /// When everything was written; `None` until then.
    pub filled_at: Option<i64>,
}

pub fn find(conn: &mut AnyConn) -> QueryResult<Option<DemoRow>> {
    d::table.find(ROW_ID).select(DemoRow::as_select()).first(conn).optional()
}

/// Marks the database; false if it is marked already.
pub fn insert(tx: &mut Tx, row: DemoRow) -> QueryResult<bool> {
    let written = bulk!(demo_universe, [row], |row| {
        id: ROW_ID,
        seed: row.seed,
        players: row.players,
        guilds: row.guilds,
        events: row.events,
        key_id: row.key_id,
        created_at: row.created_at,
    })
    .on_conflict("demo_universe", &["id"], &[])
    .execute(tx)?;
    Ok(written > 0)
}

pub fn set_key(tx: &mut Tx, key_id: i64) -> QueryResult<usize> {
    diesel::update(d::table.find(ROW_ID)).set(d::key_id.eq(key_id)).execute(&mut **tx)
}

pub fn set_filled(tx: &mut Tx, at: i64) -> QueryResult<usize> {
    diesel::update(d::table.find(ROW_ID)).set(d::filled_at.eq(at)).execute(&mut **tx)
}

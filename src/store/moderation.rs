//! The history of moderation, and the reports that its entries concern.

use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::conn::{AnyConn, bulk};
use super::key_days;
use super::schema::*;
use super::writer::Tx;
use crate::domain::trust::{Action, Sides, Target};

/// An entry; times in epoch milliseconds. Exactly one of the ids names the target, and a merge names two players.
#[derive(Debug, Clone, PartialEq, Eq, Default, Queryable, Selectable, Insertable)]
#[diesel(table_name = moderation)]
pub struct ModerationRow {
    #[diesel(skip_insertion)]
    pub id: i64,
    pub at: i64,
    /// The admin; `None` for the command line.
    pub actor_id: Option<i64>,
    /// The code of an [`Action`].
    pub action: i16,
    pub key_id: Option<i64>,
    pub user_id: Option<i64>,
    pub player_id: Option<i64>,
    pub event_id: Option<i64>,
    pub patch_version: Option<i64>,
    /// The player that a merged one becomes.
    pub into_player_id: Option<i64>,
    /// The new handle of a renamed player.
    pub argument: Option<String>,
    /// The public name of the target.
    pub name: Option<String>,
    pub from_time: Option<i64>,
    pub until_time: Option<i64>,
    pub reason: String,
    pub undone_at: Option<i64>,
    /// The admin who undid it; `None` for the command line.
    pub undone_by: Option<i64>,
    /// Whether the entry, or its undoing, is applied to all reports.
    pub is_applied: bool,
    /// The last report that was processed.
    pub position: i64,
    /// The last report that existed when the entry was made or undone.
    pub last_id: i64,
    pub done: i64,
    pub total: i64,
}

impl ModerationRow {
    pub fn action(&self) -> Option<Action> {
        Action::from_code(self.action)
    }
}

/// Inserts an entry; returns its id.
pub fn insert(tx: &mut Tx, row: &ModerationRow) -> QueryResult<i64> {
    diesel::insert_into(moderation::table).values(row).returning(moderation::id).get_result(&mut **tx)
}

pub fn find(conn: &mut AnyConn, id: i64) -> QueryResult<Option<ModerationRow>> {
    moderation::table.find(id).select(ModerationRow::as_select()).first(conn).optional()
}

/// Entries with smaller ids than `before`, newest first.
pub fn list_entries(conn: &mut AnyConn, before: i64, limit: i64) -> QueryResult<Vec<ModerationRow>> {
    let older = moderation::table.filter(moderation::id.lt(before)).order(moderation::id.desc()).limit(limit);
    older.select(ModerationRow::as_select()).load(conn)
}

/// The entries that are not undone, oldest first.
pub fn in_force(conn: &mut AnyConn) -> QueryResult<Vec<ModerationRow>> {
    let valid = moderation::table.filter(moderation::undone_at.is_null()).order(moderation::id);
    valid.select(ModerationRow::as_select()).load(conn)
}

/// The oldest entry that is not applied.
pub fn next_pending(conn: &mut AnyConn) -> QueryResult<Option<ModerationRow>> {
    let pending = moderation::table.filter(moderation::is_applied.eq(false)).order(moderation::id);
    pending.select(ModerationRow::as_select()).first(conn).optional()
}

/// Records that the reports up to `position` are processed. Returns whether the entry was still at `from`: another process may run it.
pub fn advance(tx: &mut Tx, id: i64, from: i64, position: i64, reports: i64) -> QueryResult<bool> {
    let pending =
        moderation::table.find(id).filter(moderation::is_applied.eq(false)).filter(moderation::position.eq(from));
    let changed = diesel::update(pending)
        .set((moderation::position.eq(position), moderation::done.eq(moderation::done + reports)))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

/// Records that an entry is applied.
pub fn set_applied(tx: &mut Tx, id: i64) -> QueryResult<()> {
    diesel::update(moderation::table.find(id)).set(moderation::is_applied.eq(true)).execute(&mut **tx)?;
    Ok(())
}

/// Undoes an entry: a job applies that to the reports up to `last_id`. Returns whether it was not undone before.
pub fn undo(tx: &mut Tx, id: i64, by: Option<i64>, at: i64, last_id: i64, total: i64) -> QueryResult<bool> {
    let valid = moderation::table.find(id).filter(moderation::undone_at.is_null());
    let changed = diesel::update(valid)
        .set((
            moderation::undone_at.eq(at),
            moderation::undone_by.eq(by),
            moderation::is_applied.eq(false),
            moderation::position.eq(0),
            moderation::last_id.eq(last_id),
            moderation::done.eq(0),
            moderation::total.eq(total),
        ))
        .execute(&mut **tx)?;
    Ok(changed == 1)
}

/// Which reports an entry concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportSelection {
    Target(Target),
    /// All that name a player.
    NamingPlayer(i64),
    /// All of patches after this one.
    NewerPatches(i64),
}

/// Further conditions on reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportBounds {
    /// Only reports with larger ids.
    pub after_id: i64,
    /// The largest id, inclusive.
    pub last_id: i64,
    /// Epoch milliseconds, inclusive.
    pub from: Option<i64>,
    /// Epoch milliseconds, exclusive.
    pub until: Option<i64>,
}

/// A selected report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, QueryableByName)]
pub struct SelectedReport {
    #[diesel(sql_type = BigInt)]
    pub id: i64,
    /// The id of its event.
    #[diesel(sql_type = BigInt)]
    pub event_id: i64,
}

/// The next selected reports by id.
pub fn select_reports(
    conn: &mut AnyConn,
    selection: ReportSelection,
    bounds: ReportBounds,
    limit: i64,
) -> QueryResult<Vec<SelectedReport>> {
    let Some(condition) = condition(conn, selection, bounds)? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT e.id, COALESCE(e.fight_of, e.id) AS event_id FROM events e WHERE {condition} ORDER BY e.id LIMIT {limit}"
    );
    diesel::sql_query(sql).load(conn)
}

/// The number of selected reports.
pub fn count_reports(conn: &mut AnyConn, selection: ReportSelection, bounds: ReportBounds) -> QueryResult<i64> {
    let Some(condition) = condition(conn, selection, bounds)? else { return Ok(0) };
    diesel::dsl::sql::<BigInt>(&format!("SELECT COUNT(*) FROM events e WHERE {condition}")).get_result(conn)
}

/// The condition as SQL; it contains numbers only. `None` if no report can match.
fn condition(conn: &mut AnyConn, selection: ReportSelection, bounds: ReportBounds) -> QueryResult<Option<String>> {
    let mut terms = vec![format!("e.id > {} AND e.id <= {}", bounds.after_id, bounds.last_id)];
    terms.extend(bounds.from.map(|from| format!("e.event_time >= {from}")));
    terms.extend(bounds.until.map(|until| format!("e.event_time < {until}")));
    match selection {
        ReportSelection::Target(Target::Key(id)) => {
            let Some((first, last)) = key_days::range(conn, &[id])? else { return Ok(None) };
            terms.push(format!("e.id BETWEEN {first} AND {last} AND e.ingest_key_id = {id}"));
        }
        ReportSelection::Target(Target::Account(account)) => {
            let keys = super::keys::of_account(conn, account)?;
            let Some((first, last)) = key_days::range(conn, &keys)? else { return Ok(None) };
            terms.push(format!("e.id BETWEEN {first} AND {last} AND e.account = {}", account.code()));
        }
        ReportSelection::Target(Target::Event(id)) => terms.push(format!("(e.id = {id} OR e.fight_of = {id})")),
        ReportSelection::Target(Target::OwnLog(id)) => terms.push(format!(
            "e.account <> 0 AND ((e.reported_sides = 1 AND e.killer_id = {id}) \
             OR (e.reported_sides = 2 AND e.victim_id = {id}) OR (e.reported_sides = 4 AND e.player_id = {id}))"
        )),
        ReportSelection::NamingPlayer(id) => {
            terms.push(format!("{id} IN (e.killer_id, e.victim_id, e.player_id)"));
        }
        ReportSelection::NewerPatches(version) => terms.push(format!("e.patch_version > {version}")),
    }
    Ok(Some(terms.join(" AND ")))
}

/// Stores in which roles of a report a merge replaced the player.
pub fn add_merged(tx: &mut Tx, moderation_id: i64, rows: &[(i64, Sides)]) -> QueryResult<()> {
    bulk!(merged_reports, rows, |(report_id, sides)| {
        moderation_id: moderation_id,
        report_id: *report_id,
        sides: sides.bits(),
    })
    .execute(tx)?;
    Ok(())
}

/// The reports that a merge changed, after `after_id`, with the roles.
pub fn list_merged(conn: &mut AnyConn, moderation_id: i64, after_id: i64, limit: i64) -> QueryResult<Vec<(i64, i16)>> {
    use merged_reports as m;
    let of_entry = m::table.filter(m::moderation_id.eq(moderation_id)).filter(m::report_id.gt(after_id));
    of_entry.order(m::report_id).limit(limit).select((m::report_id, m::sides)).load(conn)
}

/// The number of reports that a merge changed.
pub fn count_merged(conn: &mut AnyConn, moderation_id: i64) -> QueryResult<i64> {
    merged_reports::table.filter(merged_reports::moderation_id.eq(moderation_id)).count().get_result(conn)
}

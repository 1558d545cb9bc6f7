//! Patches: their totals, and which of them appear on the site.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::search_changes::PATCH;
use super::writer::Tx;

/// Kinds of rows in `patch_use`.
pub const VEHICLE: i16 = 1;
pub const WEAPON: i16 = 2;
pub const CONTRACT: i16 = 3;
/// Completed contracts by giver.
pub const GIVER: i16 = 4;
/// Arrivals by loading time in seconds.
pub const LOADING_TIME: i16 = 5;
/// Sums over all players, by the name of the figure.
pub const TOTAL: i16 = 6;

/// The totals of all players in the persistent universe over a patch.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = patches)]
pub struct PatchRow {
    pub version: i64,
    pub name: String,
    pub npc_kills: i64,
    pub player_kills: i64,
    pub vehicle_destructions: i64,
}

/// The current patch: the pinned one, or else the newest that is adopted.
pub fn newest(conn: &mut AnyConn) -> QueryResult<Option<PatchRow>> {
    patches::table
        .filter(patches::adopted_at.is_not_null().or(patches::pinned_at.is_not_null()))
        .order((patches::pinned_at.is_not_null().desc(), patches::version.desc()))
        .select(PatchRow::as_select())
        .first(conn)
        .optional()
}

/// The newest version that is adopted or pinned.
pub fn newest_version(conn: &mut AnyConn) -> QueryResult<Option<i64>> {
    let known = patches::table.filter(patches::adopted_at.is_not_null().or(patches::pinned_at.is_not_null()));
    known.select(diesel::dsl::max(patches::version)).first(conn)
}

/// Events whose patch is this one or older, and that wait for it nevertheless.
pub fn waiting_events(conn: &mut AnyConn, newest: i64, limit: i64) -> QueryResult<Vec<i64>> {
    let event_id = diesel::dsl::sql::<BigInt>("COALESCE(events.fight_of, events.id)");
    events::table
        .filter(diesel::dsl::sql::<Bool>("events.state = 1"))
        .filter(events::patch_version.le(newest))
        .limit(limit)
        .select(event_id)
        .load(conn)
}

/// Whether at least this many players spent time in the universe in a patch.
pub fn has_players(conn: &mut AnyConn, version: i64, least: i64) -> QueryResult<bool> {
    let players = player_patches::table
        .filter(player_patches::patch_version.eq(version))
        .filter(player_patches::universe_time.gt(0))
        .limit(least)
        .select(player_patches::player_id)
        .load::<i64>(conn)?;
    Ok(players.len() as i64 >= least)
}

/// Whether a visible player gained a score in a patch.
pub fn has_visible_score(conn: &mut AnyConn, patch: &PatchRow) -> QueryResult<bool> {
    // Spares a patch without kills the search through its players.
    if patch.npc_kills + patch.player_kills + patch.vehicle_destructions == 0 {
        return Ok(false);
    }
    use player_patches as p;
    let gained = (p::pu_player_kills + p::pve_kills + p::vehicle_destructions).gt(0);
    let scored = p::table.filter(p::patch_version.eq(patch.version)).filter(gained);
    let on_boards = scored.inner_join(player_scores::table.on(player_scores::player_id.eq(p::player_id)));
    let found = on_boards.filter(player_scores::is_hidden.eq(false)).select(p::player_id).first::<i64>(conn);
    Ok(found.optional()?.is_some())
}

/// The most used items of a kind in a patch: `(name, uses, completed)`.
pub fn most_used(conn: &mut AnyConn, version: i64, kind: i16, limit: i64) -> QueryResult<Vec<(String, i64, i64)>> {
    use patch_use as u;
    u::table
        .filter(u::patch_version.eq(version))
        .filter(u::kind.eq(kind))
        .filter(u::uses.gt(0))
        .order((u::uses.desc(), u::name.asc()))
        .limit(limit)
        .select((u::name, u::uses, u::completed))
        .load(conn)
}

/// The names of these patches, adopted or not.
pub fn names(conn: &mut AnyConn, versions: &[i64]) -> QueryResult<Vec<(i64, String)>> {
    patches::table.filter(patches::version.eq_any(versions)).select((patches::version, patches::name)).load(conn)
}

/// The names of the adopted ones of these patches.
pub fn adopted_names(conn: &mut AnyConn, versions: &[i64]) -> QueryResult<Vec<(i64, String)>> {
    let found = patches::table
        .filter(patches::version.eq_any(versions))
        .filter(patches::adopted_at.is_not_null().or(patches::pinned_at.is_not_null()));
    found.select((patches::version, patches::name)).load(conn)
}

/// A patch with the times of its adoption, in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = patches)]
pub struct AdoptionRow {
    pub version: i64,
    pub name: String,
    pub adopted_at: Option<i64>,
    pub pinned_at: Option<i64>,
}

/// All patches of events, newest first.
pub fn list(conn: &mut AnyConn) -> QueryResult<Vec<AdoptionRow>> {
    patches::table.order(patches::version.desc()).select(AdoptionRow::as_select()).load(conn)
}

/// Adopts a patch that is not adopted.
pub fn adopt(tx: &mut Tx, version: i64, at: i64) -> QueryResult<()> {
    diesel::update(patches::table.find(version).filter(patches::adopted_at.is_null()))
        .set(patches::adopted_at.eq(at))
        .execute(&mut **tx)?;
    Ok(())
}

/// Pins a patch, which is added if no event has it, and unpins the others.
pub fn pin(tx: &mut Tx, version: i64, name: &str, at: i64) -> QueryResult<()> {
    unpin(tx)?;
    bulk!(patches, [(version, name)], |(version, name)| { version: version, name: name, pinned_at: Some(at) })
        .on_conflict("patches", &["version"], &[("pinned_at", Merge::Replace)])
        .execute(tx)?;
    note_change(tx, version)
}

/// Removes the pin.
pub fn unpin(tx: &mut Tx) -> QueryResult<()> {
    let unpinned: Vec<i64> = diesel::update(patches::table.filter(patches::pinned_at.is_not_null()))
        .set(patches::pinned_at.eq(None::<i64>))
        .returning(patches::version)
        .get_results(&mut **tx)?;
    unpinned.iter().try_for_each(|version| note_change(tx, *version))
}

/// Lets running servers know that the current patch may have changed.
fn note_change(tx: &mut Tx, version: i64) -> QueryResult<()> {
    diesel::insert_into(search_changes::table)
        .values((search_changes::kind.eq(PATCH), search_changes::entity_id.eq(version)))
        .execute(&mut **tx)?;
    Ok(())
}

/// Records that a user has reported a login on a patch.
pub fn add_report(tx: &mut Tx, version: i64, user_id: i64, at: i64) -> QueryResult<()> {
    bulk!(patch_reports, [(version, user_id)], |(version, user)| { version: version, user_id: user, reported_at: at })
        .on_conflict("patch_reports", &["version", "user_id"], &[("reported_at", Merge::Max)])
        .execute(tx)?;
    Ok(())
}

/// The number of users who reported logins on a patch since a time.
pub fn count_reports(conn: &mut AnyConn, version: i64, since: i64) -> QueryResult<usize> {
    use patch_reports as r;
    let recent = r::table.filter(r::version.eq(version)).filter(r::reported_at.ge(since));
    Ok(recent.select(r::user_id).load::<i64>(conn)?.len())
}

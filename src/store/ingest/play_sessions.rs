//! Play sessions, and the activity of a player.

use diesel::prelude::*;

use crate::domain::play_sessions::{PlaySession, SessionKind};
use crate::domain::times::EpochMillis;
use crate::domain::trust::ReportState;
use crate::store::Tx;
use crate::store::conn::{AnyConn, Merge, bulk};
use crate::store::schema::*;

/// A play session; times in epoch milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = play_sessions)]
pub struct PlaySessionRow {
    pub player_id: i64,
    pub kind: i16,
    pub login_at: i64,
    pub logout_at: Option<i64>,
    pub last_seen_at: i64,
    pub patch_version: Option<i64>,
}

impl PlaySessionRow {
    pub fn new(player_id: i64, session: &PlaySession, patch_version: Option<i64>) -> Self {
        Self {
            player_id,
            kind: session.kind.code(),
            login_at: session.login_at.0,
            logout_at: session.logout_at.map(|at| at.0),
            last_seen_at: session.last_seen_at.0,
            patch_version,
        }
    }

    pub fn session(&self, kind: SessionKind) -> PlaySession {
        PlaySession {
            kind,
            login_at: EpochMillis(self.login_at),
            logout_at: self.logout_at.map(EpochMillis),
            last_seen_at: EpochMillis(self.last_seen_at),
        }
    }
}

/// The latest session that began at or before `at`.
pub fn session_at(
    conn: &mut AnyConn,
    kind: SessionKind,
    player_id: i64,
    at: i64,
) -> QueryResult<Option<PlaySessionRow>> {
    play_sessions::table
        .filter(play_sessions::player_id.eq(player_id))
        .filter(play_sessions::kind.eq(kind.code()))
        .filter(play_sessions::login_at.le(at))
        .order(play_sessions::login_at.desc())
        .select(PlaySessionRow::as_select())
        .first(conn)
        .optional()
}

/// Sessions that began in `[from, until)`, oldest first.
pub fn sessions_between(
    conn: &mut AnyConn,
    kind: SessionKind,
    player_id: i64,
    from: i64,
    until: i64,
) -> QueryResult<Vec<PlaySessionRow>> {
    play_sessions::table
        .filter(play_sessions::player_id.eq(player_id))
        .filter(play_sessions::kind.eq(kind.code()))
        .filter(play_sessions::login_at.ge(from))
        .filter(play_sessions::login_at.lt(until))
        .order(play_sessions::login_at)
        .select(PlaySessionRow::as_select())
        .load(conn)
}

/// When the first session after `after` began.
pub fn next_login(conn: &mut AnyConn, kind: SessionKind, player_id: i64, after: i64) -> QueryResult<Option<i64>> {
    play_sessions::table
        .filter(play_sessions::player_id.eq(player_id))
        .filter(play_sessions::kind.eq(kind.code()))
        .filter(play_sessions::login_at.gt(after))
        .select(diesel::dsl::min(play_sessions::login_at))
        .first(conn)
}

/// Beginnings and ends of sessions of a player in `[from, until)` that count: `(time, category, patch)`.
pub fn activity_between(
    conn: &mut AnyConn,
    player_id: i64,
    kind: SessionKind,
    from: i64,
    until: i64,
) -> QueryResult<Vec<(i64, i16, Option<i64>)>> {
    event_players::table
        .inner_join(events::table.on(events::id.eq(event_players::event_id)))
        .filter(event_players::player_id.eq(player_id))
        .filter(event_players::event_time.ge(from))
        .filter(event_players::event_time.lt(until))
        .filter(event_players::category.eq_any(kind.categories()))
        .filter(events::game_mode.ne_all(kind.foreign_modes()))
        .filter(events::state.eq(ReportState::COUNTED.code()))
        .order((event_players::event_time, event_players::event_id))
        .select((event_players::event_time, event_players::category, events::patch_version))
        .load(conn)
}

/// The time of the last event of a player in `[from, until)` that counts.
pub fn last_activity(conn: &mut AnyConn, player_id: i64, from: i64, until: i64) -> QueryResult<Option<i64>> {
    event_players::table
        .inner_join(events::table.on(events::id.eq(event_players::event_id)))
        .filter(event_players::player_id.eq(player_id))
        .filter(event_players::event_time.ge(from))
        .filter(event_players::event_time.lt(until))
        .filter(events::state.eq(ReportState::COUNTED.code()))
        .order(event_players::event_time.desc())
        .select(event_players::event_time)
        .first(conn)
        .optional()
}

pub fn upsert_sessions(tx: &mut Tx, rows: &[PlaySessionRow]) -> QueryResult<()> {
    bulk!(play_sessions, rows, |s| {
        player_id: s.player_id,
        kind: s.kind,
        login_at: s.login_at,
        logout_at: s.logout_at,
        last_seen_at: s.last_seen_at,
        patch_version: s.patch_version,
    })
    .on_conflict(
        "play_sessions",
        &["player_id", "kind", "login_at"],
        &[("logout_at", Merge::Replace), ("last_seen_at", Merge::Replace), ("patch_version", Merge::Replace)],
    )
    .execute(tx)?;
    Ok(())
}

pub fn remove_session(tx: &mut Tx, kind: SessionKind, player_id: i64, login_at: i64) -> QueryResult<()> {
    diesel::delete(play_sessions::table.find((player_id, kind.code(), login_at))).execute(&mut **tx)?;
    Ok(())
}

//! The events of a player's career.

use diesel::prelude::*;

use super::conn::AnyConn;
use super::ingest::ShipRow;
use super::schema::*;
use crate::domain::events::Identifier;
use crate::domain::play_sessions::SessionKind;
use crate::domain::trust::ReportState;

/// What a career page needs of an event; times in epoch milliseconds.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = events)]
pub struct CareerEvent {
    pub identifier: i16,
    pub event_time: i64,
    pub game_mode: i16,
    pub victim_id: Option<i64>,
    pub vehicle_name: Option<String>,
    pub text: Option<String>,
    pub issuer: Option<String>,
    pub contract_kind: Option<String>,
    pub outcome: Option<String>,
    pub seconds: Option<i64>,
}

/// The events of a player with these identifiers that count, oldest first.
pub fn events_of(conn: &mut AnyConn, player_id: i64, identifiers: &[Identifier]) -> QueryResult<Vec<CareerEvent>> {
    let codes: Vec<i16> = identifiers.iter().map(|identifier| identifier.code()).collect();
    event_players::table
        .inner_join(events::table.on(events::id.eq(event_players::event_id)))
        .filter(event_players::player_id.eq(player_id))
        .filter(events::identifier.eq_any(codes))
        .filter(events::state.eq(ReportState::COUNTED.code()))
        .order((event_players::event_time, event_players::event_id))
        .select(CareerEvent::as_select())
        .load(conn)
}

/// The stays of a player in the universe that have ended, oldest first: `(arrival, departure)`.
pub fn stays(conn: &mut AnyConn, player_id: i64) -> QueryResult<Vec<(i64, i64)>> {
    play_sessions::table
        .filter(play_sessions::player_id.eq(player_id))
        .filter(play_sessions::kind.eq(SessionKind::Universe.code()))
        .filter(play_sessions::logout_at.is_not_null())
        .order(play_sessions::login_at)
        .select((play_sessions::login_at, play_sessions::last_seen_at))
        .load(conn)
}

/// The ships of a player.
pub fn ships(conn: &mut AnyConn, player_id: i64) -> QueryResult<Vec<ShipRow>> {
    ships_flown::table.filter(ships_flown::player_id.eq(player_id)).select(ShipRow::as_select()).load(conn)
}

//! Reports of events, and the players for whom they stand.

use std::collections::BTreeMap;

use diesel::backend::Backend;
use diesel::deserialize::{self, FromStaticSqlRow, Queryable};
use diesel::dsl::SqlTypeOf;
use diesel::expression::{AsExpression, SqlLiteral};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use gamelog::catalogue::vehicle_key;

use crate::domain::counters::Side;
use crate::domain::events::{EventDetails, GameMode, Identifier, OPT_IN, OptIn, mode_code};
use crate::domain::times::DAY_MS;
use crate::domain::trust::{Account, ReportState, Sides};
use crate::store::conn::{AnyConn, bulk};
use crate::store::schema::*;
use crate::store::scores::ColumnGroup;
use crate::store::{CHUNK, Tx, activity, in_chunks};

/// The lowest state of a report that is removed or blocked.
pub const FIRST_REMOVED_STATE: i16 = 4;
/// How old an event can be to be news.
const NEWS_MS: i64 = 2 * DAY_MS;

/// A report of an event. Codes are those of `domain::events`.
#[derive(Debug, Clone, Default, PartialEq, Queryable, Selectable)]
#[diesel(table_name = events)]
pub struct EventRow {
    pub id: i64,
    pub identity: Vec<u8>,
    /// The code of the [`Account`].
    pub account: i64,
    pub fight: Option<i64>,
    /// The first report of the same event, if this is another one.
    pub fight_of: Option<i64>,
    pub identifier: i16,
    pub category: i16,
    pub event_time: i64,
    pub game_mode: i16,
    pub patch_version: Option<i64>,
    pub killer_id: Option<i64>,
    pub victim_id: Option<i64>,
    pub player_id: Option<i64>,
    pub killer_npc: Option<String>,
    pub victim_npc: Option<String>,
    pub player_npc: Option<String>,
    #[diesel(select_expression = DETAIL_COLUMNS, select_expression_type = DetailColumns, deserialize_as = StoredDetails)]
    pub details: EventDetails,
    pub ingest_key_id: Option<i64>,
    /// The log that the report comes from, if its sender named one.
    pub log_id: Option<i64>,
    /// When the report arrived, in epoch milliseconds; `None` if unknown.
    pub received_at: Option<i64>,
    /// The bits of the [`Sides`] for which the log speaks.
    pub reported_sides: i16,
    /// The bits of the [`Sides`] for which the report stands.
    pub sides: i16,
    /// The code of a [`ReportState`].
    pub state: i16,
}

/// [`EventDetails`], which another crate defines, as they are read.
pub struct StoredDetails(EventDetails);

impl From<StoredDetails> for EventDetails {
    fn from(stored: StoredDetails) -> Self {
        stored.0
    }
}

/// Reads and inserts [`EventDetails`] as columns of `events`.
macro_rules! detail_columns {
    ($($field:ident: $value:ty),+ $(,)?) => {
        type DetailColumns = ($(events::$field,)+);
        const DETAIL_COLUMNS: DetailColumns = ($(events::$field,)+);

        impl<DB: Backend> Queryable<SqlTypeOf<DetailColumns>, DB> for StoredDetails
        where
            ($($value,)+): FromStaticSqlRow<SqlTypeOf<DetailColumns>, DB>,
        {
            type Row = ($($value,)+);

            fn build(($($field,)+): Self::Row) -> deserialize::Result<Self> {
                Ok(Self(EventDetails { $($field),+ }))
            }
        }

        impl ColumnGroup for EventDetails {
            type Values = ($(<$value as AsExpression<SqlTypeOf<events::$field>>>::Expression,)+);

            fn columns() -> Vec<&'static str> {
                vec![$(stringify!($field)),+]
            }

            fn values(self) -> Self::Values {
                ($(AsExpression::<SqlTypeOf<events::$field>>::as_expression(self.$field),)+)
            }
        }
    };
}
detail_columns! {
    event_id: Option<String>,
    sub_game_mode: Option<String>,
    weapon: Option<String>,
    vehicle_name: Option<String>,
    damage_type: Option<String>,
    zone: Option<String>,
    contract_id: Option<String>,
    contract_name: Option<String>,
    text: Option<String>,
    mission_id: Option<String>,
    issuer: Option<String>,
    contract_kind: Option<String>,
    outcome: Option<String>,
    seconds: Option<i64>,
    amount: Option<i64>,
}

impl EventRow {
    /// Whether the report is stored only while the owner of the player shares such events. Nothing public is derived from it, and it is in
    /// no feed.
    pub fn is_opt_in(&self) -> bool {
        self.category == OPT_IN
    }

    /// Whether the event was recent when it arrived: live streams, chats and other sites are not told of old ones.
    pub fn is_news(&self) -> bool {
        self.received_at.is_some_and(|received_at| self.event_time >= received_at - NEWS_MS)
    }

    /// The id of the event outside: that of its first report.
    pub fn event_id(&self) -> i64 {
        self.fight_of.unwrap_or(self.id)
    }

    pub fn account(&self) -> Account {
        Account::from_code(self.account)
    }

    pub fn state(&self) -> ReportState {
        ReportState::from_code(self.state)
    }

    /// The sides for which the log speaks.
    pub fn reported_sides(&self) -> Sides {
        Sides::from_bits(self.reported_sides)
    }

    /// The sides for which the report stands.
    pub fn sides(&self) -> Sides {
        Sides::from_bits(self.sides)
    }

    /// The sides for which figures contain the report.
    pub fn counted_sides(&self) -> Sides {
        if self.state().is_counted() { self.sides() } else { Sides::NONE }
    }

    /// The report as one of several of its event, with the sides for which the log speaks.
    pub fn report(&self) -> (Sides, ReportState) {
        (self.reported_sides(), self.state())
    }

    /// The name of the blueprint that was received.
    pub fn blueprint(&self) -> Option<&str> {
        let is_blueprint = self.identifier == Identifier::BlueprintReceived.code();
        self.details.text.as_deref().filter(|_| is_blueprint)
    }

    /// The player and the ship, if the report counts as a use of it.
    pub fn flight(&self) -> Option<(i64, &str)> {
        let is_seat = [Identifier::SeatEntered.code(), Identifier::SeatExited.code()].contains(&self.identifier);
        let is_counted = self.game_mode == mode_code(Some(GameMode::Pu)) && self.counted_sides().contains(Side::Player);
        let ship = self.details.vehicle_name.as_deref().filter(|_| is_seat && is_counted);
        Some((self.player_id?, vehicle_key(ship?)))
    }

    /// The player on a side.
    pub fn player_on(&self, side: Side) -> Option<i64> {
        match side {
            Side::Killer => self.killer_id,
            Side::Victim => self.victim_id,
            Side::Player => self.player_id,
        }
    }

    /// The distinct players on these sides.
    pub fn players_on(&self, sides: Sides) -> Vec<i64> {
        let on = [Side::Killer, Side::Victim, Side::Player].into_iter().filter(|side| sides.contains(*side));
        let mut ids: Vec<i64> = on.filter_map(|side| self.player_on(side)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The player whose log this is; `None` for a report of an operator.
    pub fn own_player(&self) -> Option<i64> {
        if self.account().is_operator() { None } else { self.players_on(self.reported_sides()).first().copied() }
    }

    /// Ids of the players in the event; a player in two roles occurs twice.
    pub fn player_ids(&self) -> impl Iterator<Item = i64> {
        [self.killer_id, self.victim_id, self.player_id].into_iter().flatten()
    }
}

/// A stored report that a new one may repeat or belong to.
#[derive(Debug, Clone, Queryable, Selectable)]
#[diesel(table_name = events)]
pub struct KnownReport {
    pub id: i64,
    pub fight_of: Option<i64>,
    pub identity: Vec<u8>,
    pub fight: Option<i64>,
    pub event_time: i64,
    /// The code of the [`Account`].
    pub account: i64,
    pub ingest_key_id: Option<i64>,
}

impl KnownReport {
    pub fn event_id(&self) -> i64 {
        self.fight_of.unwrap_or(self.id)
    }
}

/// The stored reports with one of these identities, of all accounts.
pub fn known_identities(conn: &mut AnyConn, identities: &[Vec<u8>]) -> QueryResult<Vec<KnownReport>> {
    in_chunks(identities, |identities| {
        events::table.filter(events::identity.eq_any(identities)).select(KnownReport::as_select()).load(conn)
    })
}

/// Stored reports with one of these fight keys between two times (milliseconds, inclusive).
pub fn known_fights(conn: &mut AnyConn, fights: &[i64], from: i64, to: i64) -> QueryResult<Vec<KnownReport>> {
    in_chunks(fights, |fights| {
        let of_fights = events::table.filter(events::fight.eq_any(fights.iter().copied().map(Some)));
        let near = of_fights.filter(events::event_time.between(from, to));
        near.order(events::id).select(KnownReport::as_select()).load(conn)
    })
}

/// The reports of an account about a player between two times (milliseconds, inclusive), without removed ones.
pub fn reports_between(
    conn: &mut AnyConn,
    account: Account,
    player_id: i64,
    from: i64,
    to: i64,
) -> QueryResult<Vec<EventRow>> {
    use event_players as ep;
    let near = ep::table
        .inner_join(events::table.on(events::id.eq(ep::event_id)))
        .filter(ep::player_id.eq(player_id))
        .filter(ep::event_time.between(from, to))
        .filter(events::account.eq(account.code()))
        .filter(events::state.lt(FIRST_REMOVED_STATE));
    near.select(EventRow::as_select()).load(conn)
}

/// All reports of these events, in the order of their arrival. They are locked until the end of the transaction (PostgreSQL; SQLite has
/// one writer).
pub fn lock_reports(tx: &mut Tx, event_ids: &[i64]) -> QueryResult<Vec<EventRow>> {
    if let AnyConn::Postgres(conn) = &mut **tx {
        // The first report of an event stands for all of them.
        in_chunks(event_ids, |ids| {
            let first = events::table.filter(events::id.eq_any(ids)).order(events::id).select(events::id);
            first.for_no_key_update().load::<i64>(conn)
        })?;
    }
    reports_of(tx, event_ids)
}

/// All reports of these events, in the order of their arrival.
pub fn reports_of(conn: &mut AnyConn, event_ids: &[i64]) -> QueryResult<Vec<EventRow>> {
    let mut rows = activity::find_many(conn, event_ids)?;
    rows.extend(others_of(conn, event_ids)?);
    rows.sort_by_key(|row| row.id);
    Ok(rows)
}

/// The reports of these events beyond the first.
pub fn others_of(conn: &mut AnyConn, event_ids: &[i64]) -> QueryResult<Vec<EventRow>> {
    in_chunks(event_ids, |ids| {
        let others = events::table.filter(events::fight_of.eq_any(ids.iter().copied().map(Some)));
        others.order(events::id).select(EventRow::as_select()).load(conn)
    })
}

/// Stores states, sides and players of reports that exist, given before and after.
pub fn update_reports(tx: &mut Tx, revisions: &[(EventRow, EventRow)]) -> QueryResult<()> {
    let mut ids: BTreeMap<(i16, i16), Vec<i64>> = BTreeMap::new();
    for (before, after) in revisions {
        ids.entry((after.state, after.sides)).or_default().push(after.id);
        if before.player_ids().ne(after.player_ids()) {
            update_players(tx, after)?;
        }
    }
    for ((state, sides), ids) in ids {
        for chunk in ids.chunks(CHUNK) {
            diesel::update(events::table.filter(events::id.eq_any(chunk)))
                .set((events::state.eq(state), events::sides.eq(sides)))
                .execute(&mut **tx)?;
        }
    }
    Ok(())
}

fn update_players(tx: &mut Tx, row: &EventRow) -> QueryResult<()> {
    diesel::update(events::table.find(row.id))
        .set((
            events::killer_id.eq(row.killer_id),
            events::victim_id.eq(row.victim_id),
            events::player_id.eq(row.player_id),
        ))
        .execute(&mut **tx)?;
    Ok(())
}

pub fn event_by_id(conn: &mut AnyConn, id: i64) -> QueryResult<Option<EventRow>> {
    events::table.find(id).select(EventRow::as_select()).first(conn).optional()
}

/// Reserves the next `count` event ids and returns the last one. From here on, other transactions that reserve ids wait.
pub fn reserve_ids(tx: &mut Tx, count: i64) -> QueryResult<i64> {
    diesel::update(event_clock::table.find(1i16))
        .set((event_clock::last_id.eq(event_clock::last_id + count), event_clock::message_count.eq(0i64)))
        .returning(event_clock::last_id)
        .get_result(&mut **tx)
}

/// The id of the newest committed event; 0 if there is none.
pub fn last_id(conn: &mut AnyConn) -> QueryResult<i64> {
    event_clock::table.find(1i16).select(event_clock::last_id).first(conn)
}

/// Stored reports between two ids, inclusive, by id.
pub fn events_between(conn: &mut AnyConn, first: i64, last: i64) -> QueryResult<Vec<EventRow>> {
    events::table.filter(events::id.between(first, last)).order(events::id).select(EventRow::as_select()).load(conn)
}

/// Inserts reports that are not stored; returns how many. One that another process has stored meanwhile is left out.
pub fn insert_events(tx: &mut Tx, rows: Vec<EventRow>) -> QueryResult<usize> {
    bulk!(events, rows, |e| {
        id: e.id,
        identity: e.identity,
        account: e.account,
        fight: e.fight,
        fight_of: e.fight_of,
        identifier: e.identifier,
        category: e.category,
        event_time: e.event_time,
        game_mode: e.game_mode,
        patch_version: e.patch_version,
        killer_id: e.killer_id,
        victim_id: e.victim_id,
        player_id: e.player_id,
        killer_npc: e.killer_npc,
        victim_npc: e.victim_npc,
        player_npc: e.player_npc,
        ingest_key_id: e.ingest_key_id,
        log_id: e.log_id,
        received_at: e.received_at,
        reported_sides: e.reported_sides,
        sides: e.sides,
        state: e.state,
        ..EventDetails: e.details,
    })
    .on_conflict("events", &["identity", "account"], &[])
    .execute(tx)
}

/// A literal, because only then do the databases use the partial index.
fn is_opt_in() -> SqlLiteral<Bool> {
    diesel::dsl::sql(&format!("events.category = {OPT_IN}"))
}

/// The reports of a player of the kinds that the owner can share, oldest first.
pub fn opt_in_reports(conn: &mut AnyConn, player_id: i64) -> QueryResult<Vec<EventRow>> {
    let of_player = events::table.filter(events::player_id.eq(player_id)).filter(is_opt_in());
    of_player.order((events::event_time, events::id)).select(EventRow::as_select()).load(conn)
}

/// Deletes all reports of a player of a kind that the owner shares no longer. They arrive as new ones if it is shared again.
pub fn delete_opt_in(tx: &mut Tx, player_id: i64, kind: OptIn) -> QueryResult<()> {
    let of_player = events::table.filter(events::player_id.eq(player_id)).filter(is_opt_in());
    diesel::delete(of_player.filter(events::identifier.eq(kind.identifier().code()))).execute(&mut **tx)?;
    Ok(())
}

/// An entry of a player's feed.
#[derive(Debug, Clone, Copy)]
pub struct EventPlayer {
    pub player_id: i64,
    pub event_time: i64,
    pub event_id: i64,
    pub category: i16,
    pub guild_id: Option<i64>,
}

pub fn insert_event_players(tx: &mut Tx, rows: &[EventPlayer]) -> QueryResult<()> {
    bulk!(event_players, rows, |e| {
        player_id: e.player_id,
        event_time: e.event_time,
        event_id: e.event_id,
        category: e.category,
        guild_id: e.guild_id,
    })
    .execute(tx)?;
    Ok(())
}

/// Deletes entries of players' feeds: `(player, time, report)`.
pub fn remove_event_players(tx: &mut Tx, entries: &[(i64, i64, i64)]) -> QueryResult<()> {
    for chunk in entries.chunks(CHUNK) {
        // Numbers only.
        let keys: Vec<String> = chunk.iter().map(|(player, time, id)| format!("({player}, {time}, {id})")).collect();
        let keys = keys.join(", ");
        let sql = format!("DELETE FROM event_players WHERE (player_id, event_time, event_id) IN (VALUES {keys})");
        diesel::sql_query(sql).execute(&mut **tx)?;
    }
    Ok(())
}

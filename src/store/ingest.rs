//! Events going in: what is known already, the rows of new ones, and the figures derived from them.

use diesel::prelude::*;

use super::conn::{AnyConn, Merge, bulk};
use super::schema::*;
use super::writer::Tx;

/// How many rows one statement writes; keeps the widest table under SQLite's 32,766 values.
const CHUNK: usize = 1_000;

/// An event as it lies in the database. Codes are those of `domain::events`.
#[derive(Debug, Clone, PartialEq, Queryable, Selectable)]
#[diesel(table_name = events)]
pub struct EventRow {
    pub id: i64,
    pub identity: Vec<u8>,
    pub fight: Option<i64>,
    pub identifier: i16,
    pub category: i16,
    pub event_time: i64,
    pub event_id: Option<String>,
    pub game_mode: i16,
    pub sub_game_mode: Option<String>,
    pub patch_version: Option<i64>,
    pub killer_id: Option<i64>,
    pub victim_id: Option<i64>,
    pub player_id: Option<i64>,
    pub killer_npc: Option<String>,
    pub victim_npc: Option<String>,
    pub player_npc: Option<String>,
    pub weapon: Option<String>,
    pub vehicle_name: Option<String>,
    pub damage_type: Option<String>,
    pub zone: Option<String>,
    pub contract_id: Option<String>,
    pub contract_name: Option<String>,
    pub text: Option<String>,
    pub ingest_key_id: Option<i64>,
    pub witnesses: i32,
}

/// Where an event that was sent before lies.
#[derive(Debug, Clone, Queryable)]
pub struct KnownIdentity {
    pub identity: Vec<u8>,
    pub event_id: i64,
    pub ingest_key_id: Option<i64>,
}

/// Of these identities, those that were stored before, by whichever reader.
pub fn known_identities(conn: &mut AnyConn, identities: &[Vec<u8>]) -> QueryResult<Vec<KnownIdentity>> {
    let mut known = Vec::new();
    for chunk in identities.chunks(CHUNK) {
        known.extend(
            events::table
                .filter(events::identity.eq_any(chunk))
                .select((events::identity, events::id, events::ingest_key_id))
                .load::<KnownIdentity>(conn)?,
        );
        known.extend(
            event_witnesses::table
                .filter(event_witnesses::identity.eq_any(chunk))
                .select((
                    event_witnesses::identity,
                    event_witnesses::event_id,
                    event_witnesses::ingest_key_id.nullable(),
                ))
                .load::<KnownIdentity>(conn)?,
        );
    }
    Ok(known)
}

/// A stored fight that a new telling may belong to.
#[derive(Debug, Clone, Queryable)]
pub struct KnownFight {
    pub event_id: i64,
    pub fight: Option<i64>,
    pub event_time: i64,
    pub ingest_key_id: Option<i64>,
}

/// Stored events with one of these fight keys between two times (milliseconds, both included).
pub fn known_fights(conn: &mut AnyConn, fights: &[i64], from: i64, to: i64) -> QueryResult<Vec<KnownFight>> {
    let mut known = Vec::new();
    for chunk in fights.chunks(CHUNK) {
        known.extend(
            events::table
                .filter(events::fight.eq_any(chunk.iter().copied().map(Some)))
                .filter(events::event_time.between(from, to))
                .order(events::id)
                .select((events::id, events::fight, events::event_time, events::ingest_key_id))
                .load::<KnownFight>(conn)?,
        );
    }
    Ok(known)
}

/// The further readers of these events: `(event, key)`.
pub fn witnesses_of(conn: &mut AnyConn, event_ids: &[i64]) -> QueryResult<Vec<(i64, i64)>> {
    event_witnesses::table
        .filter(event_witnesses::event_id.eq_any(event_ids))
        .select((event_witnesses::event_id, event_witnesses::ingest_key_id))
        .load(conn)
}

/// Notes a further reader of an event.
pub fn add_witness(tx: &mut Tx, event_id: i64, key_id: i64, identity: &[u8], event_time: i64) -> QueryResult<()> {
    let row = bulk!(event_witnesses, [(event_id, key_id, identity.to_vec(), event_time)], |(event, key, identity, at)| {
        event_id: event,
        ingest_key_id: key,
        identity: identity,
        event_time: at,
    });
    let added = row.on_conflict("event_witnesses", &["event_id", "ingest_key_id"], &[]).execute(tx)?;
    if added > 0 {
        diesel::update(events::table.find(event_id))
            .set(events::witnesses.eq(events::witnesses + 1))
            .execute(&mut **tx)?;
    }
    Ok(())
}

pub fn event_by_id(conn: &mut AnyConn, id: i64) -> QueryResult<Option<EventRow>> {
    events::table.find(id).select(EventRow::as_select()).first(conn).optional()
}

/// Takes the next `count` event ids; gives the last one. Other transactions wait for this one from here on.
pub fn take_ids(tx: &mut Tx, count: i64) -> QueryResult<i64> {
    diesel::update(event_clock::table.find(1i16))
        .set(event_clock::last_id.eq(event_clock::last_id + count))
        .returning(event_clock::last_id)
        .get_result(&mut **tx)
}

/// The id of the newest committed event; 0 when there is none.
pub fn last_id(conn: &mut AnyConn) -> QueryResult<i64> {
    event_clock::table.find(1i16).select(event_clock::last_id).first(conn)
}

pub fn insert_events(tx: &mut Tx, rows: Vec<EventRow>) -> QueryResult<()> {
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        bulk!(events, rows.by_ref().take(CHUNK), |e| {
            id: e.id,
            identity: e.identity,
            fight: e.fight,
            identifier: e.identifier,
            category: e.category,
            event_time: e.event_time,
            event_id: e.event_id,
            game_mode: e.game_mode,
            sub_game_mode: e.sub_game_mode,
            patch_version: e.patch_version,
            killer_id: e.killer_id,
            victim_id: e.victim_id,
            player_id: e.player_id,
            killer_npc: e.killer_npc,
            victim_npc: e.victim_npc,
            player_npc: e.player_npc,
            weapon: e.weapon,
            vehicle_name: e.vehicle_name,
            damage_type: e.damage_type,
            zone: e.zone,
            contract_id: e.contract_id,
            contract_name: e.contract_name,
            text: e.text,
            ingest_key_id: e.ingest_key_id,
            witnesses: e.witnesses,
        })
        .execute(tx)?;
    }
    Ok(())
}

/// Writes an event anew under its id, after a second reader told more of it.
pub fn replace_event(tx: &mut Tx, row: EventRow) -> QueryResult<()> {
    diesel::delete(events::table.find(row.id)).execute(&mut **tx)?;
    diesel::delete(
        event_players::table.filter(event_players::event_id.eq(row.id)).filter(
            event_players::player_id.eq_any([row.killer_id, row.victim_id, row.player_id].into_iter().flatten()),
        ),
    )
    .execute(&mut **tx)?;
    insert_events(tx, vec![row])
}

/// One player's place in the feeds.
#[derive(Debug, Clone, Copy)]
pub struct EventPlayer {
    pub player_id: i64,
    pub event_time: i64,
    pub event_id: i64,
    pub category: i16,
    pub guild_id: Option<i64>,
}

pub fn insert_event_players(tx: &mut Tx, rows: &[EventPlayer]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(event_players, chunk, |e| {
            player_id: e.player_id,
            event_time: e.event_time,
            event_id: e.event_id,
            category: e.category,
            guild_id: e.guild_id,
        })
        .execute(tx)?;
    }
    Ok(())
}

/// Takes an event out of one player's feed at the time it was filed under.
pub fn remove_event_player(tx: &mut Tx, player_id: i64, event_time: i64, event_id: i64) -> QueryResult<usize> {
    diesel::delete(event_players::table.find((player_id, event_time, event_id))).execute(&mut **tx)
}

/// What is added to the board figures of a player.
#[derive(Debug, Clone)]
pub struct ScoreChange {
    pub player_id: i64,
    pub handle_folded: String,
    pub is_hidden: bool,
    pub overall: i64,
    pub pu_player_kills: i64,
    pub pve_kills: i64,
    pub vehicle_destructions: i64,
    pub missions_completed: i64,
    pub playtime: i64,
    pub unknown_deaths: i64,
    /// Only ever moves forward.
    pub last_active_at: i64,
}

/// The board figures of a player as they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = player_scores)]
pub struct ScoreRow {
    pub player_id: i64,
    pub is_hidden: bool,
    pub overall: i64,
    pub pu_player_kills: i64,
    pub pve_kills: i64,
    pub vehicle_destructions: i64,
    pub missions_completed: i64,
    pub playtime: i64,
    pub unknown_deaths: i64,
    pub last_active_at: i64,
}

/// Adds to board figures and gives them back as they are now.
pub fn add_scores(tx: &mut Tx, changes: Vec<ScoreChange>) -> QueryResult<Vec<ScoreRow>> {
    use player_scores as s;
    let mut now = Vec::with_capacity(changes.len());
    for chunk in changes.chunks(CHUNK) {
        let rows = bulk!(player_scores, chunk, |c| {
            player_id: c.player_id,
            handle_folded: c.handle_folded.as_str(),
            is_hidden: c.is_hidden,
            overall: c.overall,
            pu_player_kills: c.pu_player_kills,
            pve_kills: c.pve_kills,
            vehicle_destructions: c.vehicle_destructions,
            missions_completed: c.missions_completed,
            playtime: c.playtime,
            unknown_deaths: c.unknown_deaths,
            last_active_at: c.last_active_at,
        });
        now.extend(
            rows.on_conflict(
                "player_scores",
                &["player_id"],
                &[
                    ("overall", Merge::Add),
                    ("pu_player_kills", Merge::Add),
                    ("pve_kills", Merge::Add),
                    ("vehicle_destructions", Merge::Add),
                    ("missions_completed", Merge::Add),
                    ("playtime", Merge::Add),
                    ("unknown_deaths", Merge::Add),
                    ("last_active_at", Merge::Max),
                ],
            )
            .returning((
                s::player_id,
                s::is_hidden,
                s::overall,
                s::pu_player_kills,
                s::pve_kills,
                s::vehicle_destructions,
                s::missions_completed,
                s::playtime,
                s::unknown_deaths,
                s::last_active_at,
            ))
            .get_results::<ScoreRow>(tx)?,
        );
    }
    Ok(now)
}

/// The ten figures, in the order of the columns.
pub type TenCounters = [i64; 10];

/// Adds to the figures of players by game mode.
pub fn add_counters(tx: &mut Tx, rows: &[(i64, i16, TenCounters)]) -> QueryResult<()> {
    const COLUMNS: [&str; 10] = [
        "player_kills",
        "player_deaths",
        "npc_kills",
        "npc_deaths",
        "vehicle_soft_death_caused",
        "vehicle_soft_death_received",
        "vehicle_destruction_caused",
        "vehicle_destruction_received",
        "vehicle_instant_destruction_caused",
        "vehicle_instant_destruction_received",
    ];
    let merges = COLUMNS.map(|column| (column, Merge::Add));
    for chunk in rows.chunks(CHUNK) {
        bulk!(player_counters, chunk, |(player, mode, c)| {
            player_id: *player,
            game_mode: *mode,
            player_kills: c[0],
            player_deaths: c[1],
            npc_kills: c[2],
            npc_deaths: c[3],
            vehicle_soft_death_caused: c[4],
            vehicle_soft_death_received: c[5],
            vehicle_destruction_caused: c[6],
            vehicle_destruction_received: c[7],
            vehicle_instant_destruction_caused: c[8],
            vehicle_instant_destruction_received: c[9],
        })
        .on_conflict("player_counters", &["player_id", "game_mode"], &merges)
        .execute(tx)?;
    }
    Ok(())
}

/// Five figures in the order of the columns: pvp, pve, vehicles, missions, playtime (seconds).
pub type FiveScores = [i64; 5];

const FIVE: [(&str, Merge); 5] = [
    ("pu_player_kills", Merge::Add),
    ("pve_kills", Merge::Add),
    ("vehicle_destructions", Merge::Add),
    ("missions_completed", Merge::Add),
    ("playtime", Merge::Add),
];

/// Adds to the daily sums of players.
pub fn add_days(tx: &mut Tx, rows: &[(i64, i32, FiveScores)]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(player_days, chunk, |(player, day, s)| {
            player_id: *player,
            day: *day,
            pu_player_kills: s[0],
            pve_kills: s[1],
            vehicle_destructions: s[2],
            missions_completed: s[3],
            playtime: s[4],
        })
        .on_conflict("player_days", &["player_id", "day"], &FIVE)
        .execute(tx)?;
    }
    Ok(())
}

/// Adds to what players did in a patch.
pub fn add_player_patches(tx: &mut Tx, rows: &[(i64, i64, FiveScores)]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(player_patches, chunk, |(version, player, s)| {
            patch_version: *version,
            player_id: *player,
            pu_player_kills: s[0],
            pve_kills: s[1],
            vehicle_destructions: s[2],
            missions_completed: s[3],
            playtime: s[4],
        })
        .on_conflict("player_patches", &["patch_version", "player_id"], &FIVE)
        .execute(tx)?;
    }
    Ok(())
}

/// Adds kills by weapon: `(player, mode, weapon, kills)`.
pub fn add_weapon_use(tx: &mut Tx, rows: &[(i64, i16, String, i64)]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(weapon_use, chunk, |(player, mode, weapon, kills)| {
            player_id: *player,
            game_mode: *mode,
            weapon: weapon.as_str(),
            kills: *kills,
        })
        .on_conflict("weapon_use", &["player_id", "game_mode", "weapon"], &[("kills", Merge::Add)])
        .execute(tx)?;
    }
    Ok(())
}

/// Adds uses of vehicles: `(player, mode, vehicle, uses)`.
pub fn add_vehicle_use(tx: &mut Tx, rows: &[(i64, i16, String, i64)]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(vehicle_use, chunk, |(player, mode, vehicle, uses)| {
            player_id: *player,
            game_mode: *mode,
            vehicle: vehicle.as_str(),
            uses: *uses,
        })
        .on_conflict("vehicle_use", &["player_id", "game_mode", "vehicle"], &[("uses", Merge::Add)])
        .execute(tx)?;
    }
    Ok(())
}

/// Adds contracts: `(player, contract, accepted, completed)`.
pub fn add_mission_use(tx: &mut Tx, rows: &[(i64, String, i64, i64)]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(mission_use, chunk, |(player, contract, accepted, completed)| {
            player_id: *player,
            contract: contract.as_str(),
            accepted: *accepted,
            completed: *completed,
        })
        .on_conflict("mission_use", &["player_id", "contract"], &[("accepted", Merge::Add), ("completed", Merge::Add)])
        .execute(tx)?;
    }
    Ok(())
}

/// What is added to the totals of a patch. Of two spellings of one version the greater stays.
#[derive(Debug, Clone)]
pub struct PatchChange {
    pub version: i64,
    pub name: String,
    pub npc_kills: i64,
    pub player_kills: i64,
    pub vehicle_destructions: i64,
}

pub fn add_patches(tx: &mut Tx, rows: &[PatchChange]) -> QueryResult<()> {
    bulk!(patches, rows, |p| {
        version: p.version,
        name: p.name.as_str(),
        npc_kills: p.npc_kills,
        player_kills: p.player_kills,
        vehicle_destructions: p.vehicle_destructions,
    })
    .on_conflict(
        "patches",
        &["version"],
        &[
            ("name", Merge::Max),
            ("npc_kills", Merge::Add),
            ("player_kills", Merge::Add),
            ("vehicle_destructions", Merge::Add),
        ],
    )
    .execute(tx)?;
    Ok(())
}

/// Adds use over a patch: `(version, kind, name, uses, completed)`; kinds as in the table.
pub fn add_patch_use(tx: &mut Tx, rows: &[(i64, i16, String, i64, i64)]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(patch_use, chunk, |(version, kind, name, uses, completed)| {
            patch_version: *version,
            kind: *kind,
            name: name.as_str(),
            uses: *uses,
            completed: *completed,
        })
        .on_conflict(
            "patch_use",
            &["patch_version", "kind", "name"],
            &[("uses", Merge::Add), ("completed", Merge::Add)],
        )
        .execute(tx)?;
    }
    Ok(())
}

/// Adds to the sums of guilds: `(guild, five figures)`; gives the sums as they are now.
pub fn add_guild_scores(tx: &mut Tx, rows: &[(i64, FiveScores)]) -> QueryResult<Vec<(i64, FiveScores)>> {
    let mut now = Vec::with_capacity(rows.len());
    for (guild_id, s) in rows {
        let sums: (i64, i64, i64, i64, i64) = diesel::update(guilds::table.find(guild_id))
            .set((
                guilds::overall.eq(guilds::overall + (s[0] + s[1] + s[2])),
                guilds::pu_player_kills.eq(guilds::pu_player_kills + s[0]),
                guilds::pve_kills.eq(guilds::pve_kills + s[1]),
                guilds::vehicle_destructions.eq(guilds::vehicle_destructions + s[2]),
                guilds::missions_completed.eq(guilds::missions_completed + s[3]),
                guilds::playtime.eq(guilds::playtime + s[4]),
            ))
            .returning((
                guilds::pu_player_kills,
                guilds::pve_kills,
                guilds::vehicle_destructions,
                guilds::missions_completed,
                guilds::playtime,
            ))
            .get_result(&mut **tx)?;
        now.push((*guild_id, [sums.0, sums.1, sums.2, sums.3, sums.4]));
    }
    Ok(now)
}

/// A play session as it lies in the database; times in epoch milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = play_sessions)]
pub struct PlaySessionRow {
    pub player_id: i64,
    pub login_at: i64,
    pub logout_at: Option<i64>,
    pub last_seen_at: i64,
    pub patch_version: Option<i64>,
}

/// The newest session of each of these players that has one.
pub fn newest_sessions(conn: &mut AnyConn, player_ids: &[i64]) -> QueryResult<Vec<PlaySessionRow>> {
    let mut found = Vec::new();
    for chunk in player_ids.chunks(CHUNK) {
        let newest = play_sessions::table
            .filter(play_sessions::player_id.eq_any(chunk))
            .group_by(play_sessions::player_id)
            .select((play_sessions::player_id, diesel::dsl::max(play_sessions::login_at)))
            .load::<(i64, Option<i64>)>(conn)?;
        for (player_id, login_at) in newest {
            let Some(login_at) = login_at else { continue };
            found.push(
                play_sessions::table.find((player_id, login_at)).select(PlaySessionRow::as_select()).first(conn)?,
            );
        }
    }
    Ok(found)
}

/// The session that holds this moment, if one began before it.
pub fn session_at(conn: &mut AnyConn, player_id: i64, at: i64) -> QueryResult<Option<PlaySessionRow>> {
    play_sessions::table
        .filter(play_sessions::player_id.eq(player_id))
        .filter(play_sessions::login_at.le(at))
        .order(play_sessions::login_at.desc())
        .select(PlaySessionRow::as_select())
        .first(conn)
        .optional()
}

/// The sessions that began in `[from, until)`, oldest first.
pub fn sessions_between(conn: &mut AnyConn, player_id: i64, from: i64, until: i64) -> QueryResult<Vec<PlaySessionRow>> {
    play_sessions::table
        .filter(play_sessions::player_id.eq(player_id))
        .filter(play_sessions::login_at.ge(from))
        .filter(play_sessions::login_at.lt(until))
        .order(play_sessions::login_at)
        .select(PlaySessionRow::as_select())
        .load(conn)
}

/// When the first session after this moment began.
pub fn next_login(conn: &mut AnyConn, player_id: i64, after: i64) -> QueryResult<Option<i64>> {
    play_sessions::table
        .filter(play_sessions::player_id.eq(player_id))
        .filter(play_sessions::login_at.gt(after))
        .select(diesel::dsl::min(play_sessions::login_at))
        .first(conn)
}

/// What was seen of a player in `[from, until)`: `(time, category, patch)`.
pub fn seen_between(
    conn: &mut AnyConn,
    player_id: i64,
    from: i64,
    until: i64,
) -> QueryResult<Vec<(i64, i16, Option<i64>)>> {
    event_players::table
        .inner_join(events::table.on(events::id.eq(event_players::event_id)))
        .filter(event_players::player_id.eq(player_id))
        .filter(event_players::event_time.ge(from))
        .filter(event_players::event_time.lt(until))
        .order((event_players::event_time, event_players::event_id))
        .select((event_players::event_time, event_players::category, events::patch_version))
        .load(conn)
}

pub fn put_sessions(tx: &mut Tx, rows: &[PlaySessionRow]) -> QueryResult<()> {
    for chunk in rows.chunks(CHUNK) {
        bulk!(play_sessions, chunk, |s| {
            player_id: s.player_id,
            login_at: s.login_at,
            logout_at: s.logout_at,
            last_seen_at: s.last_seen_at,
            patch_version: s.patch_version,
        })
        .on_conflict(
            "play_sessions",
            &["player_id", "login_at"],
            &[("logout_at", Merge::Replace), ("last_seen_at", Merge::Replace), ("patch_version", Merge::Replace)],
        )
        .execute(tx)?;
    }
    Ok(())
}

pub fn remove_session(tx: &mut Tx, player_id: i64, login_at: i64) -> QueryResult<()> {
    diesel::delete(play_sessions::table.find((player_id, login_at))).execute(&mut **tx)?;
    Ok(())
}

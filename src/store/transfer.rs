//! Tables as lines of JSON: every column that is not derived, references by the names they have outside.
//!
//! One description per table serves both directions and both databases; events have their own way (`features::transfer`).

use std::fmt::Write;

use diesel::connection::{DefaultLoadingMode, SimpleConnection};
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::conn::{AnyConn, bulk};
use super::schema::*;
use super::writer::Tx;

/// What a column holds, and how it is told outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Int,
    Text,
    Bool,
    /// A player's id, told as the handle.
    Player,
    /// A guild's id, told as the tag.
    Guild,
    /// The name of the guild in the column before; only told, never stored.
    GuildName,
    /// A user's id, told as the Discord id.
    User,
    /// Made from another column; stored, never told.
    Folded,
}

/// One column: its name outside, its name in the table.
#[derive(Debug)]
pub struct Column {
    pub name: &'static str,
    column: &'static str,
    pub holds: Holds,
    pub is_nullable: bool,
}

/// One table: the `type` of its lines, its columns, what makes a row the same row.
#[derive(Debug)]
pub struct Table {
    pub kind: &'static str,
    pub table: &'static str,
    pub columns: &'static [Column],
    /// Database columns; empty when a row is only equal to itself in whole.
    keys: &'static [&'static str],
    order: &'static str,
    filter: &'static str,
}

impl Table {
    /// The place of a column by its name outside.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    /// Names outside of what identifies a row.
    pub fn key_places(&self) -> impl Iterator<Item = usize> {
        let is_key = |c: &Column| self.keys.is_empty() || self.keys.contains(&c.column);
        self.columns.iter().enumerate().filter(move |(_, c)| is_key(c)).map(|(place, _)| place)
    }
}

macro_rules! columns {
    ($($name:literal = $column:literal $holds:ident $($null:ident)?),+ $(,)?) => {
        &[$(Column { name: $name, column: $column, holds: Holds::$holds, is_nullable: columns!(@ $($null)?) }),+]
    };
    (@ null) => { true };
    (@) => { false };
}

pub const GUILDS: Table = Table {
    kind: "guild",
    table: "guilds",
    columns: columns! {
        "org_short" = "tag" Text,
        "org_name" = "name" Text,
        "name_folded" = "name_folded" Folded,
        "site_member_count" = "site_member_count" Int null,
        "site_logo_url" = "site_logo_url" Text null,
        "site_read_at" = "site_read_at" Int null,
        "guild_image" = "guild_image" Text null,
        "banner_image" = "banner_image" Text null,
        "discord_link" = "discord_link" Text null,
        "views" = "views" Int,
        "created_at" = "created_at" Int,
    },
    keys: &["tag"],
    order: "t.id",
    filter: "",
};

pub const PLAYERS: Table = Table {
    kind: "player",
    table: "players",
    columns: columns! {
        "handle" = "handle" Text,
        "handle_folded" = "handle_folded" Folded,
        "player_name" = "player_name" Text,
        "player_geid" = "player_geid" Text null,
        "org_short" = "guild_id" Guild null,
        "org_name" = "guild_id" GuildName null,
        "citizen_record" = "citizen_record" Text null,
        "guild_rank" = "guild_rank" Text null,
        "is_hidden" = "is_hidden" Bool,
        "profile_image" = "profile_image" Text null,
        "banner_image" = "banner_image" Text null,
        "stickers" = "stickers" Text null,
        "site_avatar_url" = "site_avatar_url" Text null,
        "site_read_at" = "site_read_at" Int null,
        "views" = "views" Int,
        "created_at" = "created_at" Int,
    },
    keys: &["handle_folded"],
    order: "t.id",
    filter: "",
};

pub const COMMITS: Table = Table {
    kind: "commit",
    table: "commits",
    columns: columns! {
        "id" = "id" Text,
        "author_name" = "author_name" Text null,
        "author_username" = "author_username" Text null,
        "author_avatar_url" = "author_avatar_url" Text null,
        "timestamp" = "committed_at" Int,
        "message" = "message" Text,
        "branch" = "branch" Text,
        "repository" = "repository" Text,
    },
    keys: &["id"],
    order: "t.id",
    filter: "",
};

/// What goes before events: all they refer to.
pub const BEFORE_EVENTS: &[Table] = &[
    Table {
        kind: "patch",
        table: "patches",
        columns: columns! { "version" = "version" Int, "name" = "name" Text },
        keys: &["version"],
        order: "t.version",
        filter: "",
    },
    GUILDS,
    PLAYERS,
    Table {
        kind: "former_handle",
        table: "former_handles",
        columns: columns! {
            "handle" = "handle" Text,
            "handle_folded" = "handle_folded" Folded,
            "player" = "player_id" Player,
            "until_at" = "until_at" Int,
        },
        keys: &["handle_folded", "player_id"],
        order: "t.player_id, t.until_at, t.handle_folded COLLATE \"C\"",
        filter: "",
    },
    Table {
        kind: "baseline",
        table: "player_baselines",
        columns: columns! { "player" = "player_id" Player, "figures" = "figures" Text },
        keys: &["player_id"],
        order: "t.player_id",
        filter: "",
    },
    Table {
        kind: "sticker_grant",
        table: "sticker_grants",
        columns: columns! {
            "player" = "player_id" Player,
            "sticker_id" = "sticker_id" Text,
            "granted_at" = "granted_at" Int,
        },
        keys: &["player_id", "sticker_id"],
        order: "t.player_id, t.granted_at, t.sticker_id COLLATE \"C\"",
        filter: "",
    },
    Table {
        kind: "user",
        table: "users",
        columns: columns! {
            "discord_id" = "discord_id" Text,
            "discord_username" = "discord_username" Text,
            "discord_global_name" = "discord_global_name" Text null,
            "discord_avatar" = "discord_avatar" Text null,
            "discord_discriminator" = "discord_discriminator" Text null,
            "discord_email" = "discord_email" Text null,
            "player" = "player_id" Player null,
            "guild" = "guild_id" Guild null,
            "linked_at" = "linked_at" Int,
            "last_seen_at" = "last_seen_at" Int,
        },
        keys: &["discord_id"],
        order: "t.id",
        filter: "",
    },
    Table {
        kind: "key",
        table: "ingest_keys",
        columns: columns! {
            "name" = "name" Text,
            "key_hash" = "key_hash" Text,
            "user" = "user_id" User null,
            "created_at" = "created_at" Int,
            "last_used_at" = "last_used_at" Int null,
            "revoked_at" = "revoked_at" Int null,
        },
        keys: &["key_hash"],
        order: "t.id",
        filter: "",
    },
];

/// What goes after events.
pub const AFTER_EVENTS: &[Table] = &[
    Table {
        kind: "session",
        table: "sessions",
        columns: columns! {
            "id" = "id" Text,
            "user" = "user_id" User,
            "token_id" = "token_id" Text,
            "created_at" = "created_at" Int,
            "refreshed_at" = "refreshed_at" Int,
            "ended_at" = "ended_at" Int null,
        },
        keys: &["id"],
        order: "t.user_id, t.created_at, t.id COLLATE \"C\"",
        filter: "",
    },
    Table {
        kind: "claim",
        table: "claims",
        columns: columns! {
            "user" = "user_id" User,
            "kind" = "kind" Int,
            "target" = "target" Text,
            "code" = "code" Text,
            "created_at" = "created_at" Int,
        },
        keys: &["user_id", "kind"],
        order: "t.id",
        filter: "",
    },
    Table {
        kind: "claim_try",
        table: "claim_tries",
        columns: columns! { "user" = "user_id" User, "tried_at" = "tried_at" Int },
        keys: &["user_id", "tried_at"],
        order: "t.user_id, t.tried_at",
        filter: "",
    },
    Table {
        kind: "upload",
        table: "uploads",
        columns: columns! {
            "user" = "user_id" User,
            "path" = "path" Text,
            "kind" = "kind" Text,
            "bytes" = "bytes" Int,
            "is_used" = "is_used" Bool,
            "created_at" = "created_at" Int,
        },
        keys: &["path"],
        order: "t.id",
        // What a user left behind who is gone is swept.
        filter: "EXISTS (SELECT 1 FROM users r WHERE r.id = t.user_id)",
    },
    COMMITS,
    Table {
        kind: "visit",
        table: "visits",
        columns: columns! {
            "visited_at" = "visited_at" Int,
            "session_id" = "session_id" Text,
            "kind" = "kind" Text,
            "page_path" = "page_path" Text,
            "data" = "data" Text,
        },
        keys: &[],
        order: "t.id",
        filter: "",
    },
    Table {
        kind: "visit_day",
        table: "visit_days",
        columns: columns! {
            "day" = "day" Int,
            "page_path" = "page_path" Text,
            "kind" = "kind" Text,
            "visits" = "visits" Int,
            "total_ms" = "total_ms" Int,
        },
        keys: &["day", "page_path", "kind"],
        order: "t.day, t.page_path COLLATE \"C\", t.kind COLLATE \"C\"",
        filter: "",
    },
    Table {
        kind: "statsfeed_channel",
        table: "statsfeed_channels",
        columns: columns! {
            "server_id" = "server_id" Text,
            "channel_id" = "channel_id" Text,
            "kind" = "kind" Text,
            "filter" = "filter" Text,
            "board_message_id" = "board_message_id" Text null,
            "last_event_id" = "last_event_id" Int,
            "disabled_reason" = "disabled_reason" Text null,
            "created_at" = "created_at" Int,
        },
        keys: &["channel_id"],
        order: "t.id",
        filter: "",
    },
];

/// Tables that hold nothing of their own: counted anew, filled with events, or of a running server.
pub const DERIVED: &[&str] = &[
    "player_scores",
    "player_counters",
    "player_days",
    "player_patches",
    "weapon_use",
    "vehicle_use",
    "mission_use",
    "play_sessions",
    "patch_use",
    "event_players",
    "event_clock",
    "job_leases",
    "search_changes",
    "changes",
];

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

/// Reads many tables as of one moment; writers are not held up. Lines are JSON objects.
pub fn snapshot<T, E: From<diesel::result::Error>>(
    conn: &mut AnyConn,
    act: impl FnOnce(&mut AnyConn) -> Result<T, E>,
) -> Result<T, E> {
    let (begin, end) = match conn {
        AnyConn::Sqlite(_) => ("BEGIN", "COMMIT"),
        AnyConn::Postgres(_) => {
            ("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL statement_timeout = 0", "COMMIT")
        }
    };
    conn.batch_execute(begin)?;
    let outcome = act(conn);
    conn.batch_execute(if outcome.is_ok() { end } else { "ROLLBACK" })?;
    outcome
}

/// Hands over the rows of a table, inside [`snapshot`], without holding more than a few thousand.
pub fn each<E: From<diesel::result::Error>>(
    conn: &mut AnyConn,
    table: &Table,
    take: impl FnMut(String) -> Result<(), E>,
) -> Result<(), E> {
    let mut sql = String::from("SELECT json_build_object(");
    let is_postgres = conn.is_postgres();
    let told = table.columns.iter().filter(|c| c.holds != Holds::Folded);
    for (i, column) in told.enumerate() {
        let c = column.column;
        let value = match column.holds {
            Holds::Bool if !is_postgres => format!("json(CASE WHEN t.{c} THEN 'true' ELSE 'false' END)"),
            Holds::Player => format!("(SELECT r.handle FROM players r WHERE r.id = t.{c})"),
            Holds::Guild => format!("(SELECT r.tag FROM guilds r WHERE r.id = t.{c})"),
            Holds::GuildName => format!("(SELECT r.name FROM guilds r WHERE r.id = t.{c})"),
            Holds::User => format!("(SELECT r.discord_id FROM users r WHERE r.id = t.{c})"),
            _ => format!("t.{c}"),
        };
        // Writing to a String cannot fail.
        let _ = write!(sql, "{}'{}', {value}", if i > 0 { ", " } else { "" }, column.name);
    }
    let filter = if table.filter.is_empty() { "" } else { " WHERE " };
    let _ = write!(sql, ")::text AS line FROM {} t{filter}{} ORDER BY {}", table.table, table.filter, table.order);
    stream(conn, &sql, take)
}

/// Hands over the events, oldest id first; codes are numbers, people are names, readers are hashes of keys.
pub fn each_event<E: From<diesel::result::Error>>(
    conn: &mut AnyConn,
    take: impl FnMut(String) -> Result<(), E>,
) -> Result<(), E> {
    let hex = if conn.is_postgres() { "encode({}, 'hex')" } else { "lower(hex({}))" };
    let hex = |what: &str| hex.replace("{}", what);
    let many = if conn.is_postgres() { "json_agg" } else { "json_group_array" };
    let plain = [
        "identifier",
        "event_time",
        "event_id",
        "game_mode",
        "sub_game_mode",
        "killer_npc",
        "victim_npc",
        "player_npc",
        "weapon",
        "vehicle_name",
        "damage_type",
        "zone",
        "contract_id",
        "contract_name",
        "text",
        "fight",
    ];
    let mut sql = String::from("SELECT json_build_object(");
    for name in plain {
        let _ = write!(sql, "'{name}', t.{name}, ");
    }
    for party in ["killer", "victim", "player"] {
        let _ = write!(sql, "'{party}', (SELECT p.handle FROM players p WHERE p.id = t.{party}_id), ");
    }
    let _ = write!(
        sql,
        "'patch', (SELECT p.name FROM patches p WHERE p.version = t.patch_version), \
         'reader', (SELECT k.key_hash FROM ingest_keys k WHERE k.id = t.ingest_key_id), \
         'identity', {}, 'witnesses', (SELECT {many}(json_build_object('reader', k.key_hash, 'identity', {}, \
         'event_time', w.event_time)) FROM event_witnesses w JOIN ingest_keys k ON k.id = w.ingest_key_id \
         WHERE w.event_id = t.id))::text AS line FROM events t ORDER BY t.id",
        hex("t.identity"),
        hex("w.identity"),
    );
    stream(conn, &sql, take)
}

fn stream<E: From<diesel::result::Error>>(
    conn: &mut AnyConn,
    sql: &str,
    mut take: impl FnMut(String) -> Result<(), E>,
) -> Result<(), E> {
    match conn {
        AnyConn::Sqlite(c) => {
            // SQLite orders text by bytes of itself.
            let sql = sql.replace(" COLLATE \"C\"", "");
            let sql = sql.replace("json_build_object(", "json_object(").replace("::text AS line", " AS line");
            for row in diesel::sql_query(sql).load_iter::<Line, DefaultLoadingMode>(c)? {
                take(row?.line)?;
            }
        }
        AnyConn::Postgres(c) => {
            c.batch_execute(&format!("DECLARE lines NO SCROLL CURSOR FOR {sql}"))?;
            loop {
                let rows: Vec<Line> = diesel::sql_query("FETCH 2000 FROM lines").load(c)?;
                if rows.is_empty() {
                    break;
                }
                rows.into_iter().try_for_each(|row| take(row.line))?;
            }
            c.batch_execute("CLOSE lines")?;
        }
    }
    Ok(())
}

/// Writes rows from a JSON array of objects named as outside; `given` replaces what is there, `filled` is for new rows.
pub fn put(tx: &mut Tx, table: &Table, given: &[usize], filled: &[usize], rows: &str) -> QueryResult<usize> {
    let is_postgres = tx.is_postgres();
    let stored = |place: &&usize| table.columns[**place].holds != Holds::GuildName;
    let places: Vec<usize> = given.iter().chain(filled).filter(stored).copied().collect();
    let names: Vec<&str> = places.iter().map(|place| table.columns[*place].column).collect();
    let values: Vec<String> = places.iter().map(|place| value(&table.columns[*place], is_postgres)).collect();
    let from = if is_postgres { "json_array_elements($1::json) AS j(value)" } else { "json_each($1) AS j" };
    let mut sql =
        format!("INSERT INTO {} ({}) SELECT {} FROM {from} WHERE ", table.table, names.join(", "), values.join(", "));
    if table.keys.is_empty() {
        let same: Vec<String> = names.iter().zip(&values).map(|(n, v)| format!("t.{n} = {v}")).collect();
        let _ = write!(sql, "NOT EXISTS (SELECT 1 FROM {} t WHERE {})", table.table, same.join(" AND "));
    } else {
        let replaced: Vec<String> = given
            .iter()
            .filter(stored)
            .map(|place| table.columns[*place].column)
            .filter(|column| !table.keys.contains(column))
            .map(|column| format!("{column} = excluded.{column}"))
            .collect();
        let act = if replaced.is_empty() { "NOTHING".into() } else { format!("UPDATE SET {}", replaced.join(", ")) };
        let _ = write!(sql, "true ON CONFLICT ({}) DO {act}", table.keys.join(", "));
    }
    diesel::sql_query(sql).bind::<Text, _>(rows).execute(&mut **tx)
}

fn value(column: &Column, is_postgres: bool) -> String {
    let text = format!("(j.value ->> '{}')", column.name);
    match column.holds {
        Holds::Int if is_postgres => format!("{text}::bigint"),
        Holds::Bool if is_postgres => format!("{text}::boolean"),
        Holds::Player => format!("(SELECT r.id FROM players r WHERE r.handle_folded = lower({text}))"),
        Holds::Guild | Holds::GuildName => format!("(SELECT r.id FROM guilds r WHERE r.tag = {text})"),
        Holds::User => format!("(SELECT r.id FROM users r WHERE r.discord_id = {text})"),
        _ => text,
    }
}

/// Makes the guilds that are not there yet; others stay as they are.
pub fn add_missing_guilds(tx: &mut Tx, new: &[super::guilds::NewGuild]) -> QueryResult<()> {
    bulk!(guilds, new, |g| {
        tag: g.tag.as_str(),
        name: g.name.as_str(),
        name_folded: g.name.to_lowercase(),
        created_at: g.created_at,
    })
    .on_conflict("guilds", &["tag"], &[])
    .execute(tx)?;
    Ok(())
}

/// Those of the Discord ids that are users.
pub fn known_users(conn: &mut AnyConn, ids: &[String]) -> QueryResult<Vec<String>> {
    users::table.filter(users::discord_id.eq_any(ids)).select(users::discord_id).load(conn)
}

/// The ids of keys by hash; unknown hashes become keys that are revoked from the start.
pub fn keys_by_hash(tx: &mut Tx, hashes: &[String], now: i64) -> QueryResult<Vec<(String, i64)>> {
    bulk!(ingest_keys, hashes, |hash| {
        name: "imported",
        key_hash: hash.as_str(),
        created_at: now,
        revoked_at: Some(now),
    })
    .on_conflict("ingest_keys", &["key_hash"], &[])
    .execute(tx)?;
    ingest_keys::table
        .filter(ingest_keys::key_hash.eq_any(hashes))
        .select((ingest_keys::key_hash, ingest_keys::id))
        .load(&mut **tx)
}

/// Brings copies in other tables after what players are now: guilds in feeds, hidden profiles on boards.
pub fn settle(tx: &mut Tx) -> QueryResult<()> {
    no_time_limit(tx)?;
    tx.batch_execute(
        "UPDATE event_players SET guild_id = (SELECT p.guild_id FROM players p WHERE p.id = event_players.player_id) \
         WHERE guild_id IS DISTINCT FROM (SELECT p.guild_id FROM players p WHERE p.id = event_players.player_id); \
         UPDATE player_scores SET is_hidden = (SELECT p.is_hidden FROM players p WHERE p.id = player_scores.player_id) \
         WHERE is_hidden <> (SELECT p.is_hidden FROM players p WHERE p.id = player_scores.player_id);",
    )
}

/// A long transaction: the time limit of single statements does not hold in it (Postgres).
pub fn no_time_limit(tx: &mut Tx) -> QueryResult<()> {
    if tx.is_postgres() {
        tx.batch_execute("SET LOCAL statement_timeout = 0")?;
    }
    Ok(())
}

/// How many rows the table has that a backup is judged by: players, guilds, events, users.
pub fn counts(conn: &mut AnyConn) -> QueryResult<[i64; 4]> {
    Ok([
        players::table.count().get_result(conn)?,
        guilds::table.count().get_result(conn)?,
        events::table.count().get_result(conn)?,
        users::table.count().get_result(conn)?,
    ])
}

/// Empties every table that an import fills.
pub fn empty(tx: &mut Tx) -> QueryResult<()> {
    no_time_limit(tx)?;
    let told = AFTER_EVENTS.iter().rev().chain(BEFORE_EVENTS.iter().rev()).map(|t| t.table);
    let own = ["event_witnesses", "event_players", "events"];
    let derived = DERIVED.iter().copied().filter(|t| !["event_clock", "event_players"].contains(t));
    for table in own.into_iter().chain(derived).chain(told) {
        tx.batch_execute(&format!("DELETE FROM {table}"))?;
    }
    tx.batch_execute("UPDATE event_clock SET last_id = 0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_table_and_column_is_told_or_known_to_be_derived() {
        let url = format!("sqlite:{}", tempfile::tempdir().unwrap().keep().join("t.db").display());
        let store = super::super::Store::open(&url).unwrap();
        let sql = "SELECT m.name || '.' || c.name AS line FROM sqlite_master m, pragma_table_info(m.name) c \
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE '\\_\\_%' ESCAPE '\\'";
        let there: BTreeSet<String> = store
            .read_here(|conn| diesel::sql_query(sql).load::<Line>(conn))
            .unwrap()
            .into_iter()
            .map(|row| row.line)
            .collect();
        let mut told: BTreeSet<String> = BTreeSet::new();
        for table in BEFORE_EVENTS.iter().chain(AFTER_EVENTS) {
            told.extend(table.columns.iter().map(|c| format!("{}.{}", table.table, c.column)));
        }
        let sums =
            ["overall", "pu_player_kills", "pve_kills", "vehicle_destructions", "missions_completed", "playtime"];
        let is_derived = |name: &str| {
            let (table, column) = name.split_once('.').unwrap();
            DERIVED.contains(&table)
                || column == "id"
                || (table == "guilds" && (sums.contains(&column) || column == "known_members"))
                || (table == "patches" && ["npc_kills", "player_kills", "vehicle_destructions"].contains(&column))
                || ["events", "event_witnesses"].contains(&table)
        };
        let lost: Vec<&String> = there.iter().filter(|name| !told.contains(*name) && !is_derived(name)).collect();
        assert!(lost.is_empty(), "an export would lose {lost:?}");
        let wrong: Vec<&String> = told.iter().filter(|name| !there.contains(*name)).collect();
        assert!(wrong.is_empty(), "an export asks for {wrong:?}");
    }
}

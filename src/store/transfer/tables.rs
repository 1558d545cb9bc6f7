//! Columns of each table and their external form; a new column is added here only.
//! Read by both directions of a transfer.
//! Never here: SQL.

use diesel::sql_types::{BigInt, Bool, Integer, Nullable, SmallInt, SqlType, Text, is_nullable};

use crate::store::schema;

/// The type of a column and its external form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    Int,
    Text,
    Bool,
    /// A player's id; exported as the handle.
    Player,
    /// A guild's id; exported as the tag.
    Guild,
    /// The name of the guild in the column before; exported only, never stored.
    GuildName,
    /// A user's id; exported as the Discord id.
    User,
    /// An ingest key's id; exported as the hash of the key.
    Key,
    /// Computed from another column; stored, never exported.
    Folded,
    /// Number of the row among equal rows; exported only, never stored.
    Ordinal,
}

impl ColumnType {
    /// The table that a column of this type refers to, and the column of its external form.
    pub fn reference(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Player => Some(("players", "handle")),
            Self::Guild => Some(("guilds", "tag")),
            Self::User => Some(("users", "discord_id")),
            Self::Key => Some(("ingest_keys", "key_hash")),
            _ => None,
        }
    }
}

/// A column: its external name and its name in the table.
#[derive(Debug)]
pub struct Column {
    pub name: &'static str,
    pub(super) column: &'static str,
    pub column_type: ColumnType,
    pub is_nullable: bool,
}

/// A table: the `type` of its lines, its columns, and its key.
#[derive(Debug)]
pub struct Table {
    pub kind: &'static str,
    pub table: &'static str,
    pub columns: &'static [Column],
    /// Columns of the key; empty if all columns together identify a row.
    pub(super) keys: &'static [&'static str],
    pub(super) order: &'static str,
    pub(super) filter: &'static str,
}

impl Table {
    /// Whether a column is part of the key.
    pub fn is_key(&self, column: &Column) -> bool {
        self.keys.is_empty() || self.keys.contains(&column.column)
    }
}

/// The type of a column that contains what its SQL type says.
trait Plain {
    const TYPE: ColumnType;
    const IS_NULLABLE: bool = false;
}

impl Plain for BigInt {
    const TYPE: ColumnType = ColumnType::Int;
}

impl Plain for Integer {
    const TYPE: ColumnType = ColumnType::Int;
}

impl Plain for SmallInt {
    const TYPE: ColumnType = ColumnType::Int;
}

impl Plain for Text {
    const TYPE: ColumnType = ColumnType::Text;
}

impl Plain for Bool {
    const TYPE: ColumnType = ColumnType::Bool;
}

impl<T: Plain + SqlType<IsNull = is_nullable::NotNull>> Plain for Nullable<T> {
    const TYPE: ColumnType = T::TYPE;
    const IS_NULLABLE: bool = true;
}

const fn column<C: diesel::Column<SqlType: Plain>>(name: &'static str, given: Option<ColumnType>) -> Column {
    let column_type = match given {
        Some(given) => given,
        None => <C::SqlType as Plain>::TYPE,
    };
    let is_nullable = <C::SqlType as Plain>::IS_NULLABLE || matches!(column_type, ColumnType::Ordinal);
    Column { name, column: C::NAME, column_type, is_nullable }
}

/// A table that is written in the order of its ids.
const TABLE: Table = Table { kind: "", table: "", columns: &[], keys: &[], order: "t.id", filter: "" };

/// `table! { "kind" = table by (key); external_name = column: Type, …; field: value }`: a [`Table`]. The name of the column is
/// omitted if it is the external one, and the type if it is that of the schema.
macro_rules! table {
    (
        $kind:literal = $table:ident by ($($key:ident),*);
        $($name:ident $(= $column:ident)? $(: $given:ident)?),+ $(,)? $(; $field:ident: $value:expr)?
    ) => {
        Table {
            kind: $kind,
            table: stringify!($table),
            columns: &[$(
                column::<table!(@column $table $name $($column)?)>(stringify!($name), table!(@type $($given)?))
            ),+],
            keys: &[$(<schema::$table::$key as diesel::Column>::NAME),*],
            $($field: $value,)?
            ..TABLE
        }
    };
    (@column $table:ident $name:ident) => { schema::$table::$name };
    (@column $table:ident $name:ident $column:ident) => { schema::$table::$column };
    (@type) => { None };
    (@type $given:ident) => { Some(ColumnType::$given) };
}

pub const GUILDS: Table = table! {
    "guild" = guilds by (tag);
    org_short = tag, org_name = name, name_folded: Folded, site_member_count, site_logo_url, site_read_at, guild_image,
    banner_image, discord_link, views, created_at,
};

pub const PLAYERS: Table = table! {
    "player" = players by (handle_folded);
    handle, handle_folded: Folded, player_name, player_geid, org_short = guild_id: Guild,
    org_name = guild_id: GuildName, citizen_record, guild_rank, is_hidden, profile_image, banner_image, stickers,
    shares_pay, shares_places, site_avatar_url, site_read_at, views, created_at, is_listed,
};

pub const COMMITS: Table = table! {
    "commit" = commits by (id);
    id, author_name, author_username, author_avatar_url, timestamp = committed_at, message, branch, repository,
};

/// Rows whose user has not been deleted.
const OF_USERS: &str = "EXISTS (SELECT 1 FROM users r WHERE r.id = t.user_id)";

/// Tables that events refer to; written before them.
pub const BEFORE_EVENTS: &[Table] = &[
    table! {
        "patch" = patches by (version);
        version, name, adopted_at, pinned_at;
        order: "t.version"
    },
    GUILDS,
    PLAYERS,
    table! {
        "former_handle" = former_handles by (handle_folded, player_id);
        handle, handle_folded: Folded, player = player_id: Player, replaced_at;
        order: "t.player_id, t.replaced_at, t.handle_folded COLLATE \"C\""
    },
    table! {
        "baseline" = player_baselines by (player_id);
        player = player_id: Player, figures;
        order: "t.player_id"
    },
    table! {
        "sticker_grant" = sticker_grants by (player_id, sticker_id);
        player = player_id: Player, sticker_id, granted_at;
        order: "t.player_id, t.granted_at, t.sticker_id COLLATE \"C\""
    },
    table! {
        "user" = users by (discord_id);
        discord_id, discord_username, discord_global_name, discord_avatar, discord_discriminator, discord_email,
        player = player_id: Player, guild = guild_id: Guild, linked_at, last_seen_at, blocked_at,
    },
    table! {
        "key" = ingest_keys by (key_hash);
        name, key_hash, user = user_id: User, created_at, last_used_at, revoked_at, blocked_at, review_since,
        is_operator,
    },
    table! {
        "log" = logs by (ingest_key_id, log);
        reader = ingest_key_id: Key, log, handle, handle_folded: Folded, build, branch, channel, version = reader,
        first_at, last_at, received_at,
    },
];

/// Tables written after events.
pub const AFTER_EVENTS: &[Table] = &[
    Table {
        filter: OF_USERS,
        ..table! {
            "patch_report" = patch_reports by (version, user_id);
            version, user = user_id: User, reported_at;
            order: "t.version, t.user_id"
        }
    },
    table! {
        "session" = sessions by (id);
        id, user = user_id: User, token_id, created_at, refreshed_at, ended_at, device, last_seen_at;
        order: "t.user_id, t.created_at, t.id COLLATE \"C\""
    },
    table! {
        "claim" = claims by (user_id, kind);
        user = user_id: User, kind, target, code, created_at,
    },
    table! {
        "claim_attempt" = claim_attempts by (user_id, attempted_at);
        user = user_id: User, attempted_at, kind;
        order: "t.user_id, t.attempted_at"
    },
    // Pictures of deleted users are swept.
    table! {
        "upload" = uploads by (path);
        user = user_id: User, path, kind, bytes, is_used, created_at;
        filter: OF_USERS
    },
    COMMITS,
    // Entries and events keep their numbers in an empty database.
    table! {
        "moderation_entry" = moderation by ();
        nth = id: Ordinal, at, actor = actor_id: User, action, key = key_id: Key, user = user_id: User,
        player = player_id: Player, event = event_id, patch_version, into_player = into_player_id: Player, argument,
        name, from_time, until_time, reason, undone_at, undone_by: User, is_applied, position, last_id, done, total,
    },
    table! {
        "visit" = visits by ();
        nth = id: Ordinal, visited_at, session_id, kind, page_path, data,
    },
    table! {
        "visit_day" = visit_days by (day, page_path, kind);
        day, page_path, kind, visits, total_ms;
        order: "t.day, t.page_path COLLATE \"C\", t.kind COLLATE \"C\""
    },
    table! {
        "statsfeed_channel" = statsfeed_channels by (channel_id);
        server_id, channel_id, kind, filter, board_message_id, last_event_id, disabled_reason, created_at,
    },
];

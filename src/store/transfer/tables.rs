//! Columns of each table and their external form; a new column is added here only.
//! Read by both directions of a transfer.
//! Never here: SQL.

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

macro_rules! columns {
    ($($name:literal = $column:literal $holds:ident $($null:ident)?),+ $(,)?) => {
        &[$(Column { name: $name, column: $column, column_type: ColumnType::$holds, is_nullable: columns!(@ $($null)?) }),+]
    };
    (@ null) => { true };
    (@) => { false };
}

/// A table that is written in the order of its ids.
const TABLE: Table = Table { kind: "", table: "", columns: &[], keys: &[], order: "t.id", filter: "" };

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
    ..TABLE
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
        "shares_pay" = "shares_pay" Bool,
        "shares_places" = "shares_places" Bool,
        "site_avatar_url" = "site_avatar_url" Text null,
        "site_read_at" = "site_read_at" Int null,
        "views" = "views" Int,
        "created_at" = "created_at" Int,
        "is_listed" = "is_listed" Bool,
    },
    keys: &["handle_folded"],
    ..TABLE
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
    ..TABLE
};

/// Rows whose user has not been deleted.
const OF_USERS: &str = "EXISTS (SELECT 1 FROM users r WHERE r.id = t.user_id)";

/// Tables that events refer to; written before them.
pub const BEFORE_EVENTS: &[Table] = &[
    Table {
        kind: "patch",
        table: "patches",
        columns: columns! {
            "version" = "version" Int,
            "name" = "name" Text,
            "adopted_at" = "adopted_at" Int null,
            "pinned_at" = "pinned_at" Int null,
        },
        keys: &["version"],
        order: "t.version",
        ..TABLE
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
            "replaced_at" = "replaced_at" Int,
        },
        keys: &["handle_folded", "player_id"],
        order: "t.player_id, t.replaced_at, t.handle_folded COLLATE \"C\"",
        ..TABLE
    },
    Table {
        kind: "baseline",
        table: "player_baselines",
        columns: columns! { "player" = "player_id" Player, "figures" = "figures" Text },
        keys: &["player_id"],
        order: "t.player_id",
        ..TABLE
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
        ..TABLE
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
            "blocked_at" = "blocked_at" Int null,
        },
        keys: &["discord_id"],
        ..TABLE
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
            "blocked_at" = "blocked_at" Int null,
            "review_since" = "review_since" Int null,
            "is_operator" = "is_operator" Bool,
        },
        keys: &["key_hash"],
        ..TABLE
    },
    Table {
        kind: "log",
        table: "logs",
        columns: columns! {
            "reader" = "ingest_key_id" Key,
            "log" = "log" Text,
            "handle" = "handle" Text null,
            "handle_folded" = "handle_folded" Folded null,
            "build" = "build" Text null,
            "branch" = "branch" Text null,
            "channel" = "channel" Text null,
            "version" = "reader" Text null,
            "first_at" = "first_at" Int,
            "last_at" = "last_at" Int,
            "received_at" = "received_at" Int,
        },
        keys: &["ingest_key_id", "log"],
        ..TABLE
    },
];

/// Tables written after events.
pub const AFTER_EVENTS: &[Table] = &[
    Table {
        kind: "patch_report",
        table: "patch_reports",
        columns: columns! { "version" = "version" Int, "user" = "user_id" User, "reported_at" = "reported_at" Int },
        keys: &["version", "user_id"],
        order: "t.version, t.user_id",
        filter: OF_USERS,
    },
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
            "device" = "device" Text,
            "last_seen_at" = "last_seen_at" Int,
        },
        keys: &["id"],
        order: "t.user_id, t.created_at, t.id COLLATE \"C\"",
        ..TABLE
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
        ..TABLE
    },
    Table {
        kind: "claim_attempt",
        table: "claim_attempts",
        columns: columns! { "user" = "user_id" User, "attempted_at" = "attempted_at" Int, "kind" = "kind" Int },
        keys: &["user_id", "attempted_at"],
        order: "t.user_id, t.attempted_at",
        ..TABLE
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
        // Pictures of deleted users are swept.
        filter: OF_USERS,
        ..TABLE
    },
    COMMITS,
    // Entries and events keep their numbers in an empty database.
    Table {
        kind: "moderation_entry",
        table: "moderation",
        columns: columns! {
            "nth" = "id" Ordinal null,
            "at" = "at" Int,
            "actor" = "actor_id" User null,
            "action" = "action" Int,
            "key" = "key_id" Key null,
            "user" = "user_id" User null,
            "player" = "player_id" Player null,
            "event" = "event_id" Int null,
            "patch_version" = "patch_version" Int null,
            "into_player" = "into_player_id" Player null,
            "argument" = "argument" Text null,
            "name" = "name" Text null,
            "from_time" = "from_time" Int null,
            "until_time" = "until_time" Int null,
            "reason" = "reason" Text,
            "undone_at" = "undone_at" Int null,
            "undone_by" = "undone_by" User null,
            "is_applied" = "is_applied" Bool,
            "position" = "position" Int,
            "last_id" = "last_id" Int,
            "done" = "done" Int,
            "total" = "total" Int,
        },
        ..TABLE
    },
    Table {
        kind: "visit",
        table: "visits",
        columns: columns! {
            "nth" = "id" Ordinal null,
            "visited_at" = "visited_at" Int,
            "session_id" = "session_id" Text,
            "kind" = "kind" Text,
            "page_path" = "page_path" Text,
            "data" = "data" Text,
        },
        ..TABLE
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
        ..TABLE
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
        ..TABLE
    },
];

/// Tables without exported data: recomputed, filled from events, read again from the game's site, or valid for a running server
/// only.
pub const DERIVED: &[&str] = &[
    "player_scores",
    "player_counters",
    "player_days",
    "player_patches",
    "weapon_use",
    "vehicle_use",
    "mission_use",
    "giver_use",
    "ships_flown",
    "play_sessions",
    "patch_use",
    "event_players",
    "key_days",
    "merged_reports",
    "event_clock",
    "leases",
    "demo_universe",
    "reader_logins",
    "unknown_lines",
    "guild_rosters",
    "roster_members",
    "search_changes",
    "changes",
    "statsfeed_state",
    "statsfeed_outbox",
    "github_deliveries",
    "webhook_positions",
    "webhook_deliveries",
    "view_salts",
    "profile_viewers",
];

CREATE TABLE commits (
    id TEXT NOT NULL PRIMARY KEY,
    author_name TEXT,
    author_username TEXT,
    author_avatar_url TEXT,
    -- Epoch seconds, as the repository says.
    committed_at BIGINT NOT NULL,
    message TEXT NOT NULL,
    branch TEXT NOT NULL,
    repository TEXT NOT NULL
);
CREATE INDEX commits_newest ON commits (committed_at DESC, id);

-- Page visits: raw rows live five days, daily sums stay. No address, no fingerprint.
CREATE TABLE visits (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    visited_at BIGINT NOT NULL,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    page_path TEXT NOT NULL,
    data TEXT NOT NULL
);
CREATE INDEX visits_at ON visits (visited_at);
CREATE TABLE visit_days (
    day INTEGER NOT NULL,
    page_path TEXT NOT NULL,
    kind TEXT NOT NULL,
    visits BIGINT NOT NULL DEFAULT 0,
    total_ms BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (day, page_path, kind)
) WITHOUT ROWID;

-- A Discord channel that gets a feed. kind: general-statsfeed, arena-commander, pu-npc-missions.
CREATE TABLE statsfeed_channels (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    server_id TEXT NOT NULL,
    channel_id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    -- JSON: guild tags, players, identifiers, minimum.
    filter TEXT NOT NULL,
    board_message_id TEXT,
    last_event_id BIGINT NOT NULL,
    disabled_reason TEXT,
    created_at BIGINT NOT NULL
);

-- Who runs a timed job now, when several processes share the database.
CREATE TABLE job_leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    until_at BIGINT NOT NULL
);

-- Players (kind 1) and guilds (kind 2) changed by anything but events, for the search index to catch up from.
CREATE TABLE search_changes (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind SMALLINT NOT NULL,
    entity_id BIGINT NOT NULL
);

CREATE TABLE users (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    discord_id TEXT NOT NULL UNIQUE,
    discord_username TEXT NOT NULL,
    discord_global_name TEXT,
    discord_avatar TEXT,
    discord_discriminator TEXT,
    discord_email TEXT,
    -- The claimed player; one player has one owner.
    player_id BIGINT UNIQUE REFERENCES players (id),
    -- The guild this user may edit.
    guild_id BIGINT UNIQUE REFERENCES guilds (id),
    linked_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL
);

-- A signed-in browser. token_id is the only token that may be presented; an older one ends the session.
CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    refreshed_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX sessions_user ON sessions (user_id);

-- A code waiting to be found on the game's site. kind: 1 player, 2 guild; target: folded handle or tag.
CREATE TABLE claims (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind SMALLINT NOT NULL,
    target TEXT NOT NULL,
    code TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (user_id, kind)
);
CREATE TABLE claim_tries (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    tried_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, tried_at)
);

-- Pictures that were uploaded; is_used once settings name them, else swept after a day.
CREATE TABLE uploads (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL,
    path TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    is_used BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL
);

-- Stickers given by hand or earned by what can't be counted again (an event attended).
CREATE TABLE sticker_grants (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    sticker_id TEXT NOT NULL,
    granted_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, sticker_id)
) WITHOUT ROWID;

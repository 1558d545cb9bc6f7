-- Guilds are the game site's organizations; the tag is its SID. The six figures are sums over current members.
CREATE TABLE guilds (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    tag TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    overall BIGINT NOT NULL DEFAULT 0,
    pu_player_kills BIGINT NOT NULL DEFAULT 0,
    pve_kills BIGINT NOT NULL DEFAULT 0,
    vehicle_destructions BIGINT NOT NULL DEFAULT 0,
    missions_completed BIGINT NOT NULL DEFAULT 0,
    playtime BIGINT NOT NULL DEFAULT 0,
    -- Players of ours that are in it, hidden ones too.
    known_members BIGINT NOT NULL DEFAULT 0,
    -- What the game site says; NULL until it was read.
    site_member_count BIGINT,
    site_logo_url TEXT,
    site_read_at BIGINT,
    guild_image TEXT,
    banner_image TEXT,
    discord_link TEXT,
    views BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);
CREATE INDEX guilds_overall ON guilds (overall DESC, tag);
CREATE INDEX guilds_pu_player_kills ON guilds (pu_player_kills DESC, tag);
CREATE INDEX guilds_pve_kills ON guilds (pve_kills DESC, tag);
CREATE INDEX guilds_vehicle_destructions ON guilds (vehicle_destructions DESC, tag);
CREATE INDEX guilds_missions_completed ON guilds (missions_completed DESC, tag);
CREATE INDEX guilds_playtime ON guilds (playtime DESC, tag);

-- guild_id is the main membership. All times are epoch milliseconds.
CREATE TABLE players (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    handle TEXT NOT NULL,
    handle_folded TEXT NOT NULL UNIQUE,
    player_name TEXT NOT NULL,
    player_geid TEXT,
    -- The game site's number of the account, the only name that survives a change of handle.
    citizen_record TEXT,
    guild_id BIGINT REFERENCES guilds (id),
    guild_rank TEXT,
    is_hidden BOOLEAN NOT NULL DEFAULT FALSE,
    profile_image TEXT,
    banner_image TEXT,
    -- JSON list of sticker ids; NULL until the owner chose.
    stickers TEXT,
    site_avatar_url TEXT,
    site_read_at BIGINT,
    views BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);
CREATE INDEX players_guild ON players (guild_id) WHERE guild_id IS NOT NULL;

-- Handles a player had before.
CREATE TABLE former_handles (
    handle_folded TEXT NOT NULL,
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    handle TEXT NOT NULL,
    until_at BIGINT NOT NULL,
    PRIMARY KEY (handle_folded, player_id)
) WITHOUT ROWID;

-- Derived: what boards sort by. handle_folded and is_hidden are copies, so that a board is read from one index.
CREATE TABLE player_scores (
    player_id INTEGER NOT NULL PRIMARY KEY REFERENCES players (id) ON DELETE CASCADE,
    handle_folded TEXT NOT NULL,
    is_hidden BOOLEAN NOT NULL DEFAULT FALSE,
    overall BIGINT NOT NULL DEFAULT 0,
    pu_player_kills BIGINT NOT NULL DEFAULT 0,
    pve_kills BIGINT NOT NULL DEFAULT 0,
    vehicle_destructions BIGINT NOT NULL DEFAULT 0,
    missions_completed BIGINT NOT NULL DEFAULT 0,
    playtime BIGINT NOT NULL DEFAULT 0,
    unknown_deaths BIGINT NOT NULL DEFAULT 0,
    last_active_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX player_scores_overall ON player_scores (overall DESC, handle_folded) WHERE overall > 0 AND NOT is_hidden;
CREATE INDEX player_scores_pu_player_kills ON player_scores (pu_player_kills DESC, handle_folded) WHERE pu_player_kills > 0 AND NOT is_hidden;
CREATE INDEX player_scores_pve_kills ON player_scores (pve_kills DESC, handle_folded) WHERE pve_kills > 0 AND NOT is_hidden;
CREATE INDEX player_scores_vehicle_destructions ON player_scores (vehicle_destructions DESC, handle_folded) WHERE vehicle_destructions > 0 AND NOT is_hidden;
CREATE INDEX player_scores_missions_completed ON player_scores (missions_completed DESC, handle_folded) WHERE missions_completed > 0 AND NOT is_hidden;
CREATE INDEX player_scores_playtime ON player_scores (playtime DESC, handle_folded) WHERE playtime > 0 AND NOT is_hidden;

-- Derived: the ten figures of a player in one game mode (1 PU, 2 AC).
CREATE TABLE player_counters (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    game_mode SMALLINT NOT NULL,
    player_kills BIGINT NOT NULL DEFAULT 0,
    player_deaths BIGINT NOT NULL DEFAULT 0,
    npc_kills BIGINT NOT NULL DEFAULT 0,
    npc_deaths BIGINT NOT NULL DEFAULT 0,
    vehicle_soft_death_caused BIGINT NOT NULL DEFAULT 0,
    vehicle_soft_death_received BIGINT NOT NULL DEFAULT 0,
    vehicle_destruction_caused BIGINT NOT NULL DEFAULT 0,
    vehicle_destruction_received BIGINT NOT NULL DEFAULT 0,
    vehicle_instant_destruction_caused BIGINT NOT NULL DEFAULT 0,
    vehicle_instant_destruction_received BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (player_id, game_mode)
) WITHOUT ROWID;

-- Derived: what was done on one UTC day (days since 1970); playtime falls on the day a session ended.
CREATE TABLE player_days (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    day INTEGER NOT NULL,
    pu_player_kills BIGINT NOT NULL DEFAULT 0,
    pve_kills BIGINT NOT NULL DEFAULT 0,
    vehicle_destructions BIGINT NOT NULL DEFAULT 0,
    missions_completed BIGINT NOT NULL DEFAULT 0,
    playtime BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (player_id, day)
) WITHOUT ROWID;
CREATE INDEX player_days_day ON player_days (day);

-- Derived: what was done in one patch. A version is major * 1,000,000 + minor * 1,000 + fix.
CREATE TABLE player_patches (
    patch_version BIGINT NOT NULL,
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    pu_player_kills BIGINT NOT NULL DEFAULT 0,
    pve_kills BIGINT NOT NULL DEFAULT 0,
    vehicle_destructions BIGINT NOT NULL DEFAULT 0,
    missions_completed BIGINT NOT NULL DEFAULT 0,
    playtime BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (patch_version, player_id)
) WITHOUT ROWID;

-- Derived: kills by weapon class, uses of a vehicle class, contracts. game_mode 0 is unknown.
CREATE TABLE weapon_use (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    game_mode SMALLINT NOT NULL,
    weapon TEXT NOT NULL,
    kills BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (player_id, game_mode, weapon)
) WITHOUT ROWID;
CREATE TABLE vehicle_use (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    game_mode SMALLINT NOT NULL,
    vehicle TEXT NOT NULL,
    uses BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (player_id, game_mode, vehicle)
) WITHOUT ROWID;
CREATE TABLE mission_use (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    contract TEXT NOT NULL,
    accepted BIGINT NOT NULL DEFAULT 0,
    completed BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (player_id, contract)
) WITHOUT ROWID;

-- Derived: one stay in the game.
CREATE TABLE play_sessions (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    login_at BIGINT NOT NULL,
    logout_at BIGINT,
    last_seen_at BIGINT NOT NULL,
    patch_version BIGINT,
    PRIMARY KEY (player_id, login_at)
) WITHOUT ROWID;
CREATE INDEX play_sessions_last_seen ON play_sessions (last_seen_at);

-- Figures that a player brought along and no stored event backs (a generated universe); JSON. A recount begins with them.
CREATE TABLE player_baselines (
    player_id BIGINT NOT NULL PRIMARY KEY REFERENCES players (id) ON DELETE CASCADE,
    figures TEXT NOT NULL
) WITHOUT ROWID;

-- The schema of Apogee. Times are epoch milliseconds and days are UTC days since 1970, unless a comment says otherwise. "Derived" rows
-- can be computed again from events.

-- Guilds and players

-- A guild is an organization of the game's site, and its tag is the SID there. The six figures are sums over the current members.
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
    career BIGINT NOT NULL DEFAULT 0,
    ships_flown BIGINT NOT NULL DEFAULT 0,
    -- Seconds in the Persistent Universe.
    universe_time BIGINT NOT NULL DEFAULT 0,
    -- Number of stored players in it, including hidden ones.
    known_members BIGINT NOT NULL DEFAULT 0,
    -- As read from the game's site; NULL before the first reading.
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
CREATE INDEX guilds_career ON guilds (career DESC, tag);
CREATE INDEX guilds_ships_flown ON guilds (ships_flown DESC, tag);
-- Which guilds show a picture that is removed.
CREATE INDEX guilds_guild_image ON guilds (guild_image) WHERE guild_image IS NOT NULL;
CREATE INDEX guilds_banner_image ON guilds (banner_image) WHERE banner_image IS NOT NULL;

CREATE TABLE players (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    handle TEXT NOT NULL,
    handle_folded TEXT NOT NULL UNIQUE,
    player_name TEXT NOT NULL,
    player_geid TEXT,
    -- The number of the account on the game's site, the only name that survives a change of handle.
    citizen_record TEXT,
    -- The main organization.
    guild_id BIGINT REFERENCES guilds (id),
    guild_rank TEXT,
    is_hidden BOOLEAN NOT NULL DEFAULT FALSE,
    -- How often the profile was hidden or shown since its events and feeds followed that; 0 once they have.
    feed_changes INTEGER NOT NULL DEFAULT 0,
    -- Claimed, named by the operator, or known to the game's site. Other names stand in events as text only.
    is_listed BOOLEAN NOT NULL DEFAULT TRUE,
    -- When the game's site was asked about a name that is not listed; 0 if never.
    site_asked_at BIGINT NOT NULL DEFAULT 0,
    profile_image TEXT,
    banner_image TEXT,
    -- JSON list of sticker ids; NULL until the owner chose.
    stickers TEXT,
    -- Whether the owner shares pay and places; events of these kinds are stored only then.
    shares_pay BOOLEAN NOT NULL DEFAULT FALSE,
    shares_places BOOLEAN NOT NULL DEFAULT FALSE,
    site_avatar_url TEXT,
    site_read_at BIGINT,
    views BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);
CREATE INDEX players_guild ON players (guild_id) WHERE guild_id IS NOT NULL;
CREATE INDEX players_hidden ON players (id) WHERE is_hidden;
CREATE INDEX players_feed_changes ON players (feed_changes) WHERE feed_changes > 0;
CREATE INDEX players_unlisted ON players (site_asked_at, id) WHERE NOT is_listed;
-- Which players show a picture that is removed.
CREATE INDEX players_profile_image ON players (profile_image) WHERE profile_image IS NOT NULL;
CREATE INDEX players_banner_image ON players (banner_image) WHERE banner_image IS NOT NULL;

-- Handles that a player had before.
CREATE TABLE former_handles (
    handle_folded TEXT NOT NULL,
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    handle TEXT NOT NULL,
    replaced_at BIGINT NOT NULL,
    PRIMARY KEY (handle_folded, player_id)
) WITHOUT ROWID;

-- Stickers given by hand, or earned by what cannot be counted again.
CREATE TABLE sticker_grants (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    sticker_id TEXT NOT NULL,
    granted_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, sticker_id)
) WITHOUT ROWID;

-- Figures of a player that no stored event supports (a generated universe), as JSON. A recount begins with them.
CREATE TABLE player_baselines (
    player_id BIGINT NOT NULL PRIMARY KEY REFERENCES players (id) ON DELETE CASCADE,
    figures TEXT NOT NULL
) WITHOUT ROWID;

-- How fresh the member list (roster) of each guild is, as read from the game's site.
CREATE TABLE guild_rosters (
    guild_id BIGINT NOT NULL PRIMARY KEY REFERENCES guilds (id) ON DELETE CASCADE,
    -- When the reading of the roster in use began; NULL before the first.
    read_at BIGINT,
    -- Of that roster: main members with a name, affiliates, members without a name, and all members as the site counts.
    main_members BIGINT NOT NULL DEFAULT 0,
    affiliates BIGINT NOT NULL DEFAULT 0,
    unnamed BIGINT NOT NULL DEFAULT 0,
    total BIGINT NOT NULL DEFAULT 0,
    -- The site lists more members than are read.
    is_partial BOOLEAN NOT NULL DEFAULT FALSE,
    -- The roster is not read again before this.
    next_at BIGINT NOT NULL DEFAULT 0,
    -- Readings in a row that failed, and why the last one did.
    failures INTEGER NOT NULL DEFAULT 0,
    last_error TEXT
);
CREATE INDEX guild_rosters_next ON guild_rosters (next_at);

-- The main members that rosters name. A person has one main organization.
CREATE TABLE roster_members (
    handle_folded TEXT NOT NULL PRIMARY KEY,
    guild_id BIGINT NOT NULL REFERENCES guilds (id) ON DELETE CASCADE,
    guild_rank TEXT
);
CREATE INDEX roster_members_guild ON roster_members (guild_id);

-- Figures of players

-- Derived: what boards sort by. handle_folded is a copy, and is_hidden is also true for names that are not listed, so that a board is
-- read from one index.
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
    career BIGINT NOT NULL DEFAULT 0,
    ships_flown BIGINT NOT NULL DEFAULT 0,
    -- Seconds in the Persistent Universe.
    universe_time BIGINT NOT NULL DEFAULT 0,
    unknown_deaths BIGINT NOT NULL DEFAULT 0,
    last_active_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX player_scores_overall ON player_scores (overall DESC, handle_folded) WHERE overall > 0 AND NOT is_hidden;
CREATE INDEX player_scores_pu_player_kills ON player_scores (pu_player_kills DESC, handle_folded) WHERE pu_player_kills > 0 AND NOT is_hidden;
CREATE INDEX player_scores_pve_kills ON player_scores (pve_kills DESC, handle_folded) WHERE pve_kills > 0 AND NOT is_hidden;
CREATE INDEX player_scores_vehicle_destructions ON player_scores (vehicle_destructions DESC, handle_folded) WHERE vehicle_destructions > 0 AND NOT is_hidden;
CREATE INDEX player_scores_missions_completed ON player_scores (missions_completed DESC, handle_folded) WHERE missions_completed > 0 AND NOT is_hidden;
CREATE INDEX player_scores_playtime ON player_scores (playtime DESC, handle_folded) WHERE playtime > 0 AND NOT is_hidden;
CREATE INDEX player_scores_career ON player_scores (career DESC, handle_folded) WHERE career > 0 AND NOT is_hidden;
CREATE INDEX player_scores_ships_flown ON player_scores (ships_flown DESC, handle_folded) WHERE ships_flown > 0 AND NOT is_hidden;

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

-- Derived: what was done on one day; playtime (milliseconds) falls on the day on which a session ended.
CREATE TABLE player_days (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    day INTEGER NOT NULL,
    pu_player_kills BIGINT NOT NULL DEFAULT 0,
    pve_kills BIGINT NOT NULL DEFAULT 0,
    vehicle_destructions BIGINT NOT NULL DEFAULT 0,
    missions_completed BIGINT NOT NULL DEFAULT 0,
    playtime BIGINT NOT NULL DEFAULT 0,
    career BIGINT NOT NULL DEFAULT 0,
    ships_flown BIGINT NOT NULL DEFAULT 0,
    -- Seconds in the Persistent Universe.
    universe_time BIGINT NOT NULL DEFAULT 0,
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
    career BIGINT NOT NULL DEFAULT 0,
    ships_flown BIGINT NOT NULL DEFAULT 0,
    -- Seconds in the Persistent Universe.
    universe_time BIGINT NOT NULL DEFAULT 0,
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
-- Derived: the ships that a player has controlled in the Persistent Universe, by the class that all copies of a ship share.
CREATE TABLE ships_flown (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    ship TEXT NOT NULL,
    -- Logs of some builds tell only one end of a use.
    entered BIGINT NOT NULL,
    exited BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    first_patch BIGINT,
    last_at BIGINT NOT NULL,
    PRIMARY KEY (player_id, ship)
) WITHOUT ROWID;
CREATE TABLE mission_use (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    contract TEXT NOT NULL,
    -- The contract class of the log, from which the type of a mission is derived; empty if unknown.
    class TEXT NOT NULL DEFAULT '',
    accepted BIGINT NOT NULL DEFAULT 0,
    completed BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (player_id, contract)
) WITHOUT ROWID;
-- Contracts that ended, by giver; empty if unknown.
CREATE TABLE giver_use (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    giver TEXT NOT NULL,
    completed BIGINT NOT NULL DEFAULT 0,
    failed BIGINT NOT NULL DEFAULT 0,
    abandoned BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (player_id, giver)
) WITHOUT ROWID;

-- Derived: one session in the game (kind 1), or one stay in the Persistent Universe (kind 2), whose login is its arrival.
CREATE TABLE play_sessions (
    player_id BIGINT NOT NULL REFERENCES players (id) ON DELETE CASCADE,
    kind SMALLINT NOT NULL,
    login_at BIGINT NOT NULL,
    logout_at BIGINT,
    last_seen_at BIGINT NOT NULL,
    patch_version BIGINT,
    PRIMARY KEY (player_id, kind, login_at)
) WITHOUT ROWID;
CREATE INDEX play_sessions_last_seen ON play_sessions (last_seen_at) WHERE kind = 1;

-- Accounts

CREATE TABLE users (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    discord_id TEXT NOT NULL UNIQUE,
    discord_username TEXT NOT NULL,
    discord_global_name TEXT,
    discord_avatar TEXT,
    discord_discriminator TEXT,
    discord_email TEXT,
    -- The claimed player; a player has one owner.
    player_id BIGINT UNIQUE REFERENCES players (id),
    -- The guild that this user may edit.
    guild_id BIGINT UNIQUE REFERENCES guilds (id),
    linked_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL,
    -- An admin blocked the account: its keys upload nothing.
    blocked_at BIGINT
);

-- A signed-in browser. token_id is the only token that may be presented; an older one ends the session.
CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token_id TEXT NOT NULL,
    -- A name made of the User-Agent.
    device TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    refreshed_at BIGINT NOT NULL,
    last_seen_at BIGINT NOT NULL DEFAULT 0,
    ended_at BIGINT
);
CREATE INDEX sessions_user ON sessions (user_id);

-- A code that is waiting to be found on the game's site. kind: 1 player, 2 guild; target: folded handle or tag.
CREATE TABLE claims (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind SMALLINT NOT NULL,
    target TEXT NOT NULL,
    code TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (user_id, kind)
);

-- kind: 0 verify, 1 start. Both ask the game's site, and each has its own limit.
CREATE TABLE claim_attempts (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    attempted_at BIGINT NOT NULL,
    kind SMALLINT NOT NULL DEFAULT 0,
    PRIMARY KEY (user_id, attempted_at)
);

-- Uploaded pictures; is_used once settings name them, else they are swept after a day.
CREATE TABLE uploads (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL,
    path TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    bytes BIGINT NOT NULL,
    is_used BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL
);

-- Readers and their keys

CREATE TABLE ingest_keys (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    -- SHA-256 of the key; the key itself is shown once and stored nowhere.
    key_hash TEXT NOT NULL UNIQUE,
    user_id BIGINT,
    -- Operator keys are created on the command line. Every other key follows the rules of account keys.
    is_operator BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    -- Set by a restore: the key uploads nothing until its owner or an admin confirms it.
    review_since BIGINT,
    revoked_at BIGINT,
    -- An admin blocked the key: it uploads nothing.
    blocked_at BIGINT
);

-- A log reader that waits for its owner to confirm the short code it shows. state: 0 waiting, 1 confirmed, 2 refused. network: a hash
-- of where the reader asked from.
CREATE TABLE reader_logins (
    key_hash TEXT NOT NULL PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    network TEXT NOT NULL,
    state SMALLINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX reader_logins_created_at ON reader_logins (created_at);

-- Lines of the game's log that readers did not recognize, without names and numbers, and how often they were reported.
CREATE TABLE unknown_lines (
    line TEXT NOT NULL PRIMARY KEY,
    patch TEXT NOT NULL,
    report_count BIGINT NOT NULL,
    first_reported_at BIGINT NOT NULL,
    last_reported_at BIGINT NOT NULL
) WITHOUT ROWID;

-- The logs of the game that readers name in the header Apogee-Log. Ids are never used again, because events of a deleted log keep
-- its id.
CREATE TABLE logs (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    ingest_key_id BIGINT NOT NULL,
    -- The reader's id of the log.
    log TEXT NOT NULL,
    -- The handle that the log names as the local player's.
    handle TEXT,
    handle_folded TEXT,
    build TEXT,
    branch TEXT,
    channel TEXT,
    -- Name and version of the reader.
    reader TEXT,
    -- First and last timestamp of the log, and when its first batch arrived.
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    UNIQUE (ingest_key_id, log)
);
-- Logs of one player at the same time.
CREATE INDEX logs_handle ON logs (handle_folded, first_at) WHERE handle_folded IS NOT NULL;

-- The range of the events that a key reported on a day, and how many reports it sent; day -1: imported events.
CREATE TABLE key_days (
    key_id BIGINT NOT NULL,
    day INTEGER NOT NULL,
    first_id BIGINT NOT NULL,
    last_id BIGINT NOT NULL,
    reports BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (key_id, day)
) WITHOUT ROWID;

-- Events

-- One row. last_id: the id of the last event. message_count: how many live messages followed it. last_change: the id of the last row of
-- changes. All are taken inside the transaction that stores the events, so ids follow the order of commits, have no holes, and mean
-- the same in every process.
CREATE TABLE event_clock (
    id SMALLINT NOT NULL PRIMARY KEY,
    last_id BIGINT NOT NULL,
    message_count BIGINT NOT NULL DEFAULT 0,
    last_change BIGINT NOT NULL DEFAULT 0
);
INSERT INTO event_clock (id, last_id) VALUES (1, 0);

-- Reports of what happened: one row per event and account. Several reports of one fight, or of one event by several accounts, are one
-- event outside, with the id of the first report; the others name it in fight_of. A report that is removed keeps its row.
-- identity: equal for the same event sent again. account: 0 for operator keys, the id of a user, or the negative id of a key without a
-- user. fight: equal for one fight that several readers report.
-- category: 0 other, 1 pvp, 2 pve, 3 vehicles, 4 missions, 5 login, 6 logout, 7 connection, 8 counts but is in no
-- feed, 9 stored only while the owner of the player shares such events (pay, places).
CREATE TABLE events (
    id INTEGER NOT NULL PRIMARY KEY,
    identity BLOB NOT NULL,
    account BIGINT NOT NULL DEFAULT 0,
    fight BIGINT,
    fight_of BIGINT,
    identifier SMALLINT NOT NULL,
    category SMALLINT NOT NULL,
    event_time BIGINT NOT NULL,
    event_id TEXT,
    game_mode SMALLINT NOT NULL,
    sub_game_mode TEXT,
    patch_version BIGINT,
    killer_id BIGINT,
    victim_id BIGINT,
    player_id BIGINT,
    killer_npc TEXT,
    victim_npc TEXT,
    player_npc TEXT,
    weapon TEXT,
    vehicle_name TEXT,
    damage_type TEXT,
    zone TEXT,
    contract_id TEXT,
    contract_name TEXT,
    text TEXT,
    -- A mission with an id is accepted, completed and ended once. outcome: failed, abandoned, withdrawn or deactivated. seconds: loading
    -- time, or since the mission was accepted. amount: aUEC.
    mission_id TEXT,
    issuer TEXT,
    contract_kind TEXT,
    outcome TEXT,
    seconds BIGINT,
    amount BIGINT,
    -- Its key and when it arrived (NULL if unknown), and its log (NULL if the sender did not name one).
    ingest_key_id BIGINT,
    log_id BIGINT,
    received_at BIGINT,
    -- Sides as bits: 1 killer, 2 victim, 4 player. reported_sides: those for which the log speaks, 7 for an operator's. sides: those of
    -- them that no earlier report of the event covers; the report is in the feeds of these players.
    reported_sides SMALLINT NOT NULL DEFAULT 7,
    sides SMALLINT NOT NULL DEFAULT 7,
    -- 0 counts, 1 its patch is not adopted yet, 2 another channel than LIVE; 4 more: removed by an admin, 8 more: its account or key is
    -- blocked.
    state SMALLINT NOT NULL DEFAULT 0,
    -- Not in the feed of everybody: an earlier report is shown instead, the report is removed or blocked, or its players are hidden.
    is_hidden BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE UNIQUE INDEX events_identity ON events (identity, account);
CREATE INDEX events_time ON events (event_time, id);
CREATE INDEX events_fight ON events (fight, event_time) WHERE fight IS NOT NULL;
-- The feed of everybody.
CREATE INDEX events_listed ON events (category, event_time, id) WHERE NOT is_hidden;
-- Arrivals in a game mode: matches and sessions of a player are counted from them.
CREATE INDEX events_arrivals ON events (player_id, game_mode, event_time) WHERE category = 7;
CREATE INDEX events_fight_of ON events (fight_of) WHERE fight_of IS NOT NULL;
-- The accounts that report a contract by its name.
CREATE INDEX events_contracts ON events (contract_name, account) WHERE contract_name IS NOT NULL;
-- The accounts that report a blueprint by its name.
CREATE INDEX events_blueprints ON events (text, account) WHERE identifier = 37;
CREATE INDEX events_opt_in ON events (player_id, event_time) WHERE category = 9;
CREATE INDEX events_uncounted ON events (patch_version) WHERE state = 1;

-- The players for whom a report stands: the feeds of players and guilds. guild_id follows the current guild of the player.
CREATE TABLE event_players (
    player_id BIGINT NOT NULL,
    event_time BIGINT NOT NULL,
    event_id BIGINT NOT NULL,
    category SMALLINT NOT NULL,
    guild_id BIGINT,
    PRIMARY KEY (player_id, event_time, event_id)
) WITHOUT ROWID;
CREATE INDEX event_players_guild ON event_players (guild_id, event_time, event_id) WHERE guild_id IS NOT NULL;

-- A patch appears on the site once it is adopted or pinned. A pinned one is current.
CREATE TABLE patches (
    version BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    npc_kills BIGINT NOT NULL DEFAULT 0,
    player_kills BIGINT NOT NULL DEFAULT 0,
    vehicle_destructions BIGINT NOT NULL DEFAULT 0,
    adopted_at BIGINT,
    pinned_at BIGINT
);

-- When an account last reported a login on a patch that is not adopted, by arrival.
CREATE TABLE patch_reports (
    version BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    reported_at BIGINT NOT NULL,
    PRIMARY KEY (version, user_id)
) WITHOUT ROWID;

-- Derived: use over a patch. kind: 1 vehicle, 2 weapon, 3 contract, 4 giver of contracts, 5 loading time in seconds, 6 sum of all players.
CREATE TABLE patch_use (
    patch_version BIGINT NOT NULL,
    kind SMALLINT NOT NULL,
    name TEXT NOT NULL,
    uses BIGINT NOT NULL DEFAULT 0,
    completed BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (patch_version, kind, name)
) WITHOUT ROWID;

-- Moderation

-- What admins did. action: 1 block, 2 unblock, 3 remove, 4 restore, 5 pin, 6 rename, 7 merge. The target is one of key_id, user_id,
-- player_id, event_id and patch_version; into_player_id: the player that a merged one becomes; argument: the new handle of a renamed one.
-- name: what the history shows. actor_id: the admin, NULL for the command line. Until is_applied, a job applies the entry, or once it is
-- undone, its undoing, to the reports after position up to last_id.
CREATE TABLE moderation (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at BIGINT NOT NULL,
    actor_id BIGINT,
    action SMALLINT NOT NULL,
    key_id BIGINT,
    user_id BIGINT,
    player_id BIGINT,
    event_id BIGINT,
    patch_version BIGINT,
    into_player_id BIGINT,
    argument TEXT,
    name TEXT,
    from_time BIGINT,
    until_time BIGINT,
    reason TEXT NOT NULL,
    undone_at BIGINT,
    undone_by BIGINT,
    is_applied BOOLEAN NOT NULL DEFAULT FALSE,
    position BIGINT NOT NULL DEFAULT 0,
    last_id BIGINT NOT NULL DEFAULT 0,
    done BIGINT NOT NULL DEFAULT 0,
    total BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX moderation_pending ON moderation (id) WHERE NOT is_applied;

-- The roles that a merge of players changed, as sides of the report.
CREATE TABLE merged_reports (
    moderation_id BIGINT NOT NULL,
    report_id BIGINT NOT NULL,
    sides SMALLINT NOT NULL,
    PRIMARY KEY (moderation_id, report_id)
) WITHOUT ROWID;

-- Visits and commits

-- Page visits without address and fingerprint: raw rows live five days, daily sums remain.
CREATE TABLE visits (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    visited_at BIGINT NOT NULL,
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    page_path TEXT NOT NULL,
    data TEXT NOT NULL
);
CREATE INDEX visits_visited_at ON visits (visited_at);
-- Whether a session was already seen on that day.
CREATE INDEX visits_session ON visits (session_id, visited_at);
CREATE TABLE visit_days (
    day INTEGER NOT NULL,
    page_path TEXT NOT NULL,
    kind TEXT NOT NULL,
    visits BIGINT NOT NULL DEFAULT 0,
    total_ms BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (day, page_path, kind)
) WITHOUT ROWID;

-- Who has viewed which profile on the current day, as hashes with a random salt that all processes share. Both are deleted when the
-- day ends.
CREATE TABLE view_salts (
    day INTEGER NOT NULL PRIMARY KEY,
    salt TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE profile_viewers (
    day INTEGER NOT NULL,
    viewer BIGINT NOT NULL,
    PRIMARY KEY (day, viewer)
) WITHOUT ROWID;

CREATE TABLE commits (
    id TEXT NOT NULL PRIMARY KEY,
    author_name TEXT,
    author_username TEXT,
    author_avatar_url TEXT,
    -- Epoch seconds.
    committed_at BIGINT NOT NULL,
    message TEXT NOT NULL,
    branch TEXT NOT NULL,
    repository TEXT NOT NULL
);
CREATE INDEX commits_newest ON commits (committed_at DESC, id);

-- Discord, GitHub and webhooks

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
    created_at BIGINT NOT NULL,
    -- Nothing is sent to the channel before this.
    next_at BIGINT NOT NULL DEFAULT 0,
    -- Attempts in a row that failed, and why the last one did.
    failures INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    posted_at BIGINT,
    -- The board is not compared before this.
    board_due_at BIGINT NOT NULL DEFAULT 0,
    -- How many board messages were begun; a new one has its own nonce.
    board_count BIGINT NOT NULL DEFAULT 0,
    -- SHA-256 of the rendered board, to recognize a change.
    board_digest TEXT
);

-- Messages that are not yet known to be in their channel; at most one per feed. The id is the nonce. Queues hold the ids of events: a
-- message is rendered when it is sent, so it shows only what is public at that moment.
CREATE TABLE statsfeed_outbox (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    feed_id BIGINT NOT NULL UNIQUE REFERENCES statsfeed_channels (id) ON DELETE CASCADE,
    -- JSON array.
    event_ids TEXT NOT NULL DEFAULT '[]',
    created_at BIGINT NOT NULL,
    -- When it was sent for the first time without a clear answer.
    attempted_at BIGINT
);

-- Received deliveries of GitHub, so that a repeated one changes nothing.
CREATE TABLE github_deliveries (
    id TEXT NOT NULL PRIMARY KEY,
    received_at BIGINT NOT NULL
);
CREATE INDEX github_deliveries_received_at ON github_deliveries (received_at);

-- The position of each outgoing webhook of the settings.
CREATE TABLE webhook_positions (
    name TEXT NOT NULL PRIMARY KEY,
    last_event_id BIGINT NOT NULL,
    disabled_reason TEXT
);

-- Messages to outgoing webhooks and their outcome; the log of the last days.
CREATE TABLE webhook_deliveries (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- The id that the receiver sees.
    message_id TEXT NOT NULL,
    webhook TEXT NOT NULL,
    event TEXT NOT NULL,
    -- JSON array; NULL for messages that are not about events, which keep their text in body.
    event_ids TEXT,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- Of the last attempt: the HTTP status, else the error.
    status INTEGER,
    error TEXT,
    -- When it was delivered or given up.
    done_at BIGINT,
    is_delivered BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook, id) WHERE done_at IS NULL;
CREATE INDEX webhook_deliveries_created_at ON webhook_deliveries (created_at);

-- Processes

-- Who does a piece of work when several processes share the database.
CREATE TABLE leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    -- Other processes may take the lease from then on.
    expires_at BIGINT NOT NULL,
    -- The work is suspended until then, whichever process holds the lease.
    paused_until BIGINT NOT NULL DEFAULT 0
);

-- What one process announces to the others, in the order of commits and without holes; kept for some minutes. Written only on PostgreSQL,
-- where several processes may serve one database.
CREATE TABLE changes (
    id BIGINT NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    -- The event clock at that moment, and how many messages had followed it.
    event_id BIGINT NOT NULL,
    message_offset BIGINT NOT NULL,
    -- JSON.
    body TEXT NOT NULL
);
CREATE INDEX changes_created_at ON changes (created_at);

-- The generated universe that an empty database was filled with; `serve --demo` continues it, and starts with no other data. One row.
-- filled_at is NULL until it is complete.
CREATE TABLE demo_universe (
    id SMALLINT NOT NULL PRIMARY KEY,
    seed BIGINT NOT NULL,
    players BIGINT NOT NULL,
    guilds BIGINT NOT NULL,
    events BIGINT NOT NULL,
    key_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    filled_at BIGINT
) WITHOUT ROWID;

-- Search

-- Players (kind 1) and guilds (kind 2) that something else than events changed; the search index follows this table.
CREATE TABLE search_changes (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind SMALLINT NOT NULL,
    entity_id BIGINT NOT NULL
);

-- Triggers write the table, so that no writer can forget it.
CREATE TRIGGER players_inserted AFTER INSERT ON players
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
END;
CREATE TRIGGER players_updated AFTER UPDATE OF handle, player_name, guild_id, is_hidden ON players
WHEN OLD.handle IS NOT NEW.handle OR OLD.player_name IS NOT NEW.player_name OR OLD.guild_id IS NOT NEW.guild_id
    OR OLD.is_hidden IS NOT NEW.is_hidden
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
    INSERT INTO search_changes (kind, entity_id)
        SELECT 2, g.id FROM guilds g WHERE g.id IN (OLD.guild_id, NEW.guild_id) AND OLD.guild_id IS NOT NEW.guild_id;
END;
-- A command beside a running server can take a sticker off a player: the server learns from this entry that boards are stale.
CREATE TRIGGER players_stickers_updated AFTER UPDATE OF stickers ON players
WHEN OLD.stickers IS NOT NEW.stickers
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
END;
CREATE TRIGGER players_deleted AFTER DELETE ON players
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.id);
END;
CREATE TRIGGER guilds_inserted AFTER INSERT ON guilds
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, NEW.id);
END;
CREATE TRIGGER guilds_updated AFTER UPDATE OF tag, name ON guilds
WHEN OLD.tag IS NOT NEW.tag OR OLD.name IS NOT NEW.name
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, NEW.id);
END;
CREATE TRIGGER guilds_deleted AFTER DELETE ON guilds
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, OLD.id);
END;
CREATE TRIGGER former_handles_inserted AFTER INSERT ON former_handles
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.player_id);
END;
CREATE TRIGGER former_handles_deleted AFTER DELETE ON former_handles
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.player_id);
END;
-- The owner of a player decides which look-alikes are listed below it.
CREATE TRIGGER owners_inserted AFTER INSERT ON users WHEN NEW.player_id IS NOT NULL
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.player_id);
END;
CREATE TRIGGER owners_updated AFTER UPDATE OF player_id ON users WHEN OLD.player_id IS NOT NEW.player_id
BEGIN
    INSERT INTO search_changes (kind, entity_id)
        SELECT 1, p.id FROM players p WHERE p.id IN (OLD.player_id, NEW.player_id);
END;
CREATE TRIGGER owners_deleted AFTER DELETE ON users WHEN OLD.player_id IS NOT NULL
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.player_id);
END;

-- One row, whose number is the id of the last event: taken inside the transaction that stores the events, so
-- ids follow the order of commits and have no holes.
CREATE TABLE event_clock (
    one SMALLINT NOT NULL PRIMARY KEY,
    last_id BIGINT NOT NULL
);
INSERT INTO event_clock (one, last_id) VALUES (1, 0);

CREATE TABLE ingest_keys (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    -- SHA-256 of the key; the key itself is shown once and kept nowhere.
    key_hash TEXT NOT NULL UNIQUE,
    user_id BIGINT,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT,
    revoked_at BIGINT
);

CREATE TABLE patches (
    version BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    npc_kills BIGINT NOT NULL DEFAULT 0,
    player_kills BIGINT NOT NULL DEFAULT 0,
    vehicle_destructions BIGINT NOT NULL DEFAULT 0
);

-- Derived: use over a patch. kind: 1 vehicle, 2 weapon, 3 contract.
CREATE TABLE patch_use (
    patch_version BIGINT NOT NULL,
    kind SMALLINT NOT NULL,
    name TEXT NOT NULL,
    uses BIGINT NOT NULL DEFAULT 0,
    completed BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (patch_version, kind, name)
) WITHOUT ROWID;

-- What happened. identity: equal for the same event sent again. fight: equal for one fight told by several readers.
-- category: 0 other, 1 pvp, 2 pve, 3 vehicles, 4 missions, 5 login, 6 logout, 7 connection.
CREATE TABLE events (
    id INTEGER NOT NULL PRIMARY KEY,
    identity BLOB NOT NULL UNIQUE,
    fight BIGINT,
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
    ingest_key_id BIGINT,
    witnesses INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX events_time ON events (event_time, id);
CREATE INDEX events_category ON events (category, event_time, id);
CREATE INDEX events_fight ON events (fight, event_time) WHERE fight IS NOT NULL;

-- Readers beyond the first who told of an event.
CREATE TABLE event_witnesses (
    event_id BIGINT NOT NULL,
    ingest_key_id BIGINT NOT NULL,
    identity BLOB NOT NULL,
    event_time BIGINT NOT NULL,
    PRIMARY KEY (event_id, ingest_key_id)
) WITHOUT ROWID;
CREATE INDEX event_witnesses_identity ON event_witnesses (identity);

-- Who was in an event: the feeds of players and guilds. guild_id follows the player's guild of now.
CREATE TABLE event_players (
    player_id BIGINT NOT NULL,
    event_time BIGINT NOT NULL,
    event_id BIGINT NOT NULL,
    category SMALLINT NOT NULL,
    guild_id BIGINT,
    PRIMARY KEY (player_id, event_time, event_id)
) WITHOUT ROWID;
CREATE INDEX event_players_guild ON event_players (guild_id, event_time, event_id) WHERE guild_id IS NOT NULL;

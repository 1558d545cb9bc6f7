ALTER TABLE patches DROP COLUMN pinned_at;
ALTER TABLE patches DROP COLUMN adopted_at;
DROP TABLE patch_reports;
DROP TABLE user_days;
ALTER TABLE event_witnesses DROP COLUMN differs;
ALTER TABLE event_witnesses DROP COLUMN received_at;
CREATE TABLE events_unscoped (
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
    witnesses INTEGER NOT NULL DEFAULT 1,
    is_hidden BOOLEAN NOT NULL DEFAULT FALSE
);
INSERT OR IGNORE INTO events_unscoped (
    id, identity, fight, identifier, category, event_time, event_id, game_mode, sub_game_mode, patch_version, killer_id, victim_id,
    player_id, killer_npc, victim_npc, player_npc, weapon, vehicle_name, damage_type, zone, contract_id, contract_name, text,
    ingest_key_id, witnesses, is_hidden)
SELECT id, identity, fight, identifier, category, event_time, event_id, game_mode, sub_game_mode, patch_version, killer_id, victim_id,
    player_id, killer_npc, victim_npc, player_npc, weapon, vehicle_name, damage_type, zone, contract_id, contract_name, text,
    ingest_key_id, witnesses, is_hidden
FROM events ORDER BY id;
DROP TABLE events;
ALTER TABLE events_unscoped RENAME TO events;
CREATE INDEX events_time ON events (event_time, id);
CREATE INDEX events_fight ON events (fight, event_time) WHERE fight IS NOT NULL;
CREATE INDEX events_listed ON events (category, event_time, id) WHERE NOT is_hidden;
CREATE INDEX events_arrivals ON events (player_id, game_mode, event_time) WHERE category = 7;
DELETE FROM event_players WHERE event_id NOT IN (SELECT id FROM events);
DELETE FROM event_witnesses WHERE event_id NOT IN (SELECT id FROM events);
ALTER TABLE ingest_keys DROP COLUMN is_operator;

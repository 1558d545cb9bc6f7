-- Operator keys are created on the command line. Every other key follows the rules of account keys.
ALTER TABLE ingest_keys ADD COLUMN is_operator BOOLEAN NOT NULL DEFAULT FALSE;
-- Keys of deleted accounts have no user either, and imports add a revoked key for each reader that they do not know.
UPDATE ingest_keys SET is_operator = TRUE
WHERE user_id IS NULL
    AND NOT (name = 'deleted' AND revoked_at IS NOT NULL)
    AND (key_hash = 'import' OR NOT (name = 'imported' AND revoked_at = created_at));

-- identity: equal for the same event sent again by the same account; operator keys share one account. It is not unique, so that no
-- account can occupy the identity of another one's event. SQLite drops a UNIQUE constraint only with its table.
-- grade: 0 legacy (reported before grades existed, or without provenance), 1 operator. received_at: when the report that stands
-- arrived, NULL if unknown.
CREATE TABLE events_scoped (
    id INTEGER NOT NULL PRIMARY KEY,
    identity BLOB NOT NULL,
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
    is_hidden BOOLEAN NOT NULL DEFAULT FALSE,
    grade SMALLINT NOT NULL DEFAULT 0,
    received_at BIGINT
);
INSERT INTO events_scoped (
    id, identity, fight, identifier, category, event_time, event_id, game_mode, sub_game_mode, patch_version, killer_id, victim_id,
    player_id, killer_npc, victim_npc, player_npc, weapon, vehicle_name, damage_type, zone, contract_id, contract_name, text,
    ingest_key_id, witnesses, is_hidden, grade
)
SELECT e.id, e.identity, e.fight, e.identifier, e.category, e.event_time, e.event_id, e.game_mode, e.sub_game_mode, e.patch_version,
    e.killer_id, e.victim_id, e.player_id, e.killer_npc, e.victim_npc, e.player_npc, e.weapon, e.vehicle_name, e.damage_type, e.zone,
    e.contract_id, e.contract_name, e.text, e.ingest_key_id, e.witnesses, e.is_hidden,
    CASE WHEN e.ingest_key_id IS NULL OR k.is_operator THEN 1 ELSE 0 END
FROM events e LEFT JOIN ingest_keys k ON k.id = e.ingest_key_id ORDER BY e.id;
DROP TABLE events;
ALTER TABLE events_scoped RENAME TO events;
CREATE INDEX events_identity ON events (identity);
CREATE INDEX events_time ON events (event_time, id);
CREATE INDEX events_fight ON events (fight, event_time) WHERE fight IS NOT NULL;
CREATE INDEX events_listed ON events (category, event_time, id) WHERE NOT is_hidden;
CREATE INDEX events_arrivals ON events (player_id, game_mode, event_time) WHERE category = 7;

-- received_at: when the report arrived, NULL if unknown. differs: a JSON object of the fields that contradict the event.
ALTER TABLE event_witnesses ADD COLUMN received_at BIGINT;
ALTER TABLE event_witnesses ADD COLUMN differs TEXT;

-- The UTC days (days since 1970) on which an account made an authenticated call. No foreign key: an upload may end after the
-- account was deleted.
CREATE TABLE user_days (
    user_id BIGINT NOT NULL,
    day INTEGER NOT NULL,
    PRIMARY KEY (user_id, day)
) WITHOUT ROWID;
INSERT INTO user_days (user_id, day)
SELECT id, linked_at / 86400000 FROM users UNION
SELECT id, last_seen_at / 86400000 FROM users UNION
SELECT user_id, created_at / 86400000 FROM sessions UNION
SELECT user_id, refreshed_at / 86400000 FROM sessions UNION
SELECT k.user_id, k.last_used_at / 86400000 FROM ingest_keys k JOIN users u ON u.id = k.user_id
    WHERE k.last_used_at IS NOT NULL;

-- The newest live login that an account reported on a patch that is not adopted.
CREATE TABLE patch_reports (
    version BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    reported_at BIGINT NOT NULL,
    PRIMARY KEY (version, user_id)
) WITHOUT ROWID;

-- A patch appears on the site once it is adopted. A pinned one is current.
ALTER TABLE patches ADD COLUMN adopted_at BIGINT;
ALTER TABLE patches ADD COLUMN pinned_at BIGINT;
UPDATE patches SET adopted_at = CAST(strftime('%s', 'now') AS INTEGER) * 1000
WHERE version IN (
    SELECT c.version FROM (
        SELECT version, CASE WHEN name LIKE 'ALPHA %' THEN substr(name, 7) WHEN name LIKE 'sc-alpha-%' THEN substr(name, 10)
            ELSE name END AS number FROM patches
    ) c
    WHERE c.number GLOB '[0-9]*.[0-9]*' AND c.number NOT GLOB '*[^0-9.]*' AND c.number NOT LIKE '%.%.%.%'
        AND c.number NOT LIKE '%.' AND c.number NOT LIKE '%..%'
) AND version IN (
    SELECT e.patch_version FROM events e LEFT JOIN ingest_keys k ON k.id = e.ingest_key_id
    GROUP BY e.patch_version
    HAVING MAX(e.grade) = 1 OR COUNT(DISTINCT k.user_id) > 1
);
UPDATE patches SET name = 'ALPHA ' || (version / 1000000) || '.' || (version / 1000 % 1000) || '.' || (version % 1000)
WHERE NOT (name GLOB 'ALPHA [0-9]*.[0-9]*' AND substr(name, 7) NOT GLOB '*[^0-9.]*' AND name NOT LIKE '%.%.%.%'
    AND name NOT LIKE '%.' AND name NOT LIKE '%..%');

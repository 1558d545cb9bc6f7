-- The generated universe that an empty database was filled with; `serve --demo` goes on with it, and with no other data.
-- filled_at is NULL until all of it is in.
CREATE TABLE demo_universe (
    one SMALLINT NOT NULL PRIMARY KEY,
    seed BIGINT NOT NULL,
    players BIGINT NOT NULL,
    guilds BIGINT NOT NULL,
    events BIGINT NOT NULL,
    key_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    filled_at BIGINT
) WITHOUT ROWID;

-- Databases that `serve --demo` filled before there was a mark: as many players and guilds as it makes, and no event that
-- anyone else has sent.
INSERT INTO demo_universe (one, seed, players, guilds, events, key_id, created_at, filled_at)
SELECT 1, 7, 2000, 80, 60000, k.id, k.at, k.at
FROM (SELECT MIN(id) AS id, MIN(created_at) AS at FROM ingest_keys WHERE name = 'demo' AND user_id IS NULL) k
WHERE k.id IS NOT NULL
    AND (SELECT COUNT(*) FROM players) = 2000
    AND (SELECT COUNT(*) FROM guilds) = 80
    AND EXISTS (SELECT 1 FROM events)
    AND NOT EXISTS (
        SELECT 1 FROM events e
        WHERE NOT EXISTS (
            SELECT 1 FROM ingest_keys d WHERE d.id = e.ingest_key_id AND d.name = 'demo' AND d.user_id IS NULL
        )
    );

-- Operator keys are created on the command line. Every other key follows the rules of account keys.
ALTER TABLE ingest_keys ADD COLUMN is_operator BOOLEAN NOT NULL DEFAULT FALSE;
-- Keys of deleted accounts have no user either, and imports add a revoked key for each reader that they do not know.
UPDATE ingest_keys SET is_operator = TRUE
WHERE user_id IS NULL
    AND NOT (name = 'deleted' AND revoked_at IS NOT NULL)
    AND (key_hash = 'import' OR NOT (name = 'imported' AND revoked_at = created_at));

-- identity: equal for the same event sent again by the same account; operator keys share one account. It is not unique, so that no
-- account can occupy the identity of another one's event.
ALTER TABLE events DROP CONSTRAINT events_identity_key;
CREATE INDEX events_identity ON events (identity);
-- 0 legacy (reported before grades existed, or without provenance), 1 operator.
ALTER TABLE events ADD COLUMN grade SMALLINT NOT NULL DEFAULT 0;
UPDATE events SET grade = 1
WHERE ingest_key_id IS NULL OR ingest_key_id IN (SELECT id FROM ingest_keys WHERE is_operator);
-- When the report that stands arrived, NULL if unknown.
ALTER TABLE events ADD COLUMN received_at BIGINT;

-- received_at: when the report arrived, NULL if unknown. differs: a JSON object of the fields that contradict the event.
ALTER TABLE event_witnesses ADD COLUMN received_at BIGINT;
ALTER TABLE event_witnesses ADD COLUMN differs TEXT;

-- The UTC days (days since 1970) on which an account made an authenticated call. No foreign key: an upload may end after the
-- account was deleted.
CREATE TABLE user_days (
    user_id BIGINT NOT NULL,
    day INTEGER NOT NULL,
    PRIMARY KEY (user_id, day)
);
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
);

-- A patch appears on the site once it is adopted. A pinned one is current.
ALTER TABLE patches ADD COLUMN adopted_at BIGINT;
ALTER TABLE patches ADD COLUMN pinned_at BIGINT;
UPDATE patches SET adopted_at = (EXTRACT(EPOCH FROM now()) * 1000)::bigint
WHERE name ~* '^(ALPHA |sc-alpha-)?[0-9]+\.[0-9]+(\.[0-9]+)?$' AND version IN (
    SELECT e.patch_version FROM events e LEFT JOIN ingest_keys k ON k.id = e.ingest_key_id
    GROUP BY e.patch_version
    HAVING MAX(e.grade) = 1 OR COUNT(DISTINCT k.user_id) > 1
);
UPDATE patches SET name = 'ALPHA ' || (version / 1000000) || '.' || (version / 1000 % 1000) || '.' || (version % 1000)
WHERE name !~ '^ALPHA [0-9]+\.[0-9]+(\.[0-9]+)?$';

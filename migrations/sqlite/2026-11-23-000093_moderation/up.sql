-- Why an event does not count, as bits: 1 held by an admin, 2 voided by an admin, 4 all its reports are void. It stands if none is set.
ALTER TABLE events ADD COLUMN reasons INTEGER NOT NULL DEFAULT 0;
CREATE INDEX events_withheld ON events (id) WHERE reasons <> 0;
-- report: the report as JSON, NULL for reports of earlier versions. is_void: whether an admin voided the report.
ALTER TABLE event_witnesses ADD COLUMN report TEXT;
ALTER TABLE event_witnesses ADD COLUMN is_void BOOLEAN NOT NULL DEFAULT FALSE;

-- The range of the events that a key reported on a UTC day (days since 1970); day -1: before such ranges existed, or imported.
CREATE TABLE key_days (
    key_id BIGINT NOT NULL,
    day INTEGER NOT NULL,
    first_id BIGINT NOT NULL,
    last_id BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
) WITHOUT ROWID;
INSERT INTO key_days (key_id, day, first_id, last_id)
SELECT key_id, -1, MIN(event_id), MAX(event_id) FROM (
    SELECT ingest_key_id AS key_id, MIN(id) AS event_id FROM events WHERE ingest_key_id IS NOT NULL GROUP BY ingest_key_id
    UNION ALL
    SELECT ingest_key_id, MAX(id) FROM events WHERE ingest_key_id IS NOT NULL GROUP BY ingest_key_id
    UNION ALL
    SELECT ingest_key_id, event_id FROM event_witnesses
) GROUP BY key_id;

-- Accounts whose reports an admin voided create no keys.
ALTER TABLE users ADD COLUMN banned_at BIGINT;

-- What admins did to events. action: 1 void, 2 hold, 3 release, 4 undo. target: 1 key, 2 account, 3 player, 4 events; subject: its id, or
-- the ids of events as a JSON array. name: its public name. actor_id: the admin, NULL for the command line. state: 1 running, 2 done.
-- position: the last event that was processed; last_id: the last event that existed.
CREATE TABLE ledger (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at BIGINT NOT NULL,
    actor_id BIGINT,
    action SMALLINT NOT NULL,
    target SMALLINT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT,
    from_time BIGINT,
    until_time BIGINT,
    reason TEXT NOT NULL,
    state SMALLINT NOT NULL,
    position BIGINT NOT NULL DEFAULT 0,
    last_id BIGINT NOT NULL,
    done BIGINT NOT NULL DEFAULT 0,
    total BIGINT NOT NULL,
    undoes BIGINT,
    undone_by BIGINT
);
CREATE INDEX ledger_running ON ledger (id) WHERE state = 1;

-- The events and reports that an entry changed. key_id: the key of a changed report, 0 for the event itself. reasons: the changed bits.
CREATE TABLE ledger_events (
    ledger_id BIGINT NOT NULL,
    event_id BIGINT NOT NULL,
    key_id BIGINT NOT NULL,
    reasons INTEGER NOT NULL,
    PRIMARY KEY (ledger_id, event_id, key_id)
) WITHOUT ROWID;

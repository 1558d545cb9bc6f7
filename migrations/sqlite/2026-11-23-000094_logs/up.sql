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
    -- First and last timestamp of the log, and when its first batch arrived; epoch milliseconds.
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    UNIQUE (ingest_key_id, log)
);

-- The log of the report that stands, and of each other report; NULL if its reader did not name one.
ALTER TABLE events ADD COLUMN log_id BIGINT;
ALTER TABLE event_witnesses ADD COLUMN log_id BIGINT;

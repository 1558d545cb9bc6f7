-- last_nth: how many live messages followed the last event. last_change: the id of the last row of changes. Both are
-- taken inside the transaction they belong to, so ids of messages and changes mean the same in every process.
ALTER TABLE event_clock ADD COLUMN last_nth BIGINT NOT NULL DEFAULT 0;
ALTER TABLE event_clock ADD COLUMN last_change BIGINT NOT NULL DEFAULT 0;

-- What one process tells the others, in the order of commits and without holes; kept for some minutes. Only written on
-- Postgres, where several processes may serve one database.
CREATE TABLE changes (
    id BIGINT NOT NULL PRIMARY KEY,
    made_at BIGINT NOT NULL,
    -- The event clock at that moment, and how many messages had followed it.
    event_id BIGINT NOT NULL,
    nth BIGINT NOT NULL,
    -- JSON
    body TEXT NOT NULL
);
CREATE INDEX changes_made_at ON changes (made_at);

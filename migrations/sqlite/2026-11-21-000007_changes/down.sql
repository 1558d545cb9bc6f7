DROP TABLE search_changes;
CREATE TABLE search_changes (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind SMALLINT NOT NULL,
    entity_id BIGINT NOT NULL
);
DROP TABLE changes;
ALTER TABLE event_clock DROP COLUMN last_change;
ALTER TABLE event_clock DROP COLUMN last_nth;

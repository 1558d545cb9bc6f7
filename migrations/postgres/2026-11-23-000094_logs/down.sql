ALTER TABLE event_witnesses DROP COLUMN log_id;
ALTER TABLE events DROP COLUMN log_id;
DROP TABLE logs;

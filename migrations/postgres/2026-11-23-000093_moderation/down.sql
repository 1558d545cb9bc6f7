DROP TABLE ledger_events;
DROP TABLE ledger;
ALTER TABLE users DROP COLUMN banned_at;
DROP TABLE key_days;
ALTER TABLE event_witnesses DROP COLUMN is_void;
ALTER TABLE event_witnesses DROP COLUMN report;
DROP INDEX events_withheld;
ALTER TABLE events DROP COLUMN reasons;

DROP TABLE changes;
ALTER TABLE event_clock DROP COLUMN last_change;
ALTER TABLE event_clock DROP COLUMN last_nth;

DROP INDEX events_arrivals;
ALTER TABLE mission_use DROP COLUMN class;

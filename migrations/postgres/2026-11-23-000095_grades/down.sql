DROP TABLE reassessments;
ALTER TABLE key_days DROP COLUMN reports;
DROP INDEX logs_handle;
DROP TABLE provisional_names;
DROP INDEX players_provisional;
ALTER TABLE players DROP COLUMN is_provisional;
ALTER TABLE event_witnesses DROP COLUMN provenance;
ALTER TABLE events DROP COLUMN provenance;
ALTER TABLE events DROP COLUMN counts;

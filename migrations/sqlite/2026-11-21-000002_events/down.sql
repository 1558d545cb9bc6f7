DROP TABLE event_players;
DROP TABLE event_witnesses;
DROP TABLE events;
DROP TABLE patch_use;
DROP TABLE patches;
DROP TABLE ingest_keys;
DROP TABLE event_clock;

-- counts: the sides of an event for which it counts, as bits: 1 killer, 2 victim, 4 player. provenance: what the sender of a report was
-- to its event when it arrived, 0 if unknown; the codes are those of domain::trust::Provenance.
ALTER TABLE events ADD COLUMN counts SMALLINT NOT NULL DEFAULT 7;
ALTER TABLE events ADD COLUMN provenance SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE event_witnesses ADD COLUMN provenance SMALLINT NOT NULL DEFAULT 0;

-- A name that only accounts have reported. It appears nowhere until the game's site knows it, its owner claims it, or the operator
-- reports it.
ALTER TABLE players ADD COLUMN is_provisional BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX players_provisional ON players (id) WHERE is_provisional;

-- The first report of each provisional name: its key, the time of its event, and when it arrived; epoch milliseconds. checked_at: when
-- the game's site was asked last, 0 if never.
CREATE TABLE provisional_names (
    player_id BIGINT NOT NULL PRIMARY KEY,
    ingest_key_id BIGINT NOT NULL,
    event_time BIGINT NOT NULL,
    received_at BIGINT NOT NULL,
    checked_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX provisional_names_key ON provisional_names (ingest_key_id, event_time);
CREATE INDEX provisional_names_checked ON provisional_names (checked_at, player_id);

-- Logs of one player at the same time.
CREATE INDEX logs_handle ON logs (handle_folded, first_at) WHERE handle_folded IS NOT NULL;

-- The number of reports that a key sent on a day.
ALTER TABLE key_days ADD COLUMN reports BIGINT NOT NULL DEFAULT 0;

-- Stored events to assess again. kind: 1 the user (subject) claimed a player (other), 2 the name of a player (subject) became known,
-- 3 all events from before grades existed. position: the last event that was processed; last_id: the last event that existed.
CREATE TABLE reassessments (
    id BIGSERIAL PRIMARY KEY,
    kind SMALLINT NOT NULL,
    subject BIGINT NOT NULL,
    other BIGINT NOT NULL,
    position BIGINT NOT NULL DEFAULT 0,
    last_id BIGINT NOT NULL
);

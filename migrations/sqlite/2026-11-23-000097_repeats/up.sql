-- Kills beyond the first two of a pair in 90 days. state: 1 counts, 2 withheld, 3 still withheld, but not a repeat.
CREATE TABLE repeats (
    event_id INTEGER NOT NULL PRIMARY KEY,
    killer_id BIGINT NOT NULL,
    victim_id BIGINT NOT NULL,
    event_time BIGINT NOT NULL,
    state SMALLINT NOT NULL
);
CREATE INDEX repeats_killer ON repeats (killer_id, event_time);
CREATE INDEX repeats_victim ON repeats (victim_id, event_time);

-- Players with pending work, from an event time on. kind: 1 kills changed, 2 the circle changed, 3 the repeats have to be decided.
CREATE TABLE repeat_changes (
    kind SMALLINT NOT NULL,
    player_id BIGINT NOT NULL,
    since BIGINT NOT NULL,
    PRIMARY KEY (kind, player_id)
) WITHOUT ROWID;

-- The players that were claimed in the last run.
CREATE TABLE repeat_claims (
    player_id INTEGER NOT NULL PRIMARY KEY
);

-- One row. position: the last event that was read; share: the share of the last run in percent; ran_on: its UTC day (days since 1970).
CREATE TABLE repeat_state (
    id SMALLINT NOT NULL PRIMARY KEY,
    position BIGINT NOT NULL,
    share INTEGER,
    ran_on INTEGER
);
INSERT INTO repeat_state (id, position) VALUES (1, 0);

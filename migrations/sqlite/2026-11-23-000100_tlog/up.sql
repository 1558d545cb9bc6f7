-- The transparency log, a Merkle tree over lines of text.

-- size: number of leaves. last_event_id: the last event that has a leaf. announced_day: the UTC day (days since 1970) of the last checkpoint
-- that was sent to webhooks.
CREATE TABLE tlog_state (
    id SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
    size BIGINT NOT NULL,
    last_event_id BIGINT NOT NULL,
    announced_day INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO tlog_state (id, size, last_event_id, announced_day) VALUES (1, 0, 0, 0);

-- kind: 1 event, 2 ledger entry; subject_id: its id. salt: NULL once erased. line: NULL if it can be written from the row of the subject,
-- or was erased. The hashes of leaves are in tlog_tiles.
CREATE TABLE tlog_leaves (
    position INTEGER NOT NULL PRIMARY KEY,
    kind SMALLINT NOT NULL,
    subject_id BIGINT NOT NULL,
    salt BLOB,
    line TEXT
);
CREATE INDEX tlog_leaves_subject ON tlog_leaves (kind, subject_id);
CREATE INDEX tlog_leaves_lines ON tlog_leaves (position) WHERE line IS NOT NULL;

-- Up to 256 hashes of 32 bytes each; level 0 has the leaves.
CREATE TABLE tlog_tiles (
    level SMALLINT NOT NULL,
    position BIGINT NOT NULL,
    hashes BLOB NOT NULL,
    PRIMARY KEY (level, position)
);

-- The newest checkpoint, and the last one of each UTC day. note: the signed text; signed_at: epoch milliseconds.
CREATE TABLE tlog_checkpoints (
    size BIGINT NOT NULL PRIMARY KEY,
    signed_at BIGINT NOT NULL,
    root BLOB NOT NULL,
    note TEXT NOT NULL
);

-- Events that changed since their last leaf, with their line before each change.
CREATE TABLE tlog_revisions (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    event_id BIGINT NOT NULL,
    line TEXT NOT NULL
);
CREATE INDEX tlog_revisions_event ON tlog_revisions (event_id);

-- Players whose salts and lines a job erases.
CREATE TABLE tlog_erasures (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    player_id BIGINT NOT NULL
);

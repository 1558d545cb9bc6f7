-- A log reader that waits for its owner to confirm the short code it shows. The key sleeps until then: only its hash is here.
-- state: 0 waiting, 1 confirmed, 2 refused. network: a hash of where the reader asked from.
CREATE TABLE reader_logins (
    key_hash TEXT NOT NULL PRIMARY KEY,
    code TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    network TEXT NOT NULL,
    state SMALLINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL
);
CREATE INDEX reader_logins_at ON reader_logins (created_at);

-- Lines of the game's log that readers did not know, without names and numbers, and how often they were told of.
CREATE TABLE reader_samples (
    line TEXT NOT NULL PRIMARY KEY,
    patch TEXT NOT NULL,
    told BIGINT NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL
);

-- Who has viewed which profile today (UTC), as hashes with a random salt that every process shares. Both go with the day.
CREATE TABLE view_salts (
    day INTEGER NOT NULL PRIMARY KEY,
    salt TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE profile_viewers (
    day INTEGER NOT NULL,
    viewer BIGINT NOT NULL,
    PRIMARY KEY (day, viewer)
) WITHOUT ROWID;

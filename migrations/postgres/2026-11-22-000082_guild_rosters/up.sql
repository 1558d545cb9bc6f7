-- How fresh the member list (roster) of each guild is, as read from the game's site. Times in epoch milliseconds.
CREATE TABLE guild_rosters (
    guild_id BIGINT NOT NULL PRIMARY KEY REFERENCES guilds (id) ON DELETE CASCADE,
    -- When the reading of the roster in use began; null before the first.
    read_at BIGINT,
    -- Of that roster: main members with a name, affiliates, members without a name, and all members as the site counts.
    main_members BIGINT NOT NULL DEFAULT 0,
    affiliates BIGINT NOT NULL DEFAULT 0,
    unnamed BIGINT NOT NULL DEFAULT 0,
    total BIGINT NOT NULL DEFAULT 0,
    -- The site lists more members than are read.
    is_partial BOOLEAN NOT NULL DEFAULT FALSE,
    -- The roster is not read again before this.
    next_at BIGINT NOT NULL DEFAULT 0,
    -- Readings in a row that failed, and why the last one did.
    failures INTEGER NOT NULL DEFAULT 0,
    last_error TEXT
);
CREATE INDEX guild_rosters_next ON guild_rosters (next_at);

-- The main members that rosters name. A person has one main organization.
CREATE TABLE roster_members (
    handle_folded TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    guild_id BIGINT NOT NULL REFERENCES guilds (id) ON DELETE CASCADE,
    guild_rank TEXT
);
CREATE INDEX roster_members_guild ON roster_members (guild_id);

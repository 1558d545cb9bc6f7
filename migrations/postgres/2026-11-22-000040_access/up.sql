-- What the list of own sessions shows: a name made of the User-Agent ('' for sessions begun before), and the last use.
ALTER TABLE sessions ADD COLUMN device TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN last_seen_at BIGINT NOT NULL DEFAULT 0;
UPDATE sessions SET last_seen_at = refreshed_at;

-- Set by a restore: the key uploads nothing until its owner or an admin confirms it.
ALTER TABLE ingest_keys ADD COLUMN review_since BIGINT;

-- kind: 0 verify, 1 start. Both ask the game's site, and each has its own limit.
ALTER TABLE claim_tries ADD COLUMN kind SMALLINT NOT NULL DEFAULT 0;

-- Which players and guilds show a picture that is removed.
CREATE INDEX players_profile_image ON players (profile_image) WHERE profile_image IS NOT NULL;
CREATE INDEX players_banner_image ON players (banner_image) WHERE banner_image IS NOT NULL;
CREATE INDEX guilds_guild_image ON guilds (guild_image) WHERE guild_image IS NOT NULL;
CREATE INDEX guilds_banner_image ON guilds (banner_image) WHERE banner_image IS NOT NULL;

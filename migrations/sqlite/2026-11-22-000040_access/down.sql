DROP INDEX guilds_banner_image;
DROP INDEX guilds_guild_image;
DROP INDEX players_banner_image;
DROP INDEX players_profile_image;
ALTER TABLE claim_tries DROP COLUMN kind;
ALTER TABLE ingest_keys DROP COLUMN review_since;
ALTER TABLE sessions DROP COLUMN last_seen_at;
ALTER TABLE sessions DROP COLUMN device;

UPDATE event_players SET guild_id = (SELECT p.guild_id FROM players p WHERE p.id = event_players.player_id)
WHERE player_id IN (SELECT p.id FROM players p WHERE p.is_hidden AND p.guild_id IS NOT NULL);
DROP INDEX players_hidden;
DROP INDEX players_feed_changes;
ALTER TABLE players DROP COLUMN feed_changes;
DROP INDEX events_listed;
ALTER TABLE events DROP COLUMN is_hidden;
CREATE INDEX events_category ON events (category, event_time, id);

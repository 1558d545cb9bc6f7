-- An event is hidden when it has players and all of them are hidden; the feed of everybody reads the others from one index.
ALTER TABLE events ADD COLUMN is_hidden BOOLEAN NOT NULL DEFAULT FALSE;
DROP INDEX events_category;
CREATE INDEX events_listed ON events (category, event_time, id) WHERE NOT is_hidden;

-- How often a profile was hidden or shown since its events and feeds followed that; 0 once they have.
ALTER TABLE players ADD COLUMN feed_changes INTEGER NOT NULL DEFAULT 0;
CREATE INDEX players_feed_changes ON players (feed_changes) WHERE feed_changes > 0;
UPDATE players SET feed_changes = 1 WHERE is_hidden;

-- Owners and admins find hidden profiles.
CREATE INDEX players_hidden ON players (id) WHERE is_hidden;

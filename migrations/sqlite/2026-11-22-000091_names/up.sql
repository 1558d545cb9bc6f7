-- The same names as in the program.
ALTER TABLE claim_tries RENAME TO claim_attempts;
ALTER TABLE reader_samples RENAME TO unknown_lines;
ALTER TABLE webhook_places RENAME TO webhook_positions;
ALTER TABLE changes RENAME COLUMN made_at TO created_at;
ALTER TABLE changes RENAME COLUMN nth TO message_offset;
ALTER TABLE event_clock RENAME COLUMN one TO id;
ALTER TABLE event_clock RENAME COLUMN last_nth TO message_count;
ALTER TABLE demo_universe RENAME COLUMN one TO id;
ALTER TABLE former_handles RENAME COLUMN until_at TO replaced_at;
ALTER TABLE claim_attempts RENAME COLUMN tried_at TO attempted_at;
ALTER TABLE unknown_lines RENAME COLUMN told TO report_count;
ALTER TABLE unknown_lines RENAME COLUMN first_at TO first_reported_at;
ALTER TABLE unknown_lines RENAME COLUMN last_at TO last_reported_at;
ALTER TABLE statsfeed_state RENAME COLUMN board_at TO board_due_at;
ALTER TABLE statsfeed_outbox RENAME COLUMN made_at TO created_at;
ALTER TABLE statsfeed_outbox RENAME COLUMN tried_at TO attempted_at;
ALTER TABLE webhook_deliveries RENAME COLUMN made_at TO created_at;
ALTER TABLE webhook_deliveries RENAME COLUMN tries TO attempts;
ALTER TABLE webhook_deliveries RENAME COLUMN is_taken TO is_delivered;
ALTER TABLE github_deliveries RENAME COLUMN taken_at TO received_at;

-- Since messages are rendered when they are sent, nothing reads these.
ALTER TABLE statsfeed_state DROP COLUMN board_text;
ALTER TABLE statsfeed_outbox DROP COLUMN body;

DROP INDEX changes_made_at;
CREATE INDEX changes_created_at ON changes (created_at);
DROP INDEX github_deliveries_at;
CREATE INDEX github_deliveries_received_at ON github_deliveries (received_at);
DROP INDEX reader_logins_at;
CREATE INDEX reader_logins_created_at ON reader_logins (created_at);
DROP INDEX visits_at;
CREATE INDEX visits_visited_at ON visits (visited_at);
DROP INDEX webhook_deliveries_at;
CREATE INDEX webhook_deliveries_created_at ON webhook_deliveries (created_at);
DROP INDEX webhook_deliveries_open;
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (webhook, id) WHERE done_at IS NULL;

DROP TRIGGER players_changed;
DROP TRIGGER players_made;
DROP TRIGGER players_gone;
DROP TRIGGER guilds_changed;
DROP TRIGGER guilds_made;
DROP TRIGGER guilds_gone;
DROP TRIGGER former_handles_made;
DROP TRIGGER former_handles_gone;
DROP TRIGGER owners_made;
DROP TRIGGER owners_changed;
DROP TRIGGER owners_gone;
DROP TRIGGER players_stickers_changed;
CREATE TRIGGER players_updated AFTER UPDATE OF handle, player_name, guild_id, is_hidden ON players
WHEN OLD.handle IS NOT NEW.handle OR OLD.player_name IS NOT NEW.player_name OR OLD.guild_id IS NOT NEW.guild_id
    OR OLD.is_hidden IS NOT NEW.is_hidden
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
    INSERT INTO search_changes (kind, entity_id)
        SELECT 2, g.id FROM guilds g WHERE g.id IN (OLD.guild_id, NEW.guild_id) AND OLD.guild_id IS NOT NEW.guild_id;
END;
CREATE TRIGGER players_inserted AFTER INSERT ON players
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
END;
CREATE TRIGGER players_deleted AFTER DELETE ON players
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.id);
END;
CREATE TRIGGER guilds_updated AFTER UPDATE OF tag, name ON guilds
WHEN OLD.tag IS NOT NEW.tag OR OLD.name IS NOT NEW.name
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, NEW.id);
END;
CREATE TRIGGER guilds_inserted AFTER INSERT ON guilds
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, NEW.id);
END;
CREATE TRIGGER guilds_deleted AFTER DELETE ON guilds
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, OLD.id);
END;
CREATE TRIGGER former_handles_inserted AFTER INSERT ON former_handles
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.player_id);
END;
CREATE TRIGGER former_handles_deleted AFTER DELETE ON former_handles
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.player_id);
END;
CREATE TRIGGER owners_inserted AFTER INSERT ON users WHEN NEW.player_id IS NOT NULL
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.player_id);
END;
CREATE TRIGGER owners_updated AFTER UPDATE OF player_id ON users WHEN OLD.player_id IS NOT NEW.player_id
BEGIN
    INSERT INTO search_changes (kind, entity_id)
        SELECT 1, p.id FROM players p WHERE p.id IN (OLD.player_id, NEW.player_id);
END;
CREATE TRIGGER owners_deleted AFTER DELETE ON users WHEN OLD.player_id IS NOT NULL
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.player_id);
END;
CREATE TRIGGER players_stickers_updated AFTER UPDATE OF stickers ON players
WHEN OLD.stickers IS NOT NEW.stickers
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
END;

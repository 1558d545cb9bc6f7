DROP INDEX webhook_deliveries_pending;
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (webhook, id) WHERE done_at IS NULL;
DROP INDEX webhook_deliveries_created_at;
CREATE INDEX webhook_deliveries_at ON webhook_deliveries (created_at);
DROP INDEX visits_visited_at;
CREATE INDEX visits_at ON visits (visited_at);
DROP INDEX reader_logins_created_at;
CREATE INDEX reader_logins_at ON reader_logins (created_at);
DROP INDEX github_deliveries_received_at;
CREATE INDEX github_deliveries_at ON github_deliveries (received_at);
DROP INDEX changes_created_at;
CREATE INDEX changes_made_at ON changes (created_at);

ALTER TABLE statsfeed_outbox ADD COLUMN body TEXT NOT NULL DEFAULT '';
ALTER TABLE statsfeed_state ADD COLUMN board_text TEXT;

ALTER TABLE github_deliveries RENAME COLUMN received_at TO taken_at;
ALTER TABLE webhook_deliveries RENAME COLUMN is_delivered TO is_taken;
ALTER TABLE webhook_deliveries RENAME COLUMN attempts TO tries;
ALTER TABLE webhook_deliveries RENAME COLUMN created_at TO made_at;
ALTER TABLE statsfeed_outbox RENAME COLUMN attempted_at TO tried_at;
ALTER TABLE statsfeed_outbox RENAME COLUMN created_at TO made_at;
ALTER TABLE statsfeed_state RENAME COLUMN board_due_at TO board_at;
ALTER TABLE unknown_lines RENAME COLUMN last_reported_at TO last_at;
ALTER TABLE unknown_lines RENAME COLUMN first_reported_at TO first_at;
ALTER TABLE unknown_lines RENAME COLUMN report_count TO told;
ALTER TABLE claim_attempts RENAME COLUMN attempted_at TO tried_at;
ALTER TABLE former_handles RENAME COLUMN replaced_at TO until_at;
ALTER TABLE demo_universe RENAME COLUMN id TO one;
ALTER TABLE event_clock RENAME COLUMN message_count TO last_nth;
ALTER TABLE event_clock RENAME COLUMN id TO one;
ALTER TABLE changes RENAME COLUMN message_offset TO nth;
ALTER TABLE changes RENAME COLUMN created_at TO made_at;
ALTER TABLE webhook_positions RENAME TO webhook_places;
ALTER TABLE unknown_lines RENAME TO reader_samples;
ALTER TABLE claim_attempts RENAME TO claim_tries;

DROP TRIGGER players_updated;
DROP TRIGGER players_inserted;
DROP TRIGGER players_deleted;
DROP TRIGGER guilds_updated;
DROP TRIGGER guilds_inserted;
DROP TRIGGER guilds_deleted;
DROP TRIGGER former_handles_inserted;
DROP TRIGGER former_handles_deleted;
DROP TRIGGER owners_inserted;
DROP TRIGGER owners_updated;
DROP TRIGGER owners_deleted;
DROP TRIGGER players_stickers_updated;
CREATE TRIGGER players_changed AFTER UPDATE OF handle, player_name, guild_id, is_hidden ON players
WHEN OLD.handle IS NOT NEW.handle OR OLD.player_name IS NOT NEW.player_name OR OLD.guild_id IS NOT NEW.guild_id
    OR OLD.is_hidden IS NOT NEW.is_hidden
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
    INSERT INTO search_changes (kind, entity_id)
        SELECT 2, g.id FROM guilds g WHERE g.id IN (OLD.guild_id, NEW.guild_id) AND OLD.guild_id IS NOT NEW.guild_id;
END;
CREATE TRIGGER players_made AFTER INSERT ON players
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
END;
CREATE TRIGGER players_gone AFTER DELETE ON players
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.id);
END;
CREATE TRIGGER guilds_changed AFTER UPDATE OF tag, name ON guilds
WHEN OLD.tag IS NOT NEW.tag OR OLD.name IS NOT NEW.name
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, NEW.id);
END;
CREATE TRIGGER guilds_made AFTER INSERT ON guilds
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, NEW.id);
END;
CREATE TRIGGER guilds_gone AFTER DELETE ON guilds
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, OLD.id);
END;
CREATE TRIGGER former_handles_made AFTER INSERT ON former_handles
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.player_id);
END;
CREATE TRIGGER former_handles_gone AFTER DELETE ON former_handles
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.player_id);
END;
CREATE TRIGGER owners_made AFTER INSERT ON users WHEN NEW.player_id IS NOT NULL
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.player_id);
END;
CREATE TRIGGER owners_changed AFTER UPDATE OF player_id ON users WHEN OLD.player_id IS NOT NEW.player_id
BEGIN
    INSERT INTO search_changes (kind, entity_id)
        SELECT 1, p.id FROM players p WHERE p.id IN (OLD.player_id, NEW.player_id);
END;
CREATE TRIGGER owners_gone AFTER DELETE ON users WHEN OLD.player_id IS NOT NULL
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.player_id);
END;
CREATE TRIGGER players_stickers_changed AFTER UPDATE OF stickers ON players
WHEN OLD.stickers IS NOT NEW.stickers
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
END;

-- The same names as in the program.
ALTER TABLE claim_tries RENAME TO claim_attempts;
ALTER TABLE reader_samples RENAME TO unknown_lines;
ALTER TABLE webhook_places RENAME TO webhook_positions;
ALTER INDEX claim_tries_pkey RENAME TO claim_attempts_pkey;
ALTER INDEX reader_samples_pkey RENAME TO unknown_lines_pkey;
ALTER INDEX webhook_places_pkey RENAME TO webhook_positions_pkey;
ALTER TABLE claim_attempts RENAME CONSTRAINT claim_tries_user_id_fkey TO claim_attempts_user_id_fkey;
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

ALTER INDEX changes_made_at RENAME TO changes_created_at;
ALTER INDEX github_deliveries_at RENAME TO github_deliveries_received_at;
ALTER INDEX reader_logins_at RENAME TO reader_logins_created_at;
ALTER INDEX visits_at RENAME TO visits_visited_at;
ALTER INDEX webhook_deliveries_at RENAME TO webhook_deliveries_created_at;
ALTER INDEX webhook_deliveries_open RENAME TO webhook_deliveries_pending;

-- Earlier versions lost the triggers of search_changes, and sometimes their functions, in a restore. Therefore both are created
-- again instead of renamed.
CREATE OR REPLACE FUNCTION note_player_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.id);
        RETURN NULL;
    END IF;
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
    IF TG_OP = 'UPDATE' AND OLD.guild_id IS DISTINCT FROM NEW.guild_id THEN
        INSERT INTO search_changes (kind, entity_id) SELECT 2, g.id FROM guilds g WHERE g.id IN (OLD.guild_id, NEW.guild_id);
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION note_guild_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END);
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION note_change_of_a_players() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.player_id IS NOT NULL THEN
        INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.player_id);
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.player_id IS NOT NULL THEN
        INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.player_id);
    END IF;
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS players_changed ON players;
DROP TRIGGER IF EXISTS players_made ON players;
DROP TRIGGER IF EXISTS players_gone ON players;
DROP TRIGGER IF EXISTS guilds_changed ON guilds;
DROP TRIGGER IF EXISTS guilds_made ON guilds;
DROP TRIGGER IF EXISTS guilds_gone ON guilds;
DROP TRIGGER IF EXISTS former_handles_changed ON former_handles;
DROP TRIGGER IF EXISTS owners_made ON users;
DROP TRIGGER IF EXISTS owners_changed ON users;
DROP TRIGGER IF EXISTS players_stickers_changed ON players;
CREATE TRIGGER players_updated AFTER UPDATE OF handle, player_name, guild_id, is_hidden ON players FOR EACH ROW
    WHEN (OLD.handle IS DISTINCT FROM NEW.handle OR OLD.player_name IS DISTINCT FROM NEW.player_name
        OR OLD.guild_id IS DISTINCT FROM NEW.guild_id OR OLD.is_hidden IS DISTINCT FROM NEW.is_hidden)
    EXECUTE FUNCTION note_player_change();
CREATE TRIGGER players_inserted AFTER INSERT ON players FOR EACH ROW EXECUTE FUNCTION note_player_change();
CREATE TRIGGER players_deleted AFTER DELETE ON players FOR EACH ROW EXECUTE FUNCTION note_player_change();
CREATE TRIGGER guilds_updated AFTER UPDATE OF tag, name ON guilds FOR EACH ROW
    WHEN (OLD.tag IS DISTINCT FROM NEW.tag OR OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION note_guild_change();
CREATE TRIGGER guilds_inserted AFTER INSERT ON guilds FOR EACH ROW EXECUTE FUNCTION note_guild_change();
CREATE TRIGGER guilds_deleted AFTER DELETE ON guilds FOR EACH ROW EXECUTE FUNCTION note_guild_change();
CREATE TRIGGER former_handles_inserted_or_deleted AFTER INSERT OR DELETE ON former_handles FOR EACH ROW
    EXECUTE FUNCTION note_change_of_a_players();
CREATE TRIGGER owners_inserted_or_deleted AFTER INSERT OR DELETE ON users FOR EACH ROW EXECUTE FUNCTION note_change_of_a_players();
CREATE TRIGGER owners_updated AFTER UPDATE OF player_id ON users FOR EACH ROW
    WHEN (OLD.player_id IS DISTINCT FROM NEW.player_id) EXECUTE FUNCTION note_change_of_a_players();
CREATE TRIGGER players_stickers_updated AFTER UPDATE OF stickers ON players FOR EACH ROW
    WHEN (OLD.stickers IS DISTINCT FROM NEW.stickers) EXECUTE FUNCTION note_player_change();

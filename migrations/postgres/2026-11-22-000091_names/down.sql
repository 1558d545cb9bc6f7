ALTER INDEX webhook_deliveries_pending RENAME TO webhook_deliveries_open;
ALTER INDEX webhook_deliveries_created_at RENAME TO webhook_deliveries_at;
ALTER INDEX visits_visited_at RENAME TO visits_at;
ALTER INDEX reader_logins_created_at RENAME TO reader_logins_at;
ALTER INDEX github_deliveries_received_at RENAME TO github_deliveries_at;
ALTER INDEX changes_created_at RENAME TO changes_made_at;

ALTER TABLE statsfeed_outbox ADD COLUMN body TEXT NOT NULL DEFAULT '';
ALTER TABLE statsfeed_outbox ALTER COLUMN body DROP DEFAULT;
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
ALTER TABLE claim_attempts RENAME CONSTRAINT claim_attempts_user_id_fkey TO claim_tries_user_id_fkey;
ALTER INDEX webhook_positions_pkey RENAME TO webhook_places_pkey;
ALTER INDEX unknown_lines_pkey RENAME TO reader_samples_pkey;
ALTER INDEX claim_attempts_pkey RENAME TO claim_tries_pkey;
ALTER TABLE webhook_positions RENAME TO webhook_places;
ALTER TABLE unknown_lines RENAME TO reader_samples;
ALTER TABLE claim_attempts RENAME TO claim_tries;

DROP TRIGGER IF EXISTS players_updated ON players;
DROP TRIGGER IF EXISTS players_inserted ON players;
DROP TRIGGER IF EXISTS players_deleted ON players;
DROP TRIGGER IF EXISTS guilds_updated ON guilds;
DROP TRIGGER IF EXISTS guilds_inserted ON guilds;
DROP TRIGGER IF EXISTS guilds_deleted ON guilds;
DROP TRIGGER IF EXISTS former_handles_inserted_or_deleted ON former_handles;
DROP TRIGGER IF EXISTS owners_inserted_or_deleted ON users;
DROP TRIGGER IF EXISTS owners_updated ON users;
DROP TRIGGER IF EXISTS players_stickers_updated ON players;
CREATE TRIGGER players_changed AFTER UPDATE OF handle, player_name, guild_id, is_hidden ON players FOR EACH ROW
    WHEN (OLD.handle IS DISTINCT FROM NEW.handle OR OLD.player_name IS DISTINCT FROM NEW.player_name
        OR OLD.guild_id IS DISTINCT FROM NEW.guild_id OR OLD.is_hidden IS DISTINCT FROM NEW.is_hidden)
    EXECUTE FUNCTION note_player_change();
CREATE TRIGGER players_made AFTER INSERT ON players FOR EACH ROW EXECUTE FUNCTION note_player_change();
CREATE TRIGGER players_gone AFTER DELETE ON players FOR EACH ROW EXECUTE FUNCTION note_player_change();
CREATE TRIGGER guilds_changed AFTER UPDATE OF tag, name ON guilds FOR EACH ROW
    WHEN (OLD.tag IS DISTINCT FROM NEW.tag OR OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION note_guild_change();
CREATE TRIGGER guilds_made AFTER INSERT ON guilds FOR EACH ROW EXECUTE FUNCTION note_guild_change();
CREATE TRIGGER guilds_gone AFTER DELETE ON guilds FOR EACH ROW EXECUTE FUNCTION note_guild_change();
CREATE TRIGGER former_handles_changed AFTER INSERT OR DELETE ON former_handles FOR EACH ROW
    EXECUTE FUNCTION note_change_of_a_players();
CREATE TRIGGER owners_made AFTER INSERT OR DELETE ON users FOR EACH ROW EXECUTE FUNCTION note_change_of_a_players();
CREATE TRIGGER owners_changed AFTER UPDATE OF player_id ON users FOR EACH ROW
    WHEN (OLD.player_id IS DISTINCT FROM NEW.player_id) EXECUTE FUNCTION note_change_of_a_players();
CREATE TRIGGER players_stickers_changed AFTER UPDATE OF stickers ON players FOR EACH ROW
    WHEN (OLD.stickers IS DISTINCT FROM NEW.stickers) EXECUTE FUNCTION note_player_change();

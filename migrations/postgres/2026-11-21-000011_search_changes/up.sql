-- Whatever the search shows of a player or guild and no event changes is noted by the database itself: no writer can forget it.
CREATE FUNCTION note_player_change() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION note_guild_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (2, CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END);
    RETURN NULL;
END $$;
-- For rows that hang on a player: who owns one decides what look-alikes stand below.
CREATE FUNCTION note_change_of_a_players() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' AND OLD.player_id IS NOT NULL THEN
        INSERT INTO search_changes (kind, entity_id) VALUES (1, OLD.player_id);
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.player_id IS NOT NULL THEN
        INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.player_id);
    END IF;
    RETURN NULL;
END $$;
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

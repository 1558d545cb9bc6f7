-- Whatever the search shows of a player or guild and no event changes is noted by the database itself: no writer can forget it.
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
-- Who owns a player decides what look-alikes stand below.
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

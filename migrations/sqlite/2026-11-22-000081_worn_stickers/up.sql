-- A command beside a running server can take a sticker off a player: the server learns from this entry that boards are stale.
CREATE TRIGGER players_stickers_changed AFTER UPDATE OF stickers ON players
WHEN OLD.stickers IS NOT NEW.stickers
BEGIN
    INSERT INTO search_changes (kind, entity_id) VALUES (1, NEW.id);
END;

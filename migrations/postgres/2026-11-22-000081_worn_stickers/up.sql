-- A command beside a running server can take a sticker off a player: the server learns from this entry that boards are stale.
CREATE TRIGGER players_stickers_changed AFTER UPDATE OF stickers ON players FOR EACH ROW
    WHEN (OLD.stickers IS DISTINCT FROM NEW.stickers) EXECUTE FUNCTION note_player_change();

DROP TRIGGER players_stickers_changed ON players;

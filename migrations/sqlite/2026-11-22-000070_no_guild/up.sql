-- 'NONE' stands for no guild. Imports of older versions made a guild of it.
UPDATE event_players SET guild_id = NULL WHERE guild_id IN (SELECT id FROM guilds WHERE tag = 'NONE');
UPDATE players SET guild_id = NULL WHERE guild_id IN (SELECT id FROM guilds WHERE tag = 'NONE');
UPDATE users SET guild_id = NULL WHERE guild_id IN (SELECT id FROM guilds WHERE tag = 'NONE');
DELETE FROM guilds WHERE tag = 'NONE';

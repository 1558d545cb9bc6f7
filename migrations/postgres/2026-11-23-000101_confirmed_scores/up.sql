-- The part of the scores that rests on events whose grade is operator (1) or confirmed (2). Playtime has none. The codes and rules are those
-- of domain::counters; stored events are added here.
ALTER TABLE player_scores ADD COLUMN confirmed_pu_player_kills BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_scores ADD COLUMN confirmed_pve_kills BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_scores ADD COLUMN confirmed_vehicle_destructions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_scores ADD COLUMN confirmed_missions_completed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_days ADD COLUMN confirmed_pu_player_kills BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_days ADD COLUMN confirmed_pve_kills BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_days ADD COLUMN confirmed_vehicle_destructions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_days ADD COLUMN confirmed_missions_completed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_patches ADD COLUMN confirmed_pu_player_kills BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_patches ADD COLUMN confirmed_pve_kills BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_patches ADD COLUMN confirmed_vehicle_destructions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE player_patches ADD COLUMN confirmed_missions_completed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE guilds ADD COLUMN confirmed_pu_player_kills BIGINT NOT NULL DEFAULT 0;
ALTER TABLE guilds ADD COLUMN confirmed_pve_kills BIGINT NOT NULL DEFAULT 0;
ALTER TABLE guilds ADD COLUMN confirmed_vehicle_destructions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE guilds ADD COLUMN confirmed_missions_completed BIGINT NOT NULL DEFAULT 0;

UPDATE player_days SET confirmed_pu_player_kills = gained.pvp, confirmed_pve_kills = gained.pve,
    confirmed_vehicle_destructions = gained.vehicles, confirmed_missions_completed = gained.missions
FROM (
    SELECT player_id, day, SUM(pvp) AS pvp, SUM(pve) AS pve, SUM(vehicles) AS vehicles, SUM(missions) AS missions FROM (
        SELECT killer_id AS player_id, event_time / 86400000 AS day, patch_version,
               CASE WHEN identifier BETWEEN 1 AND 4 AND victim_id IS NOT NULL THEN 1 ELSE 0 END AS pvp,
               CASE WHEN identifier BETWEEN 1 AND 4 AND victim_npc IS NOT NULL THEN 1 ELSE 0 END AS pve,
               CASE WHEN identifier IN (11, 12) THEN 1 ELSE 0 END AS vehicles, 0 AS missions
        FROM events
        WHERE grade IN (1, 2) AND reasons = 0 AND counts & 1 <> 0 AND game_mode = 1 AND killer_id IS NOT NULL
          AND identifier IN (1, 2, 3, 4, 11, 12) AND (victim_id IS NULL OR victim_id <> killer_id)
        UNION ALL
        SELECT player_id, event_time / 86400000, patch_version, 0, 0, 0, 1
        FROM events
        WHERE grade IN (1, 2) AND reasons = 0 AND counts & 4 <> 0 AND player_id IS NOT NULL AND identifier IN (32, 33)
    ) AS each_event GROUP BY player_id, day
) AS gained WHERE gained.player_id = player_days.player_id AND gained.day = player_days.day;

UPDATE player_patches SET confirmed_pu_player_kills = gained.pvp, confirmed_pve_kills = gained.pve,
    confirmed_vehicle_destructions = gained.vehicles, confirmed_missions_completed = gained.missions
FROM (
    SELECT player_id, patch_version, SUM(pvp) AS pvp, SUM(pve) AS pve, SUM(vehicles) AS vehicles, SUM(missions) AS missions FROM (
        SELECT killer_id AS player_id, event_time / 86400000 AS day, patch_version,
               CASE WHEN identifier BETWEEN 1 AND 4 AND victim_id IS NOT NULL THEN 1 ELSE 0 END AS pvp,
               CASE WHEN identifier BETWEEN 1 AND 4 AND victim_npc IS NOT NULL THEN 1 ELSE 0 END AS pve,
               CASE WHEN identifier IN (11, 12) THEN 1 ELSE 0 END AS vehicles, 0 AS missions
        FROM events
        WHERE grade IN (1, 2) AND reasons = 0 AND counts & 1 <> 0 AND game_mode = 1 AND killer_id IS NOT NULL
          AND identifier IN (1, 2, 3, 4, 11, 12) AND (victim_id IS NULL OR victim_id <> killer_id)
        UNION ALL
        SELECT player_id, event_time / 86400000, patch_version, 0, 0, 0, 1
        FROM events
        WHERE grade IN (1, 2) AND reasons = 0 AND counts & 4 <> 0 AND player_id IS NOT NULL AND identifier IN (32, 33)
    ) AS each_event GROUP BY player_id, patch_version
) AS gained WHERE gained.player_id = player_patches.player_id AND gained.patch_version = player_patches.patch_version;

UPDATE player_scores SET confirmed_pu_player_kills = gained.pvp, confirmed_pve_kills = gained.pve,
    confirmed_vehicle_destructions = gained.vehicles, confirmed_missions_completed = gained.missions
FROM (
    SELECT player_id, SUM(confirmed_pu_player_kills) AS pvp, SUM(confirmed_pve_kills) AS pve,
           SUM(confirmed_vehicle_destructions) AS vehicles, SUM(confirmed_missions_completed) AS missions
    FROM player_days GROUP BY player_id
) AS gained WHERE gained.player_id = player_scores.player_id;

UPDATE guilds SET confirmed_pu_player_kills = gained.pvp, confirmed_pve_kills = gained.pve,
    confirmed_vehicle_destructions = gained.vehicles, confirmed_missions_completed = gained.missions
FROM (
    SELECT p.guild_id, SUM(s.confirmed_pu_player_kills) AS pvp, SUM(s.confirmed_pve_kills) AS pve,
           SUM(s.confirmed_vehicle_destructions) AS vehicles, SUM(s.confirmed_missions_completed) AS missions
    FROM players p JOIN player_scores s ON s.player_id = p.id WHERE p.guild_id IS NOT NULL GROUP BY p.guild_id
) AS gained WHERE gained.guild_id = guilds.id;

-- Receipts count the events of a player that do not stand.
CREATE INDEX events_withheld_killer ON events (killer_id) WHERE reasons <> 0;
CREATE INDEX events_withheld_player ON events (player_id) WHERE reasons <> 0;

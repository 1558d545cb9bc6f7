-- The contract class of the log, from which the type of a mission is derived; empty when unknown.
ALTER TABLE mission_use ADD COLUMN class TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE mission_use SET class = known.class FROM (
    SELECT contract_name, MAX(contract_id) AS class FROM events
    WHERE category = 4 AND contract_name IS NOT NULL AND contract_id LIKE '%\_%' ESCAPE '\'
    GROUP BY contract_name
) known WHERE known.contract_name = mission_use.contract;

-- Arrivals in a game mode: matches and sessions of a player are counted from them.
CREATE INDEX events_arrivals ON events (player_id, game_mode, event_time) WHERE category = 7;

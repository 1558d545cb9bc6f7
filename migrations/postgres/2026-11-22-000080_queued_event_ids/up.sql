-- Queues hold the ids of events. A message is rendered when it is sent, so it shows only what is public at that moment.
-- JSON array of event ids; null for webhook messages that are not about events, which keep their text in `body`.
ALTER TABLE webhook_deliveries ADD COLUMN event_ids TEXT;
UPDATE webhook_deliveries SET
    event_ids = (SELECT coalesce(json_agg((told.item ->> 'id')::bigint), '[]')::text
        FROM json_array_elements(body::json -> 'data' -> 'events') AS told (item)),
    body = ''
WHERE event = 'activity';

-- JSON array of event ids. The rendered messages of before name no ids: at most one per channel is dropped here.
ALTER TABLE statsfeed_outbox ADD COLUMN event_ids TEXT NOT NULL DEFAULT '[]';
DELETE FROM statsfeed_outbox;

-- SHA-256 of the rendered board, to recognize a change; `board_text` is no longer used.
ALTER TABLE statsfeed_state ADD COLUMN board_digest TEXT;
UPDATE statsfeed_state SET board_text = NULL;

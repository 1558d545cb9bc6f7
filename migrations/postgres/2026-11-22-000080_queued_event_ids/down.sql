ALTER TABLE statsfeed_state DROP COLUMN board_digest;
DELETE FROM statsfeed_outbox;
ALTER TABLE statsfeed_outbox DROP COLUMN event_ids;
DELETE FROM webhook_deliveries WHERE event_ids IS NOT NULL;
ALTER TABLE webhook_deliveries DROP COLUMN event_ids;

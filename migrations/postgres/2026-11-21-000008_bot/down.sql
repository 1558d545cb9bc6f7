DROP INDEX visits_session;
DROP TABLE webhook_deliveries;
DROP TABLE webhook_places;
DROP TABLE github_deliveries;
DROP TABLE bot_leases;
DROP TABLE statsfeed_outbox;
DROP TABLE statsfeed_state;

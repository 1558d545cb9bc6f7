CREATE TABLE job_leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    until_at BIGINT NOT NULL
);
CREATE TABLE bot_leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    until_at BIGINT NOT NULL,
    rest_until BIGINT NOT NULL DEFAULT 0
);
INSERT INTO bot_leases (name, holder, until_at, rest_until) SELECT name, holder, expires_at, paused_until FROM leases
WHERE name IN ('statsfeed', 'webhooks');
INSERT INTO job_leases (name, holder, until_at) SELECT name, holder, expires_at FROM leases
WHERE name NOT IN ('statsfeed', 'webhooks');
DROP TABLE leases;

-- One table for all leases. A process of an older version finds neither of the previous tables, so it cannot do the work of a
-- newer process that holds a lease. Times in epoch milliseconds.
CREATE TABLE leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    -- Other processes may take the lease from then on.
    expires_at BIGINT NOT NULL,
    -- The work is suspended until then, whichever process holds the lease.
    paused_until BIGINT NOT NULL DEFAULT 0
);
INSERT INTO leases (name, holder, expires_at, paused_until) SELECT name, holder, until_at, rest_until FROM bot_leases;
INSERT INTO leases (name, holder, expires_at) SELECT name, holder, until_at FROM job_leases
WHERE name NOT IN (SELECT name FROM leases);
DROP TABLE job_leases;
DROP TABLE bot_leases;

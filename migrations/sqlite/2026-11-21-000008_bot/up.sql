-- How a feed fares: what it waits for, and what Discord said last. Times in epoch milliseconds.
CREATE TABLE statsfeed_state (
    feed_id BIGINT NOT NULL PRIMARY KEY REFERENCES statsfeed_channels (id) ON DELETE CASCADE,
    -- Nothing is sent to the channel before this.
    next_at BIGINT NOT NULL DEFAULT 0,
    -- Tries in a row that failed.
    failures INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    posted_at BIGINT,
    -- The board is not looked at before this, and what it shows now.
    board_at BIGINT NOT NULL DEFAULT 0,
    board_text TEXT,
    -- How many board messages were begun; a new one has a nonce of its own.
    board_count BIGINT NOT NULL DEFAULT 0
);

-- Messages that are made and not yet known to be in their channel; at most one a feed. The id is the nonce.
CREATE TABLE statsfeed_outbox (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    feed_id BIGINT NOT NULL UNIQUE REFERENCES statsfeed_channels (id) ON DELETE CASCADE,
    body TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    -- When it was sent for the first time without a clear answer.
    tried_at BIGINT
);

-- Which process speaks for the bot, and until when nobody may.
CREATE TABLE bot_leases (
    name TEXT NOT NULL PRIMARY KEY,
    holder TEXT NOT NULL,
    until_at BIGINT NOT NULL,
    rest_until BIGINT NOT NULL DEFAULT 0
);

-- Deliveries of GitHub that were taken, so that the same again is nothing.
CREATE TABLE github_deliveries (
    id TEXT NOT NULL PRIMARY KEY,
    taken_at BIGINT NOT NULL
);
CREATE INDEX github_deliveries_at ON github_deliveries (taken_at);

-- Where each outgoing webhook of the settings stands.
CREATE TABLE webhook_places (
    name TEXT NOT NULL PRIMARY KEY,
    last_event_id BIGINT NOT NULL,
    disabled_reason TEXT
);

-- What is told to outgoing webhooks, and how that went; the log of the last days.
CREATE TABLE webhook_deliveries (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- As the receiver sees it.
    message_id TEXT NOT NULL,
    webhook TEXT NOT NULL,
    event TEXT NOT NULL,
    body TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    next_at BIGINT NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0,
    -- Of the last try: the HTTP status, else what went wrong.
    status INTEGER,
    error TEXT,
    -- When it was taken or given up.
    done_at BIGINT,
    is_taken BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (webhook, id) WHERE done_at IS NULL;
CREATE INDEX webhook_deliveries_at ON webhook_deliveries (made_at);

-- Whether a session was seen that day already.
CREATE INDEX visits_session ON visits (session_id, visited_at);

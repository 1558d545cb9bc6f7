-- Events that players dispute. outcome: NULL open, 1 upheld, 2 dismissed, 3 the event became void otherwise, 4 withdrawn. ledger_id: the
-- entry that decided it. An event that an open dispute suspends has 65536 in its reasons.
CREATE TABLE disputes (
    id BIGSERIAL PRIMARY KEY,
    event_id BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    player_id BIGINT NOT NULL,
    reason TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    outcome SMALLINT,
    decided_at BIGINT,
    ledger_id BIGINT,
    UNIQUE (event_id, user_id)
);
CREATE INDEX disputes_user ON disputes (user_id, created_at);
CREATE INDEX disputes_ledger ON disputes (ledger_id) WHERE ledger_id IS NOT NULL;
CREATE INDEX disputes_open ON disputes (id) WHERE outcome IS NULL;

DROP TABLE repeat_state;
DROP TABLE repeat_claims;
DROP TABLE repeat_changes;
DROP TABLE repeats;

DROP TABLE tlog_erasures;
DROP TABLE tlog_revisions;
DROP TABLE tlog_checkpoints;
DROP TABLE tlog_tiles;
DROP TABLE tlog_leaves;
DROP TABLE tlog_state;

//! Tests of the whole program: the real binary on a free port with a separate database, over HTTP.
//!
//! Each test body runs on a SQLite file and on PostgreSQL, whose address is in `TEST_PG_URL`.

// A panic is how a test reports a failure.
#![allow(clippy::unwrap_used)]
#![allow(clippy::too_many_lines, reason = "a test that follows one history reads top to bottom")]

mod support;

mod api;
mod bot;
mod commands;
mod deployment;
mod faults;
mod ingest;
mod live;
mod load;
mod reader;
mod structure;
mod trust;

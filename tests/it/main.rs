//! Tests of the whole program: the real binary on a free port, with a database of its own, spoken to over HTTP.
//!
//! Each body runs on a SQLite file and on Postgres; the server's address comes from `TEST_PG_URL`.

// A test says what it expects by failing.
#![allow(clippy::unwrap_used)]

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

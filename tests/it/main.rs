//! Tests of the whole program: the real binary on a free port, with a database of its own, spoken to over HTTP.
//!
//! Each body runs on a SQLite file and on Postgres; the server's address comes from `TEST_PG_URL`.

// A test says what it expects by failing.
#![allow(clippy::unwrap_used)]

mod support;

mod api;
mod backend_parity;
mod blackhole;
mod boards;
mod bot;
mod clocks;
mod commands;
mod cost;
mod error_codes;
mod faults;
mod group_commit;
mod image;
mod kill;
mod killed_migrations;
mod live;
mod live_boards;
mod live_connections;
mod load;
mod logs;
mod memory;
mod multi_process;
mod nth_write;
mod openapi;
mod panics;
mod permissions;
mod proxies;
mod rate_limits;
mod reader;
mod reader_exit;
mod reader_hostile_sites;
mod recount;
mod rosters;
mod schema;
mod search_index;
mod slowloris;
mod soak;
mod stream_churn;
mod systemd;
mod tidy;

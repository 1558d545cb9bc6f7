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
mod codes;
mod comings;
mod commands;
mod cost;
mod faults;
mod group_commit;
mod guard;
mod image;
mod kill;
mod killed_migrations;
mod live;
mod live_boards;
mod live_wire;
mod load;
mod logs;
mod many;
mod memory;
mod nth_write;
mod openapi;
mod panics;
mod proxies;
mod reader;
mod reader_ends;
mod reader_sites;
mod recount;
mod roles;
mod rosters;
mod schema;
mod search_index;
mod slow;
mod soak;
mod supervised;
mod tidy;

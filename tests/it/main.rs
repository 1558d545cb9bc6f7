//! Tests of the whole program over HTTP, each with a separate database. The site runs within the test's process, or as the real binary
//! where the process is the subject.
//!
//! Bodies in `on_both!` run on a SQLite file and on PostgreSQL, whose address is in `TEST_PG_URL`; those in `on_sqlite!` do not depend
//! on the database.

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

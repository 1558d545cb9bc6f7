//! Apogee: statistics, rankings and profiles of Star Citizen's players and guilds, in one binary.
//!
//! The modules in reading order: types and rules (`domain`), storage (`store`, `search`, `live`), changes and what is derived from them
//! (`projections`), JSON (`views`, `error`), use cases (`features`), entry points (`routes`, `cli`).

// `println!` panics on a closed pipe or a full device; `cli::output` does not.
#![cfg_attr(not(test), deny(clippy::print_stdout, clippy::print_stderr))]

pub mod app;
pub mod bot;
pub mod cards;
pub mod cli;
pub mod config;
pub mod demo;
pub mod diagnostics;
pub mod domain;
pub mod error;
pub mod failpoint;
pub mod features;
pub mod files;
pub mod http;
pub mod jobs;
pub mod live;
pub mod projections;
pub mod reader_page;
pub mod routes;
pub mod search;
pub mod server;
pub mod store;
pub mod upstream;
pub mod views;

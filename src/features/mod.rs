//! Use cases, one file or folder per noun.
//!
//! The entry points (routes, cli, bot, jobs) call a feature with the service that it uses (`&App` if it uses several), the viewer
//! and the input. Features decide who may see or change what; they contain no HTTP, SQL or JSON text.

pub mod account;
pub mod activity;
pub mod admin;
pub mod attempts;
pub mod avatars;
pub mod backup;
pub mod bootstrap;
pub mod cards;
pub mod check;
pub mod claims;
pub mod commits;
pub mod data_lock;
pub mod discord;
pub mod guilds;
pub mod health;
pub mod ingest;
pub mod interactions;
pub mod keys;
pub mod leaderboard;
pub mod leases;
pub mod live;
pub mod main_pages;
pub mod moderation;
pub mod pages;
pub mod patch;
pub mod players;
pub mod reader;
pub mod refresh;
pub mod rosters;
pub mod search;
pub mod secret;
pub mod sessions;
pub mod settings;
pub mod statsfeed;
pub mod stickers;
pub mod transfer;
pub mod uploads;
pub mod viewers;
pub mod visits;
pub mod webhooks;

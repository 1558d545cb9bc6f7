//! Commands other than `serve`, on both databases.

mod backup_restore;
mod check;
mod concurrent_site;
mod data_lock;
mod demo;
mod export_import;
mod help_and_exit_codes;
mod invalid_settings;
mod migrations;
mod output;

pub use backup_restore::site_with_content as with_content;

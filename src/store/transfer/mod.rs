//! Tables as JSON lines: every column that is not derived, with references replaced by external names.
//!
//! One description per table serves both directions and both databases; events have their own format (`features::transfer`).

mod read;
mod tables;
mod write;

pub use read::{counts, for_each_row, key_hashes, log_names, snapshot};
pub use tables::*;
pub use write::{
    IMPORT_KEY_HASH, add_missing_guilds, disable_statement_timeout, import_rows, keys_by_hash, known_keys, known_users,
    refresh_copies,
};

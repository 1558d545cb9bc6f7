//! Tables as JSON lines: every column that is not derived, with references replaced by external names.
//!
//! One description per table serves both directions and both databases; events have their own format (`features::transfer`).

mod read;
mod tables;
mod write;

pub use read::{counts, for_each_row, key_hashes, log_names};
pub use tables::*;
pub use write::{IMPORT_KEY_HASH, disable_statement_timeout, import_rows, keys_by_hash, refresh_copies, unknown_names};

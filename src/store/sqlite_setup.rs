//! How the SQLite that is compiled in works, set once before the first connection.

use std::sync::Once;

use libsqlite3_sys::{SQLITE_CONFIG_MEMSTATUS, SQLITE_CONFIG_MULTITHREAD, SQLITE_OK, sqlite3_config};

/// Leaves out the lock around each call of a connection, which a board takes for every column of every row, and the count of all
/// memory, which all threads would keep under one lock and nobody reads. Does nothing once a connection has been opened.
#[allow(unsafe_code)]
pub fn unlock() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        // SAFETY: both take what is given here (nothing; an int) and refuse once SQLite is in use. Without its own locks each
        // connection may be used by one thread at a time: Diesel's is `Send` and not `Sync`.
        let refused = unsafe {
            let locks = sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
            let counts = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
            locks != SQLITE_OK || counts != SQLITE_OK
        };
        if refused {
            tracing::debug!("SQLite was in use before it could be set up: it works as it was built");
        }
    });
}

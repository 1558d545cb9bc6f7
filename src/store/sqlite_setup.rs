//! How the SQLite that is compiled in works, set once before the first connection.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::Once;

use libsqlite3_sys::{
    SQLITE_CONFIG_MEMSTATUS, SQLITE_CONFIG_MULTITHREAD, SQLITE_DBCONFIG_ENABLE_QPSG, SQLITE_OK, sqlite3,
    sqlite3_api_routines, sqlite3_auto_extension, sqlite3_config, sqlite3_db_config,
};

/// Leaves out the lock around each call of a connection, which a board takes for every column of every row, and the count of all
/// memory, which all threads would keep under one lock and nobody reads. Statements are prepared once. To be called before
/// the first connection.
#[allow(unsafe_code)]
pub fn set_up() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        // SAFETY: each takes what is given here (nothing; an int; a function that stays); the first two refuse once SQLite is in
        // use. Without its own locks each connection may be used by one thread at a time: Diesel's is `Send` and not `Sync`.
        let refused = unsafe {
            let locks = sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
            let counts = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
            let plans = sqlite3_auto_extension(Some(keep_plans));
            [locks, counts, plans].iter().any(|&code| code != SQLITE_OK)
        };
        if refused {
            tracing::debug!("SQLite was in use before it could be set up: it works as it was built");
        }
    });
}

/// Plans never depend on bound values. Otherwise SQLite looks at the value of each `LIMIT ?`, and since that may be another one
/// next time, prepares the statement anew whenever it is run: a third of what reading a profile cost.
#[allow(unsafe_code)]
unsafe extern "C" fn keep_plans(
    db: *mut sqlite3,
    _error: *mut *mut c_char,
    _routines: *const sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite calls this with a connection that was just opened; the option takes an int and a place for the answer, or none.
    unsafe { sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_QPSG, 1 as c_int, ptr::null_mut::<c_int>()) }
}

#[cfg(test)]
mod tests {
    use libsqlite3_sys::*;

    #[test]
    #[allow(unsafe_code)]
    fn a_statement_with_a_bound_limit_is_prepared_once() {
        super::set_up();
        // SAFETY: handles are used between their making and their end, in this thread alone; texts end with a NUL.
        unsafe {
            let (mut db, mut statement) = (std::ptr::null_mut(), std::ptr::null_mut());
            assert_eq!(sqlite3_open(c":memory:".as_ptr(), &mut db), SQLITE_OK);
            let text = c"SELECT value FROM (SELECT 7 AS value) LIMIT ?";
            assert_eq!(sqlite3_prepare_v2(db, text.as_ptr(), -1, &mut statement, std::ptr::null_mut()), SQLITE_OK);
            for limit in 1..=3 {
                assert_eq!(sqlite3_bind_int(statement, 1, limit), SQLITE_OK);
                assert_eq!(sqlite3_step(statement), SQLITE_ROW);
                assert_eq!(sqlite3_reset(statement), SQLITE_OK);
            }
            assert_eq!(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0), 0);
            sqlite3_finalize(statement);
            sqlite3_close(db);
        }
    }
}

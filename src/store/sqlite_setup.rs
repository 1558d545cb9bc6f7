//! Process-wide configuration of the embedded SQLite.

use std::ffi::{c_char, c_int};
use std::ptr;
use std::sync::Once;

use libsqlite3_sys::{
    SQLITE_CONFIG_MEMSTATUS, SQLITE_CONFIG_MULTITHREAD, SQLITE_DBCONFIG_ENABLE_QPSG, SQLITE_OK, sqlite3,
    sqlite3_api_routines, sqlite3_auto_extension, sqlite3_config, sqlite3_db_config,
};

/// Configures SQLite; must be called before the first connection is opened.
///
/// It disables two things. One is the mutex around each call of a connection, which is taken for every column of every row. The
/// other is the memory statistics, which are updated under one lock and never read. Plans become independent of bound values.
#[allow(unsafe_code)]
pub fn configure() {
    static DONE: Once = Once::new();
    DONE.call_once(|| {
        // SAFETY: the arguments have the types that SQLite expects (none; an int; a function with static lifetime); the first two
        // calls fail once SQLite is in use. Without SQLite's mutex, a connection may be used by one thread at a time: Diesel's
        // connection is `Send` and not `Sync`.
        let refused = unsafe {
            let locks = sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
            let counts = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
            let plans = sqlite3_auto_extension(Some(enable_stable_plans));
            [locks, counts, plans].iter().any(|&code| code != SQLITE_OK)
        };
        if refused {
            tracing::debug!("SQLite was in use before it was configured; it runs with its defaults");
        }
    });
}

/// Makes plans independent of bound values. Otherwise SQLite checks the value of each `LIMIT ?` and prepares the statement again
/// for each execution, which took a third of the time of reading a profile.
#[allow(unsafe_code)]
unsafe extern "C" fn enable_stable_plans(
    db: *mut sqlite3,
    _error: *mut *mut c_char,
    _routines: *const sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite passes a connection that it has just opened; the option takes an int and a pointer for the result, which may
    // be null.
    unsafe { sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_QPSG, 1 as c_int, ptr::null_mut::<c_int>()) }
}

#[cfg(test)]
mod tests {
    use libsqlite3_sys::*;

    #[test]
    #[allow(unsafe_code)]
    fn a_statement_with_a_bound_limit_is_prepared_once() {
        super::configure();
        // SAFETY: handles are used only in this thread, between their creation and release; texts end with a NUL.
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

//! The size of the database.

use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::conn::{self, AnyConn};

/// Size of the database in bytes.
pub fn total_bytes(conn: &mut AnyConn) -> QueryResult<i64> {
    let text = if conn.is_postgres() {
        "SELECT pg_database_size(current_database())::BIGINT"
    } else {
        "SELECT CAST(c.page_count * s.page_size AS BIGINT) FROM pragma_page_count() c, pragma_page_size() s"
    };
    diesel::dsl::sql::<BigInt>(text).get_result(conn)
}

/// Size of SQLite's write-ahead log in bytes; `None` on PostgreSQL and while there is no log.
pub fn wal_bytes(database_url: &str) -> Option<i64> {
    let file = conn::sqlite_path(database_url)?;
    let log = std::fs::metadata(format!("{}-wal", file.display())).ok()?;
    i64::try_from(log.len()).ok()
}

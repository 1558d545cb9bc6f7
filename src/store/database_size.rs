//! The size of the database.

use diesel::prelude::*;
use diesel::sql_types::BigInt;

use super::conn::AnyConn;
use super::snapshot;

#[derive(QueryableByName)]
struct Size {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

/// Size of the database in bytes.
pub fn total_bytes(conn: &mut AnyConn) -> QueryResult<i64> {
    let text = if conn.is_postgres() {
        "SELECT pg_database_size(current_database())::BIGINT AS bytes"
    } else {
        "SELECT CAST(c.page_count * s.page_size AS BIGINT) AS bytes FROM pragma_page_count() c, pragma_page_size() s"
    };
    diesel::sql_query(text).get_result::<Size>(conn).map(|size| size.bytes)
}

/// Size of SQLite's write-ahead log in bytes; `None` on PostgreSQL and while there is no log.
pub fn wal_bytes(database_url: &str) -> Option<i64> {
    let file = snapshot::sqlite_path(database_url)?;
    let log = std::fs::metadata(format!("{}-wal", file.display())).ok()?;
    i64::try_from(log.len()).ok()
}
